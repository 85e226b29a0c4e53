// From note to note: done, later, back, undo, and what is said about a note as a whole.

import { api } from './api.js';
import { accepting } from './decisions.js';
import { fill, h } from './dom.js';
import { app } from './main.js';
import * as queue from './queuepane.js';
import { draw, edit, focus, leave, note, tell } from './review.js';
import { counted, dialog, p, press } from './widgets.js';

const visited = [];
let leaving = null; // the note whose last edit is on its way
let over = false; // the hint of the demonstration was followed

export const hint = h('p', { class: 'hint', hidden: true });

export function came(key) {
  if (visited.at(-1) !== key) visited.push(key);
}

export function back() {
  if (visited.length < 2) return tell('This is the first note you opened');
  visited.pop();
  app.go(`review/${visited.at(-1)}`);
}

export async function undo(kind, what) {
  if (!note.view[kind]) return tell(`Nothing to ${kind}`);
  const answer = await note.ask(kind);
  if (answer) tell(answer.others?.length ? `${what} in ${answer.others.length + 1} notes` : what);
}

export function flag() {
  const { flag } = note.view;
  edit([{ op: 'state', flag: !flag }], flag ? 'flag removed' : 'flagged');
}

/** A dialog with two buttons; what it gives is null, or what the first one or the second one gives. */
const choose = (title, inside, first, onfirst, second, onsecond) =>
  dialog(title, (close) => [
    inside,
    h('div', { class: 'line' }, press(first, () => close(onfirst()), { class: 'main' }), press(second, () => close(onsecond()))),
  ]);

export async function comment() {
  const { comment } = note.view;
  const field = h('textarea', { rows: 5, maxlength: 10000, 'aria-label': 'Comment', spellcheck: 'false', autofocus: true, value: comment });
  const text = await choose('Comment for colleagues', field, 'Save', () => field.value, 'Cancel', () => null);
  if (text !== null && text !== comment) edit([{ op: 'state', comment: text }], 'comment saved');
}

/** Accept what is shown and go on; whether that is meant is asked once per visit. */
export async function done() {
  const { settings } = app;
  const open = note.undecided;
  if (open.length && settings.accepts === null) {
    const title = `${counted(open.length, 'suggestion')} neither accepted nor rejected`;
    const holds = p('Your answer holds until the page is closed. It can be changed in the help.');
    settings.accepts = await choose(title, holds, 'Accept them', () => true, 'Look at them', () => false);
    if (settings.accepts === null) return;
  }
  if (open.length && !settings.accepts) {
    draw();
    return focus(open[0].uid);
  }
  await finish([...open.flatMap((one) => accepting(note, one)), { op: 'state', state: 'done' }], 'done');
}

export const later = () => finish([{ op: 'state', state: 'later' }], 'set aside for later');

/** The last edit of a note; the next note comes when it is saved. */
async function finish(operations, what) {
  const mine = note;
  if (leaving === mine || !edit(operations, what)) return;
  over = true;
  leaving = mine;
  await mine.settled();
  leaving = null;
  if (note !== mine || mine.view.state !== operations.at(-1).state) return;
  app.refreshProject();
  await next(mine.key);
}

export async function next(after) {
  const found = after && queue.after(after);
  if (found) return app.go(`review/${found}`);
  const { status, body } = await api.get(`/queue/next${after ? `?after=${after}` : ''}`);
  if (status !== 204) return app.go(`review/${body.key}`, { replace: !after });
  history.replaceState(null, '', '#/review'); // a link to the note that was shown works again
  const { later } = (await app.refreshProject()).counts.states;
  const aside = later > 0 && p(`${counted(later, 'note')} set aside for later: choose “later” in the list of notes.`);
  leave(h('div', { class: 'empty' }, h('h1', null, 'All notes are reviewed'), aside, p(h('a', { class: 'main', href: '#/export' }, 'Export the result'))));
  await queue.load();
}

/** Three steps for people who see the page for the first time. */
export function showHint(selected) {
  hint.hidden = !app.project.demo || over || !note;
  if (hint.hidden) return;
  const added = note.shown.some(({ status }) => status === 'added');
  const steps = [['select the missed name', selected || added], ['press 1', added], ['press Enter', false]];
  fill(hint, 'Try it: ', steps.map(([text, did], index) => h('span', { class: did && 'did' }, `${did ? '✓' : index + 1} ${text}`)));
}
