"""The style, the controls and the script of the review page."""

from __future__ import annotations

STYLE = """
:root { color-scheme: light dark; --line: #8884; --soft: #8881; --doubt: #c2185b; --sat: 85%;
  --light: 86%; --back: #fff; --text: #1c1c1e; --dim: #666; --link: #1f5fa8 }
@media (prefers-color-scheme: dark) {
  :root { --sat: 45%; --light: 27%; --doubt: #ff7eb0; --back: #17181b; --text: #e6e6e8;
    --dim: #a0a0a6; --link: #8ab8f0 } }
* { box-sizing: border-box }
body { font: 15px/1.5 system-ui, sans-serif; margin: 0; color: var(--text);
  background: var(--back); display: grid; grid-template-columns: 17rem minmax(0, 1fr);
  grid-template-areas: "header header" "nav main" }
header { grid-area: header; position: sticky; top: 0; z-index: 1; background: var(--back);
  border-bottom: 1px solid var(--line); padding: .4rem 1rem }
header div { display: flex; flex-wrap: wrap; gap: .1rem 1.2rem; align-items: baseline }
header h1 { font-size: 1.1rem; margin: 0 } header p { margin: 0 }
header label, header .keys { color: var(--dim); font-size: .9em }
kbd { font: inherit; border: 1px solid var(--line); border-radius: .2rem; padding: 0 .3rem }
nav { grid-area: nav; position: sticky; top: var(--top, 5rem); align-self: start; overflow: auto;
  max-height: calc(100vh - var(--top, 5rem)); padding: .6rem 1rem; font-size: .9em;
  border-right: 1px solid var(--line); overflow-wrap: anywhere }
nav ol, nav ul { list-style: none; margin: 0 0 .8rem; padding: 0 }
nav summary { color: var(--dim); cursor: pointer }
nav .legend { padding: .2rem 0; display: flex; flex-wrap: wrap; gap: .2rem .7rem }
nav a { color: var(--text); text-decoration: none } nav a:hover { text-decoration: underline }
nav .here a { color: var(--link); font-weight: 600 }
nav b { color: var(--doubt); font-weight: 500; font-variant-numeric: tabular-nums }
main { grid-area: main; padding: 0 1.2rem 50vh; min-width: 0 }
section { content-visibility: auto; contain-intrinsic-size: auto 700px; outline: none;
  scroll-margin-top: var(--top, 5rem); border-bottom: 1px solid var(--line); padding: .2rem 0 1rem }
h2 { font-size: 1.05rem; margin: .8rem 0 0; overflow-wrap: anywhere }
.about { color: var(--dim); font-size: .9em; margin-bottom: .5rem; overflow-wrap: anywhere }
.pair { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 0 1.5rem }
.pair p { margin: 0; min-height: 1lh; white-space: pre-wrap; overflow-wrap: anywhere;
  font: 13px/1.55 ui-monospace, monospace; unicode-bidi: plaintext }
h3 { font-size: .8em; font-weight: 500; color: var(--dim); margin: 0 0 .3rem;
  border-bottom: 1px solid var(--line) }
mark { color: inherit; border-radius: .2rem; padding: 0 .1rem;
  background: hsl(var(--h) var(--sat) var(--light)) }
mark.kept { background: none; box-shadow: inset 0 0 0 1px hsl(var(--h) var(--sat) 50%) }
u, .q { text-decoration: underline wavy var(--doubt) 1.5px; text-underline-offset: .2em;
  text-decoration-skip-ink: none; scroll-margin: 8rem }
.now { outline: 2px solid var(--doubt); outline-offset: 1px }
body:has(#names:checked) .pair mark::after { content: var(--l); font-size: .65em;
  margin-left: .3em; opacity: .75; vertical-align: .15em }
.failed { overflow-wrap: anywhere }
input[type=search], select { font: inherit; font-size: .95em; max-width: 14rem }
@media (max-width: 60rem) { body { grid-template-columns: minmax(0, 1fr);
  grid-template-areas: "header" "nav" "main" } nav { position: static; max-height: 12rem;
  border: 0; border-bottom: 1px solid var(--line) } }
@media (max-width: 40rem) { .pair { grid-template-columns: minmax(0, 1fr) }
  .pair p:nth-of-type(even) { padding-left: 1rem } h3 { display: none } }
"""

