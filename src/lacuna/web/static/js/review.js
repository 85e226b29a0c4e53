// The review screen: the notes that wait, the text with its marks, the list of mentions. Every key of
// keys.js and every button ends in `perform`. The parts of the screen are modules; they import what
// they need from here when something happens, never while they are loaded.

import { api } from './api.js';
import * as after from './beforeafter.js';
import { accepting, changing, isOpen, rejecting } from './decisions.js';
import { fill, h } from './dom.js';
import * as flow from './flow.js';
import { actionOf } from './keys.js';
import * as labels from './labels.js';
import { overlap } from './lanes.js';
import { app } from './main.js';
import * as marking from './marking.js';
import * as list from './mentionlist.js';
import * as head from './notehead.js';
import * as popover from './popover.js';
import * as queue from './queuepane.js';
import { Notes } from './state.js';
import { TextPane } from './textpane.js';
import { button, counted, press } from './widgets.js';

const SLOW = 'Opening … The first note can take a minute, while lacuna prepares itself for this machine.';

/** The note that is shown, or null. */
export let note = null;
let drawing = null; // the frame that was asked for
let wanted = null; // key of the note that is on its way
let seen = null; // what the output and the history are of

const notes = new Notes(api, { onStatus: app.saved, onTold: (text) => app.say(new Error(text)) });

export const pane = new TextPane(h('div', { id: 'pane', 'aria-label': 'Note' }), {
  onSelect: marking.select,
  onFocus: ({ uid }) => focus(uid, { open: true, scroll: false }),
  onChange: ({ uid, spans }) => change(find(uid), { spans }, 'changed'),
  onTokens: marking.fetchTokens,
});
pane.text.addEventListener('click', ({ target }) => !target.closest('[data-m]') && !marking.selected && focus(null));
pane.element.addEventListener('scroll', () => {
  popover.follow();
  list.follow();
});

// ── what is seen ──

const count = h('span');
const all = button('accept-all', 'Accept all');
const parts = [flow.hint, head.element, h('div', { class: 'columns' }, pane.element, after.element), labels.bar];
const middle = h('section', { class: 'note', 'aria-label': 'Note' }, parts);

export const element = h('div', {
  class: 'review',
  onclick: ({ target }) => perform(target.closest('[data-action]')?.dataset.action),
  // a click on a button leaves the focus in the text, where the keys are
  onmousedown: (event) => event.target.closest('button') && event.preventDefault(),
},
  side('queue-side', 'Notes', 'Notes', queue.parts),
  middle,
  side('mention-side', 'Mentions', ['Mentions ', count], [h('div', { class: 'line' }, all), list.element, head.past]),
  popover.element);

/** A column at the side, which narrow windows fold. */
function side(name, title, heading, inside) {
  const unfold = () => fold.setAttribute('aria-expanded', column.classList.toggle('open'));
  const fold = press(heading, unfold, { class: 'fold', 'aria-expanded': 'false' });
  const column = h('aside', { class: `side ${name}`, 'aria-label': title }, h('h2', null, fold), h('div', { class: 'inside' }, inside));
  return column;
}

app.on('document', ({ key, version }) => notes.open.get(key)?.heard(version));
app.on('resume', () => note?.refresh().catch(() => {}));
app.on('queue', () => element.isConnected && queue.load());
app.on('refreshed', draw);
addEventListener('beforeunload', (event) => notes.pending.length && event.preventDefault());

export async function show(key) {
  document.addEventListener('keydown', keydown);
  document.addEventListener('keyup', keyup);
  if (!key) return flow.next(null);
  wanted = key; // until it is there, keys do not change the one before
  flow.came(key);
  const slow = setTimeout(() => head.say(SLOW), 800);
  const found = await notes.get(key).finally(() => {
    clearTimeout(slow);
    if (wanted === key) wanted = null;
  });
  if (wanted) return;
  leave(parts);
  note = found;
  note.onchange = () => (drawing ??= requestAnimationFrame(draw));
  head.say('');
  const { text, shown, tokens } = note;
  pane.show({ text, labels: app.project.labels, mentions: shown, tokens: tokens && marking.decoded(tokens) });
  draw();
  if (!document.activeElement?.closest('.queue-side input, select')) pane.element.focus({ preventScroll: true });
  app.announce(`Note ${note.id}, ${counted(shown.length, 'mention')}`);
  await queue.load();
}

export function hide() {
  document.removeEventListener('keydown', keydown);
  document.removeEventListener('keyup', keyup);
  popover.close();
}

/** Show something else in the place of the note. */
export function leave(...instead) {
  if (note) note.onchange = () => {};
  note = seen = null;
  marking.forget();
  popover.close();
  list.update([], null);
  fill(middle, instead);
}

export function tell(text) {
  app.announce(text);
  head.say(text);
}

export function draw() {
  cancelAnimationFrame(drawing);
  drawing = null;
  if (!note) return;
  pane.labels = app.project.labels;
  pane.update(note.shown);
  list.update(note.shown, pane.focused);
  labels.update(marking.brush, pane.mention?.label);
  count.textContent = note.shown.filter(({ status }) => status !== 'doubt').length;
  all.disabled = !note.undecided.length;
  head.update();
  flow.showHint(marking.selected);
  if (note.queue.length || seen === note.base.version) return;
  seen = note.base.version; // saved: the output and the history are others
  after.load();
  head.showPast();
}

