// All notes as a table: filters, order, pages, and what can be done to several at once.

import { fill, h, keyed } from './dom.js';
import { errorPlace, field, line, options, table, tick, tried, when } from './forms.js';
import { choice as button, counted } from './widgets.js';

const PAGE = 100; // rows of a request, and notes of a bulk action
const PAUSE = 250; // ms after the last key before a search
const STATES = [['', 'All'], ['new open later', 'Not done'], ['new', 'New'], ['open', 'Open'], ['later', 'Later'], ['done', 'Done']];
const ORDERS = [['import', 'As imported'], ['need', 'Most expected missed first']];
const COLUMNS = ['Patient', 'State', 'Expected missed', 'Mentions', 'Reviewer', 'Changed'];

export function documentsScreen(app) {
  const chosen = new Set();
  let rows = [];
  let next = null;
  let turn = 0; // of the latest request; answers to earlier ones are dropped
  let timer;

  const soon = () => {
    clearTimeout(timer);
    timer = setTimeout(load, PAUSE);
  };
  const words = line({ type: 'search' });
  const group = line({ type: 'search' });
  const state = h('select', null, options(STATES));
  const label = h('select');
  const order = h('select', null, options(ORDERS));
  const flagged = tick('Flagged only');
  const count = h('p', { role: 'status' });
  const error = errorPlace();
  const actions = h('div', { class: 'row', role: 'group', 'aria-label': 'With the selected notes' },
    button('Reopen', () => change({ state: 'open' }, 'reopened')),
    button('Later', () => change({ state: 'later' }, 'put off')),
    button('Flag', () => change({ flag: true }, 'flagged')),
    button('Remove flag', () => change({ flag: false }, 'without a flag now')),
    button('Export…', () => {
      app.selection = [...chosen];
      app.go('export');
    }),
    button('Select none', () => choose(chosen, false)));
  const all = tick('', { 'aria-label': 'Select all notes shown', onchange: () => choose(rows.map(({ key }) => key), box.checked) });
  const box = all.firstChild;
  const body = h('tbody', { onkeydown: walk });
  const end = button('Show more', () => end.disabled || read(next));
  const element = h('section', { class: 'screen' },
    h('h1', null, 'Notes'),
    h('form', { class: 'row', role: 'search', oninput: soon, onsubmit: (event) => event.preventDefault() },
      field('Search in notes', words), field('Patient', group), field('State', state), field('Label', label), field('Order', order), flagged),
    h('div', { class: 'row bar' }, all, count, actions, error),
    table(['', 'Note', ...COLUMNS], body, { class: 'documents' }),
    end);
  new IntersectionObserver(([{ isIntersecting }]) => isIntersecting && end.click(), { rootMargin: '200px' }).observe(end);

  /** Read the rows again, at least as many as `wanted`. */
  async function load(wanted = 0) {
    let going = await read(null);
    while (going && next !== null && rows.length < wanted) going = await read(next);
  }

  /** Whether the rows after `after` came. */
  async function read(after) {
    const mine = ++turn;
    end.disabled = true;
    const asked = { order: order.value, after, limit: PAGE, states: state.value.split(' ').filter(Boolean) };
    for (const [name, { value }] of Object.entries({ words, group, label })) if (value) asked[name] = value;
    if (flagged.firstChild.checked) asked.flag = true;
    const answer = await tried(error, () => app.api.post('/documents/search', asked));
    if (mine !== turn) return false;
    end.disabled = false;
    if (!answer) return false;
    rows = [...(after === null ? [] : rows), ...answer.documents];
    next = answer.next;
    draw();
    return true;
  }

  function draw() {
    keyed(body, rows, ({ key }) => key, row, update);
    const picked = rows.filter(({ key }) => chosen.has(key)).length;
    fill(count, rows.length ? counted(rows.length, 'note') : 'No such note. Change the filters.', next !== null && ' so far', chosen.size > 0 && `, ${chosen.size} selected`);
    end.hidden = next === null;
    actions.hidden = !chosen.size;
    box.checked = picked > 0 && picked === rows.length;
    box.indeterminate = picked > 0 && !box.checked;
  }

  function row({ key, id }) {
    const href = `#/review/${key}`;
    return h('tr', { onclick: ({ target }) => target.closest('a, label') || app.go(`review/${key}`) },
      h('td', null, tick('', { 'aria-label': `Select ${id}`, onchange: ({ target }) => choose([key], target.checked) })),
      h('th', { scope: 'row' }, h('a', { href }, id)),
      COLUMNS.map((name) => h('td', { dataset: { name } })));
  }

  function update(element, { key, need, ...row }) {
    element.querySelector('input').checked = chosen.has(key);
    const name = STATES.find(([value]) => value === row.state)[1];
    const said = [row.group, [h('span', { class: row.state }, name), row.flag && h('span', { class: 'flag' }, ' ⚑ flagged')],
      need !== null && `~${need.toFixed(1)}`, row.mentions, row.decided_by, when(row.decided_at)];
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
      const asked = { keys: keys.slice(at, at + PAGE), ...what, request: crypto.randomUUID() };
      const answer = await tried(error, () => app.api.post('/documents/states', asked));
      if (!answer) return;
      changed += answer.changed;
    }
    app.say(`${counted(changed, 'note')} ${says}`);
    app.refreshProject();
    await load(rows.length);
  }

  function show() {
    const { value } = label;
    fill(label, options([['', 'Any'], ...app.project.labels.map(({ name }) => name)]));
    label.value = value;
    return load(rows.length);
  }

  return { element, show, hide: () => clearTimeout(timer) };
}

/** Up and down go to the same control of the next row. */
function walk(event) {
  const step = { ArrowDown: 'nextElementSibling', ArrowUp: 'previousElementSibling' }[event.key];
  const row = step && event.target.closest('tr')[step];
  if (!row) return;
  event.preventDefault();
  row.querySelector(event.target.localName).focus();
}
