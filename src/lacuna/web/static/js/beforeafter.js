// Before and after: beside the text what a policy makes of it. Both are scrolled together.

import { api } from './api.js';
import { h } from './dom.js';
import { overlap } from './lanes.js';
import { app } from './main.js';
import * as review from './review.js';
import { TextPane } from './textpane.js';
import { offer } from './widgets.js';

const policy = h('select', { 'aria-label': 'Policy', onchange: load });
const threshold = h('select', { 'aria-label': 'Threshold', onchange: load });
const said = h('span', { role: 'status' });
const host = h('div', { id: 'after', 'aria-label': 'After' });
host.addEventListener('pointerdown', (event) => event.stopPropagation(), true); // copied as anywhere else, not marked
const pane = new TextPane(host, { onFocus: ({ uid }) => clicked(uid) });

export const element = h('section', { class: 'after', hidden: true }, h('div', { class: 'line' }, policy, threshold, said), host);

let replaced = null; // what was replaced by what, in the order of the text
let leader; // the pane that the other one follows
let turn = 0; // of the latest request; answers to earlier ones are dropped

export function toggle() {
  element.hidden = !element.hidden;
  if (!leader) begin();
  load();
}

function begin() {
  const { policies, policy: usual, threshold: least } = app.project;
  offer(policy, policies, usual);
  offer(threshold, [...new Set([0.1, 0.3, 0.5, 0.7, 0.9, least])].sort().map((value) => [value, `from ${Math.round(value * 100)} %`]), least);
  leader = review.pane;
  for (const [one, other] of [[review.pane, pane], [pane, review.pane]]) {
    one.element.addEventListener('scroll', () => leader === one && !element.hidden && follow(one, other));
    for (const type of ['pointerenter', 'focusin', 'wheel']) one.element.addEventListener(type, () => (leader = one), { passive: true });
  }
}

/** Ask what is written now; waits until everything is saved. */
export async function load() {
  const { note } = review;
  if (element.hidden || !note) return;
  const mine = ++turn;
  if (!replaced) said.textContent = 'Working …';
  await note.settled();
  const options = new URLSearchParams({ policy: policy.value, threshold: threshold.value });
  const refused = (error) => ({ body: { text: '', replaced: [], remarks: [error.message], expected_missed: null } });
  const { body } = await api.get(`${note.path}/output?${options}`).catch(refused);
  if (mine !== turn || review.note !== note) return;
  replaced = body.replaced.map((one) => ({ ...one, spans: [[one.start, one.end]], written: [[one.new_start, one.new_end]] }));
  const mentions = replaced.map(({ label, written }, index) => ({ uid: String(index), label, spans: written, status: 'added', probability: null }));
  const { scrollTop } = host;
  pane.show({ text: body.text, labels: app.project.labels, mentions: mentions.filter(({ spans: [[start, end]] }) => start < end) });
  host.scrollTop = scrollTop;
  review.pane.refreshMarks(); // marks have names that both panes use
  const missed = body.expected_missed !== null && `Expected to be missed: ${body.expected_missed.toFixed(1)} words.`;
  said.textContent = [missed, ...body.remarks].filter(Boolean).join(' ');
}

/** Focus what became of a mention. */
export function focus(mention) {
  if (element.hidden || !replaced || !mention) return;
  const whole = { spans: [[mention.spans[0][0], mention.spans.at(-1)[1]]] };
  pane.focus(String(replaced.findIndex((one) => overlap(one, whole))));
}

function clicked(uid) {
  const found = review.note.shown.find((one) => overlap(one, replaced[uid]));
  pane.focus(uid, { scroll: false });
  if (found) review.focus(found.uid);
}

/** Bring what is at the top of one pane to the top of the other. */
function follow(one, other) {
  const { left, top } = one.element.getBoundingClientRect();
  const unit = one.pieces.unitFrom(left + 30, top + 20);
  if (unit === null) return;
  const point = across(one.offsets.toPoint(unit), one === pane);
  const at = other.offsets.toUnit(Math.min(point, other.offsets.length));
  const [rect] = other.pieces.rects([at, at]);
  other.element.scrollTop += rect.top - other.element.getBoundingClientRect().top - 20;
}

/** The place in the other text; `back`: from what is written to the note. */
function across(point, back) {
  let by = 0;
  for (const { spans, written } of replaced ?? []) {
    const [[[from, to]], [[start, end]]] = back ? [written, spans] : [spans, written];
    if (point < from) break;
    if (point < to) return start;
    by = end - to;
  }
  return point + by;
}
