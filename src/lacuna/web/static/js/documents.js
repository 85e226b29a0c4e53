// All notes as a table: filters, order, pages, and what can be done to several at once.

import { api } from './api.js';
import { fill, h, keyed } from './dom.js';
import { freshId } from './edits.js';
import { app } from './main.js';
import { counted, errorPlace, field, line, offer, press, rested, select, table, tick, tried, when } from './widgets.js';

const PAGE = 100; // rows of a request, and notes of a bulk action
const STATES = [['', 'All'], ['new open later', 'Not done'], ['new', 'New'], ['open', 'Open'], ['later', 'Later'], ['done', 'Done']];
const ORDERS = [['import', 'As imported'], ['need', 'Most expected missed first']];
const COLUMNS = ['Patient', 'State', 'Expected missed', 'Mentions', 'Reviewer', 'Changed'];

const chosen = new Set(); // keys
let rows = [];
let next = null;
let turn = 0; // of the latest request; answers to earlier ones are dropped

const label = h('select', { name: 'label' });
const count = h('p', { role: 'status' });
const error = errorPlace();
const actions = h('div', { class: 'line', role: 'group', 'aria-label': 'With the selected notes' },
  press('Reopen', () => change({ state: 'open' }, 'reopened')),
  press('Later', () => change({ state: 'later' }, 'put off')),
  press('Flag', () => change({ flag: true }, 'flagged')),
  press('Remove flag', () => change({ flag: false }, 'without a flag now')),
  press('Export…', () => {
    app.selection = [...chosen];
    app.go('export');
  }),
  press('Select none', () => choose(chosen, false)));
const all = tick('', { 'aria-label': 'Select all notes shown', onchange: ({ target }) => choose(rows.map(({ key }) => key), target.checked) });
const body = h('tbody', { onkeydown: walk });
const end = press('Show more', () => end.disabled || read(next));
const form = h('form', { class: 'line', role: 'search', oninput: rested(250, () => load()), onsubmit: (event) => event.preventDefault() },
  field('Search in notes', line({ type: 'search', name: 'words' })), field('Patient', line({ type: 'search', name: 'group' })),
  field('State', select(STATES, { name: 'states' })), field('Label', label), field('Order', select(ORDERS, { name: 'order' })),
  tick('Flagged only', { name: 'flag' }));

export const element = h('section', { class: 'screen' },
  h('h1', null, 'Notes'),
  form,
  h('div', { class: 'line bar' }, all, count, actions, error),
  table(['', 'Note', ...COLUMNS], body, { class: 'documents' }),
  end);
new IntersectionObserver(([{ isIntersecting }]) => isIntersecting && end.click(), { rootMargin: '200px' }).observe(end);

export function show() {
  offer(label, [['', 'Any'], ...app.project.labels.map(({ name }) => name)]);
  return load(rows.length);
}

/** Read the rows again, at least as many as `wanted`. */
async function load(wanted = 0) {
  let going = await read(null);
  while (going && next !== null && rows.length < wanted) going = await read(next);
}

/** Whether the rows after `after` came. */
async function read(after) {
  const mine = ++turn;
  end.disabled = true;
  const { states, flag, ...asked } = Object.fromEntries([...new FormData(form)].filter(([, value]) => value));
  Object.assign(asked, { after, limit: PAGE, states: states?.split(' ') ?? [] }, flag && { flag: true });
  const answer = await tried(error, () => api.post('/documents/search', asked));
  if (mine !== turn) return false;
  end.disabled = false;
  if (!answer) return false;
  rows = [...(after === null ? [] : rows), ...answer.documents];
  next = answer.next;
  draw();
  return true;
}

function draw() {
  keyed(body, rows, ({ key }) => key, make, update);
  fill(count, rows.length ? counted(rows.length, 'note') : 'No such note. Change the filters.', next !== null && ' so far', chosen.size > 0 && `, ${chosen.size} selected`);
  end.hidden = next === null;
  actions.hidden = !chosen.size;
  const picked = rows.filter(({ key }) => chosen.has(key)).length;
  const checked = picked > 0 && picked === rows.length;
  Object.assign(all.firstChild, { checked, indeterminate: picked > 0 && !checked });
}

function make({ key, id }) {
  return h('tr', { onclick: ({ target }) => target.closest('a, label') || app.go(`review/${key}`) },
    h('td', null, tick('', { 'aria-label': `Select ${id}`, onchange: ({ target }) => choose([key], target.checked) })),
    h('th', { scope: 'row' }, h('a', { href: `#/review/${key}` }, id)),
    COLUMNS.map((name) => h('td', { dataset: { name } })));
}

function update(element, { key, need, group, state, flag, mentions, decided_by, decided_at }) {
  element.querySelector('input').checked = chosen.has(key);
  const name = STATES.find(([value]) => value === state)[1];
  const said = [group, [h('span', { class: state }, name), flag && h('span', { class: 'flag' }, ' ⚑ flagged')],
    need !== null && `~${need.toFixed(1)}`, mentions, decided_by, when(decided_at)];
  said.forEach((value, index) => fill(element.children[index + 2], value));
}

function choose(keys, on) {
  for (const key of [...keys]) chosen[on ? 'add' : 'delete'](key);
  draw();
}

async function change(what, says) {
  const keys = [...chosen];
  let changed = 0;
  for (let at = 0; at < keys.length; at += PAGE) {
    const asked = { keys: keys.slice(at, at + PAGE), ...what, request: freshId('r') };
    const answer = await tried(error, () => api.post('/documents/states', asked));
    if (!answer) return;
    changed += answer.changed;
  }
  app.say(`${counted(changed, 'note')} ${says}`);
  app.refreshProject();
  await load(rows.length);
}

/** Up and down go to the same control of the next row. */
function walk(event) {
  const step = { ArrowDown: 'nextElementSibling', ArrowUp: 'previousElementSibling' }[event.key];
  const row = step && event.target.closest('tr')[step];
  if (!row) return;
  event.preventDefault();
  row.querySelector(event.target.localName).focus();
}
