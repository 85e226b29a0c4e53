// The notes that wait, in the order of the queue, or those that a search finds.

import { api } from './api.js';
import { fill, h, keyed, set } from './dom.js';
import { app } from './main.js';
import { note, pane } from './review.js';
import { button, line, offer, press, rested, select } from './widgets.js';

const SIGNS = { new: '○', open: '○', done: '✓', later: '◷' };
const SHOWN = { queue: 'waiting', done: 'reviewed', later: 'later', flagged: 'flagged', all: 'all notes' };
const ASKED = { done: { states: ['done'] }, later: { states: ['later'] }, flagged: { flag: true }, queue: { states: ['new', 'open'] } };
const NEED = 'How much a look is needed: about what the model may have missed';
const RANDOM = 'Drawn at random, so that the model can be judged fairly. It may be easy.';

let rows = [];
let turn = 0; // of the latest request; answers to earlier ones are dropped

const again = () => load();
export const field = line({ type: 'search', id: 'search', 'aria-label': 'Search notes', placeholder: 'Search', oninput: rested(250, again), onkeydown });
const which = select(Object.entries(SHOWN), { 'aria-label': 'Which notes', onchange: again });
const label = h('select', { 'aria-label': 'With label', onchange: again });
const list = h('ol', { id: 'queue' });
const foot = h('p', { class: 'soft' });
const more = press('More', () => load(rows.at(-1).key), { hidden: true });

export const parts = [
  h('div', { class: 'line' }, field, button('search', '', { tabindex: -1, 'aria-hidden': 'true' })),
  h('div', { class: 'line' }, which, label),
  list, more, foot,
];

app.on('refreshed', counts);
counts();

async function onkeydown({ key }) {
  if (key === 'Enter' && field.value.trim()) {
    await load(); // what is found, not what the list showed before
    list.querySelector('a')?.click();
  }
  if (key === 'Escape') pane.element.focus(); // the keys are there
}

const isFiltered = () => field.value.trim() || label.value || which.value !== 'queue';

/** The note after another one in a list that was searched for; null: ask the queue. */
export function after(key) {
  const at = rows.findIndex((row) => row.key === key);
  return isFiltered() ? (rows[at + 1]?.key ?? null) : null;
}

function counts() {
  const { counts, labels } = app.project;
  const { states, flagged } = counts;
  foot.textContent = `${states.new + states.open} left · ${states.later} later · ${flagged} ⚑`;
  if (label.length !== labels.length + 1) offer(label, [['', 'any label'], ...labels.map(({ name }) => name)]);
}

/** Read the list, or what comes after a note in it. */
export async function load(after = null) {
  const mine = ++turn;
  const words = field.value.trim();
  const asked = { order: 'need', limit: 50, after, ...ASKED[which.value] };
  if (words) asked.words = words;
  if (label.value) asked.label = label.value;
  const filtered = isFiltered();
  const { body } = await (filtered ? api.post('/documents/search', asked) : api.get('/queue?limit=50'));
  if (mine !== turn) return;
  rows = [...(after === null ? [] : rows), ...body.documents];
  more.hidden = !filtered || body.next === null;
  keyed(list, rows, ({ key }) => key, () => h('li', null, h('a')), write);
  if (!rows.length) fill(list, h('li', { class: 'soft' }, filtered ? 'No note found' : 'Nothing waits'));
  if (note) pane.markUnits('search', hits(words.toLowerCase(), note.text.toLowerCase()));
}

function write({ firstChild: link }, { key, id, state, flag, reason, need }) {
  const current = key === note?.key;
  const random = reason === 'random';
  const much = state === 'done' || need === null ? '' : `~${need.toFixed(1)}`;
  const sign = current ? '●' : random ? '◆' : SIGNS[state];
  link.href = `#/review/${key}`;
  link.title = random ? RANDOM : much && NEED;
  set(link, 'aria-current', current && 'true');
  fill(link, h('i', { 'aria-hidden': 'true' }, sign), h('span', null, id), flag && '⚑', h('small', null, random ? 'random' : much));
}

/** Where words are in a text: the first 50 places. */
function hits(words, text) {
  const found = [];
  for (let at = text.indexOf(words); words && at >= 0 && found.length < 50; at = text.indexOf(words, at + 1)) found.push([at, at + words.length]);
  return found;
}
