"""The page of an audit: documents drawn at random, to be read one after another.

It works without a server and loads nothing. Its one script is allowed by its hash; it shows the
documents, keeps the answers in the browser and saves them as a JSON file. The page holds only
texts that were de-identified, but a person is to look for leaks in them, so it is not passed on.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from html import escape
from string import Template

_TAG = re.compile(r"\[[A-Z][A-Z_]*(?:-\d+)?\]")


def audit_page(draw: str, total: int, documents: Sequence[tuple[str, str]], command: str) -> str:
    """Return the page.

    Parameters
    ----------
    draw
        Identifies the sample.
    total
        How many documents it was drawn from.
    documents
        Names and texts.
    command
        To be run with the saved answers.
    """
    articles = "".join(
        f"<article hidden data-name='{escape(name)}'><h2>{escape(name)}</h2>"
        f"<div class=text>{_marked(text)}</div></article>"
        for name, text in documents
    )
    return Template(_PAGE).substitute(
        hash=b64encode(sha256(_SCRIPT.encode()).digest()).decode(),
        style=_STYLE,
        draw=escape(draw),
        size=f"{len(documents):,}",
        total=f"{total:,}",
        command=escape(command),
        articles=articles,
        script=_SCRIPT,
    )


def _marked(text: str) -> str:
    """Escape a text, and make tags such as [NAME-1] pale."""
    return _TAG.sub(lambda tag: f"<i>{tag[0]}</i>", escape(text))


_STYLE = """
:root { color-scheme: light dark; --line: #8884; --quiet: #6b7280; --paper: #f6f7f9;
  --none: #1a7f37; --leak: #b3261e; --here: #0b6bcb }
@media (prefers-color-scheme: dark) { :root { --quiet: #9aa4b2; --paper: #1b1e23;
  --none: #56d364; --leak: #ff8a80; --here: #79b8ff } }
* { box-sizing: border-box }
body { font: 16px/1.6 system-ui, sans-serif; margin: 0 auto; max-width: 60rem;
  padding: 0 1.5rem 4rem }
header { position: sticky; top: 0; background: Canvas; padding: 1rem 0 .7rem;
  border-bottom: 1px solid var(--line) }
h1 { font-size: 1.2rem; margin: 0 } h2 { font-size: .95rem; font-weight: 500;
  color: var(--quiet); overflow-wrap: anywhere }
p { margin: .3rem 0; color: var(--quiet); font-size: .92rem }
.row { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; margin-top: .6rem }
.row > span { flex: 1 } button, input { font: inherit; padding: .25rem .8rem; border-radius: 6px;
  border: 1px solid var(--line); background: var(--paper); color: inherit }
button:hover { border-color: var(--here) } input { width: 5rem; text-align: right }
#save.ready { background: var(--here); color: Canvas; border-color: var(--here) }
.text { white-space: pre-wrap; overflow-wrap: anywhere; background: var(--paper);
  padding: 1.2rem 1.4rem; border-radius: 8px }
.text i { font-style: normal; color: var(--quiet) }
#dots { display: flex; flex-wrap: wrap; gap: 4px; margin-top: .7rem }
#dots button { width: 1.1rem; height: 1.1rem; padding: 0; border-radius: 4px; font-size: 0 }
#dots .none { background: var(--none) } #dots .leak { background: var(--leak) }
#dots .here { outline: 2px solid var(--here); outline-offset: 1px }
kbd { border: 1px solid var(--line); border-radius: 4px; padding: 0 .35rem; font-size: .85em }
"""

_SCRIPT = """
"use strict";
const draw = document.body.dataset.draw;
const pages = [...document.querySelectorAll("article")];
const input = document.querySelector("#leaks");
const save = document.querySelector("#save");
const dots = document.querySelector("#dots");
let answers = {}, here = 0;
try { answers = JSON.parse(localStorage.getItem("lacuna-" + draw)) || {}; } catch { answers = {}; }
const name = () => pages[here].dataset.name;
pages.forEach((page, i) => {
  const dot = document.createElement("button");
  dot.title = (i + 1) + ": " + page.dataset.name;
  dot.setAttribute("aria-label", "document " + (i + 1));
  dot.onclick = () => go(i);
  dots.append(dot);
});
function go(place) {
  pages[here].hidden = true;
  here = Math.max(0, Math.min(pages.length - 1, place));
  pages[here].hidden = false;
  window.scrollTo(0, 0);
  show();
}
function set(value) {
  if (value === null) delete answers[name()]; else answers[name()] = value;
  try { localStorage.setItem("lacuna-" + draw, JSON.stringify(answers)); } catch { }
  show();
}
function show() {
  input.value = name() in answers ? answers[name()] : "";
  const done = pages.filter(page => page.dataset.name in answers).length;
  document.querySelector("#place").textContent =
    "Document " + (here + 1) + " of " + pages.length + ", " + done + " answered";
  save.classList.toggle("ready", done === pages.length);
  [...dots.children].forEach((dot, i) => {
    const answer = answers[pages[i].dataset.name];
    dot.className = (answer === undefined ? "" : answer > 0 ? "leak" : "none")
      + (i === here ? " here" : "");
  });
}
function download() {
  const open = pages.findIndex(page => !(page.dataset.name in answers));
  if (open >= 0) {
    go(open);
    document.querySelector("#place").textContent = "This document has no answer yet.";
    return;
  }
  const content = JSON.stringify({ draw: draw, answers: answers }, null, 1);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([content], { type: "application/json" }));
  link.download = "answers-" + draw + ".json";
  link.click();
  URL.revokeObjectURL(link.href);
}
input.onchange = () => set(/^[0-9]+$/.test(input.value) ? Number(input.value) : null);
document.querySelector("#before").onclick = () => go(here - 1);
document.querySelector("#after").onclick = () => go(here + 1);
save.onclick = download;
document.onkeydown = event => {
  if (event.target === input && event.key !== "Enter") return;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (/^[0-9]$/.test(event.key)) set(Number(event.key));
  else if (event.key === "ArrowRight" || event.key === "Enter") { input.blur(); go(here + 1); }
  else if (event.key === "ArrowLeft") go(here - 1);
  else if (event.key === "s") download();
  else return;
  event.preventDefault();
};
const first = pages.findIndex(page => !(page.dataset.name in answers));
go(first < 0 ? 0 : first);
"""

_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy"
  content="default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-$hash'">
<title>lacuna: audit</title>
<style>$style</style>
<body data-draw="$draw">
<header>
<h1>Audit: $size of $total documents, drawn at random</h1>
<p>Read each document and count the leaks: names, numbers, dates or places that should have been
removed. Keys: <kbd>0</kbd>–<kbd>9</kbd> number of leaks, <kbd>→</kbd> or <kbd>Enter</kbd> next,
<kbd>←</kbd> back, <kbd>s</kbd> save. Then run <code>$command</code>.</p>
<div class="row"><button id="before">←</button><button id="after">→</button>
<span id="place"></span>
<label>Leaks <input id="leaks" inputmode="numeric" autocomplete="off"></label>
<button id="save">Save answers</button></div>
<div id="dots"></div>
</header>
<main>$articles</main>
<script>$script</script>
</body>
</html>
"""
