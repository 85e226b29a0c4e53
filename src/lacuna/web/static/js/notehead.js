// Above the text: which note it is and what can be done with it. And what was done to it.

import { api } from './api.js';
import { fill, h } from './dom.js';
import { DID } from './edits.js';
import { app } from './main.js';
import { note } from './review.js';
import { button, counted, press } from './widgets.js';

const STATES = { later: 'later', done: 'reviewed ✓' };

const name = h('h1');
const patient = h('span', { class: 'patient' });
const state = h('span', { class: 'soft' });
const said = h('span', { class: 'said', 'aria-hidden': 'true' }); // the live region says it too
const blind = h('p', { class: 'sealed', hidden: true }, 'Sealed: please mark everything yourself. No suggestions are shown, so that the final model can be judged fairly.');
const comment = h('p', { class: 'comment' });
const newer = press('New suggestions: show', () => note.renew(), { hidden: true });
const undo = button('undo', 'Undo');
const redo = button('redo', 'Redo');
const flag = button('flag', 'Flag');
const remark = button('comment', 'Comment');
const later = button('later', 'Later');
const done = button('done', 'Done', { class: 'main' });
const tools = [undo, redo, flag, remark, button('hide-marks', 'Hide marks'), button('before-after', 'Before/after')];

export const element = h('header', { class: 'notehead' },
  h('div', { class: 'line' }, name, patient, state, newer, h('span', { class: 'line ends' }, later, done)),
  h('div', { class: 'line tools' }, tools, said),
  blind,
  comment);

export function say(text) {
  said.textContent = text;
}

let named = null; // the note whose name is shown

export function update() {
  const { view, undecided } = note;
  if (named !== note) title();
  newer.hidden = !note.newer;
  state.textContent = [STATES[view.state], view.flag && '⚑ flagged'].filter(Boolean).join(' · ');
  undo.disabled = !view.undo;
  redo.disabled = !view.redo;
  flag.ariaPressed = view.flag;
  later.ariaPressed = view.state === 'later';
  remark.classList.toggle('on', Boolean(view.comment));
  comment.textContent = view.comment;
  const open = undecided.length;
  done.firstChild.textContent = !open ? 'Done' : app.settings.accepts === false ? `Look at ${open}` : `Done (accepts ${open})`;
}

function title() {
  named = note;
  blind.hidden = !note.blind;
  name.textContent = note.id;
  const { keys, number, of } = note.patient ?? {};
  const link = (key, sign, says) => key && h('a', { href: `#/review/${key}`, 'aria-label': says, title: says }, sign);
  fill(patient, keys && [`patient ${note.group} (${number} of ${of})`, link(keys[number - 2], '‹', 'Note before of this patient'), link(keys[number], '›', 'Next note of this patient')]);
}

// ── the last edits of the note ──

const list = h('ol');
const link = h('a', null, 'All of it');
export const past = h('details', { class: 'history', ontoggle: showPast }, h('summary', null, 'History'), list, link);

export async function showPast() {
  const mine = note;
  if (!past.open || !mine) return;
  link.href = `#/history/${mine.key}`;
  const { body } = await api.get(`${mine.path}/history?newest=true&limit=8`);
  const time = ({ at }) => new Date(at).toLocaleTimeString([], { timeStyle: 'short' });
  if (note === mine) fill(list, body.edits.map((edit) => h('li', null, `${time(edit)} ${edit.who}: ${did(edit)}`)));
}

function did({ operations, undoes }) {
  if (undoes) return 'undone';
  const what = ({ op, state, flag }) => DID[op] ?? state ?? (flag === undefined ? 'comment' : flag ? 'flagged' : 'flag removed');
  return [...Map.groupBy(operations, what)].map(([done, { length }]) => (length > 1 ? `${done} ${counted(length, 'mention')}` : done)).join(', ');
}