CONTROLS = """
<div><label>order <select id="order"><option value="need">to look at first</option>
<option value="input">as in the input</option></select></label>
<label>find <input id="find" type="search" placeholder="document"></label>
<label><input id="unsure" type="checkbox"> only with doubtful words</label>
<label><input id="names" type="checkbox"> show labels</label>
<span class="keys"><kbd>j</kbd> <kbd>k</kbd> or <kbd>→</kbd> <kbd>←</kbd> documents,
<kbd>n</kbd> <kbd>p</kbd> <u>doubtful words</u></span></div>
"""

SCRIPT = """
"use strict";
const header = document.querySelector("header"), main = document.querySelector("main");
const list = document.querySelector("nav ol"), entries = [...list.children];
const find = document.getElementById("find"), unsure = document.getElementById("unsure");
const order = document.getElementById("order");
const section = entry => document.getElementById("d" + entry.dataset.number);
const visible = () => [...list.children].filter(entry => !entry.hidden);
let here = null, word = null;
const fit = () =>
  document.documentElement.style.setProperty("--top", header.offsetHeight + "px");
function enter(entry) {
  if (here) here.classList.remove("here");
  here = entry;
  if (!here) return;
  here.classList.add("here");
  here.scrollIntoView({ block: "nearest" });
}
function leave() { if (word) word.classList.remove("now"); word = null; }
function toDocument(step) {
  const all = visible(), at = all.indexOf(here);
  const next = all[at < 0 ? 0 : Math.min(Math.max(at + step, 0), all.length - 1)];
  if (!next) return;
  leave(); enter(next);
  section(next).scrollIntoView(); section(next).focus({ preventScroll: true });
}
function toWord(step) {
  const all = visible();
  let at = Math.max(all.indexOf(here), 0);
  let words = all.length ? [...section(all[at]).querySelectorAll(".q")] : [];
  let next = word ? words.indexOf(word) + step : step > 0 ? 0 : words.length - 1;
  while (all[at] && !words[next]) {
    at += step;
    words = all[at] ? [...section(all[at]).querySelectorAll(".q")] : [];
    next = step > 0 ? 0 : words.length - 1;
  }
  if (!all[at]) return;
  leave(); enter(all[at]); word = words[next];
  word.classList.add("now"); word.scrollIntoView({ block: "center" });
}
function choose() {
  const wanted = find.value.toLowerCase();
  for (const entry of entries) {
    const away = !entry.textContent.toLowerCase().includes(wanted)
      || unsure.checked && entry.dataset.doubts === "0";
    entry.hidden = section(entry).hidden = away;
  }
}
function sort() {
  const sorted = order.value === "need" ? entries
    : [...entries].sort((a, b) => a.dataset.number - b.dataset.number);
  list.append(...sorted); main.prepend(...sorted.map(section));
}
const keys = { j: () => toDocument(1), ArrowRight: () => toDocument(1),
  k: () => toDocument(-1), ArrowLeft: () => toDocument(-1),
  n: () => toWord(1), p: () => toWord(-1) };
document.addEventListener("keydown", event => {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.target.matches("input[type=search], select")) return;
  const act = keys[event.key];
  if (act) { event.preventDefault(); act(); }
});
list.addEventListener("click", event => {
  const entry = event.target.closest("li");
  if (entry) { leave(); enter(entry); }
});
find.addEventListener("input", choose); unsure.addEventListener("change", choose);
order.addEventListener("change", sort); addEventListener("resize", fit); fit();
"""