// ── keys ──

function keydown(event) {
  if (/^(Enter| )$/.test(event.key) && event.target.closest?.('button, a, summary')) return; // they are pressed
  const action = actionOf(event, app.settings);
  if (!action || !note || (event.repeat && action === 'done') || (wanted && action !== 'back')) return;
  if (perform(action, 'key')) event.preventDefault();
}

const keyup = ({ key }) => key.toLowerCase() === 'h' && pane.hide(false);

/** Do what a key or button stands for; false if there is nothing like that. */
export function perform(action, by = 'button') {
  if (!action) return false;
  const label = labels.labelOf(action);
  if (label) marking.label(label, by);
  else if (ACTIONS[action]) ACTIONS[action](by === 'key');
  else return pane.perform(action) || action.startsWith('label-');
  return true;
}

/** Those that are not matters of the pane; they are told whether a key was pressed. */
const ACTIONS = {
  'next-mention': () => step(1, () => true),
  'previous-mention': () => step(-1, () => true),
  'next-uncertain': () => step(1, list.isUnsure),
  'previous-uncertain': () => step(-1, list.isUnsure),
  accept: (key) => decide('accept', key),
  remove: (key) => decide('remove', key),
  'accept-all': acceptAll,
  'find-label': marking.find,
  brush: marking.arm,
  clear: () => popover.close() || pane.perform('clear') || marking.end() || focus(null),
  'list-here': listHere,
  everywhere: () => focused() && popover.everywhere(pane.mention, false),
  'remove-everywhere': () => focused() && popover.everywhere(pane.mention, true),
  undo: () => flow.undo('undo', 'undone'),
  redo: () => flow.undo('redo', 'done again'),
  done: flow.done,
  back: flow.back,
  later: flow.later,
  flag: flow.flag,
  comment: flow.comment,
  'hide-marks': (key) => pane.hide(key || !pane.element.classList.contains('plain')),
  'before-after': after.toggle,
  teach: () => app.go('teach'),
  search: () => (element.querySelector('.queue-side').classList.add('open'), queue.field.focus()),
  help: app.help,
};

// ── mentions ──

const find = (uid) => note.shown.find((mention) => mention.uid === uid) ?? null;

/** Focus a mention; `open`: with the small window. */
export function focus(uid, { open = false, scroll = true } = {}) {
  popover.close();
  pane.focus(uid, { scroll });
  const { mention } = pane;
  list.select(pane.focused);
  labels.update(marking.brush, mention?.label);
  after.focus(mention);
  if (open && mention) popover.show(mention, around(mention));
}

const around = (place) => note.shown.filter((one) => overlap(one, place));

/** The mention in focus, or a word about what to do first. */
export function focused() {
  if (!pane.mention) tell('Choose a mention first: click it, or press j');
  return pane.mention;
}

function step(by, fits) {
  const { shown } = note;
  const at = shown.findIndex(({ uid }) => uid === pane.focused);
  const next = by > 0 ? shown.slice(at + 1).find(fits) : shown.slice(0, at < 0 ? shown.length : at).findLast(fits);
  if (!next) return tell(by > 0 ? 'No further one' : 'No earlier one');
  focus(next.uid);
  app.announce(`${next.label}, ${pane.textOf(next.spans)}`);
}

/** Make an edit and say what it did; false if it is not possible. */
export function edit(operations, what) {
  const possible = note.edit(operations);
  if (possible) draw();
  tell(possible ? `${what}; ${note.undecided.length} left` : 'There is such a mention already');
  return possible;
}

/** Accept or remove the mention in focus; `onward`: then the next one that is open is in focus. */
export function decide(action, onward) {
  const mention = focused();
  if (!mention) return;
  const { uid, status, label } = mention;
  const accept = action === 'accept';
  if (accept && status === 'doubt' && !app.labelNamed(label)) return marking.find();
  const what = accept ? 'accepted' : status === 'added' ? 'removed' : 'rejected';
  if (!edit((accept ? accepting : rejecting)(note, mention), what)) return;
  const [[start]] = mention.spans;
  const next = onward && note.shown.find((one) => isOpen(one) && one.spans[0][0] >= start && one.uid !== uid);
  focus(next ? next.uid : uid);
}

function acceptAll() {
  const open = note.undecided;
  edit(open.flatMap((one) => accepting(note, one)), `${counted(open.length, 'mention')} accepted`);
}

export function change(mention, to, what) {
  if (mention && edit(changing(note, mention, to), what)) focus(mention.uid, { scroll: false });
}

function listHere() {
  const { head } = pane.selection;
  const here = head ? pane.offsets.toPoints([[head[0], Math.max(head[1], head[0] + 1)]]) : [];
  const found = around(pane.mention ?? { spans: here });
  if (!found.length) return tell('No mention here');
  if (!pane.mention) focus(found.at(-1).uid);
  popover.show(pane.mention, found, { take: true });
}
