// The list of mentions: the same as the marks in the text, for people who listen or use the keyboard.
// Buttons in a row are for the mouse alone (an option holds nothing that can be focused): keys a and x.

import { isOpen } from './decisions.js';
import { fill, h, keyed } from './dom.js';
import { overlaps } from './lanes.js';
import { decide, focus, pane } from './review.js';
import { percent } from './widgets.js';

const MOST = 500; // more mentions than this: only those around what is in view
const AROUND = 200;
const UNSURE = 0.8; // suggestions below this probability are looked at first
const STATUS = { suggested: 'suggested', doubt: 'not marked, not sure', given: 'imported', accepted: 'accepted', added: 'added' };

let shown = [];
let focused = null;
let waiting = null;

/** Whether somebody should look: not taken out and not sure, or suggested and not sure. */
export const isUnsure = ({ status, probability }) => status === 'doubt' || (status === 'suggested' && probability < UNSURE);

const unsure = h('div', { role: 'group', 'aria-label': 'To look at' });
const sure = h('div', { role: 'group', 'aria-label': 'Other mentions' });

export const element = h('div', { id: 'mentions', role: 'listbox', 'aria-label': 'Mentions', onclick: click, onkeydown: walk }, unsure, sure);

const hasFocus = () => element.contains(document.activeElement);
const chosen = () => element.querySelector('[aria-selected=true]');

function click({ target }) {
  const uid = target.closest('[role=option]')?.dataset.uid;
  const wanted = target.closest('[data-do]')?.dataset.do;
  if (uid) focus(uid);
  if (wanted) decide(wanted, false);
}

function walk(event) {
  const all = [...element.querySelectorAll('[role=option]')];
  const at = all.indexOf(event.target);
  const to = { ArrowDown: at + 1, ArrowUp: Math.max(at - 1, 0), Home: 0, End: all.length - 1 }[event.key];
  if (to === undefined || event.shiftKey || event.ctrlKey) return;
  event.preventDefault();
  event.stopPropagation();
  if (all[to]) focus(all[to].dataset.uid);
}

export function update(mentions, uid) {
  [shown, focused, waiting] = [mentions, uid, null];
  const had = hasFocus();
  const over = overlaps(shown);
  const near = around().map((index) => ({ ...shown[index], over: over[index].map((other) => shown[other].label) }));
  const stop = near.some(({ uid }) => uid === focused) ? focused : near[0]?.uid;
  for (const group of [unsure, sure]) {
    const own = near.filter((mention) => isUnsure(mention) === (group === unsure));
    keyed(group, own, ({ uid }) => uid, ({ uid }) => h('div', { role: 'option', 'data-uid': uid }), (option, mention) => {
      option.tabIndex = mention.uid === stop ? 0 : -1;
      option.setAttribute('aria-selected', mention.uid === focused);
      write(option, mention);
    });
    group.dataset.head = group === unsure ? `⚠ ${own.length} to look at` : '';
    group.hidden = !own.length;
  }
  if (had && !hasFocus()) (chosen() ?? pane.element).focus({ preventScroll: true });
}

/** Move the selection, and the keyboard's focus if it is in the list. */
export function select(uid) {
  const had = hasFocus();
  update(shown, uid);
  chosen()?.scrollIntoView({ block: 'nearest' });
  if (had) chosen()?.focus({ preventScroll: true });
}

/** The text was scrolled. */
export function follow() {
  if (shown.length > MOST) waiting ??= requestAnimationFrame(() => update(shown, focused));
}

/** Indices of the mentions to list. */
function around() {
  const all = [...shown.keys()];
  if (all.length <= MOST) return all;
  const { left, top } = pane.element.getBoundingClientRect();
  const point = pane.offsets.toPoint(pane.pieces.unitFrom(left + 40, top + 10) ?? 0);
  const at = shown.findIndex(({ spans }) => spans[0][0] >= point);
  const middle = at < 0 ? all.length : at;
  return all.filter((index) => (index >= middle - AROUND && index < middle + AROUND) || shown[index].uid === focused);
}

function write(option, { uid, label, status, probability, spans, over }) {
  const said = [label, status, probability, spans, over].join();
  if (option.said === said) return;
  const text = pane.textOf(spans);
  const open = isOpen({ status });
  const chance = open && probability !== null && percent(probability);
  const name = [label, text, chance !== false && `${chance} percent`, STATUS[status], over.length && `overlaps ${over.join(', ')}`];
  Object.assign(option, { said, className: pane.records.get(uid)?.kind ?? '', ariaLabel: name.filter(Boolean).join(', ') });
  const act = (wanted, sign, title) => h('i', { dataset: { do: wanted }, title }, sign);
  fill(option,
    h('b', null, label),
    h('span', null, text),
    h('small', null, chance !== false ? `${chance} %` : status === 'given' ? '' : '✓'),
    h('span', { class: 'acts', 'aria-hidden': 'true' }, (open || status === 'given') && act('accept', '✓', 'Accept (a)'), act('remove', '✕', 'Reject or remove (x)')));
}
