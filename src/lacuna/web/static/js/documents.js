// All documents as a table: filters, order, pages, and what can be done to several at once.

import { fill, h, keyed } from './dom.js';
import { button, counted, errorPlace, field, line, listed, select, tick, tried, when } from './forms.js';

const PAGE = 100; // rows of a request, and documents of a bulk action
const PAUSE = 250; // ms after the last key before a search
const STATES = [['', 'All'], ['new open later', 'Not done'], ['new', 'New'], ['open', 'Open'], ['later', 'Later'], ['done', 'Done']];
const WORDS = Object.fromEntries(STATES);
const COLUMNS = ['Patient', 'State', 'Expected missed', 'Mentions', 'Reviewer', 'Changed'];

export function documentsScreen(app) {
  const chosen = new Set();
  let rows = [];
  let next = null;
  let turn = 0; // of the latest request; answers to earlier ones are dropped
  let timer;

  const now = { onchange: () => load() };
  const soon = {
    type: 'search',
    oninput: () => {
      clearTimeout(timer);
      timer = setTimeout(load, PAUSE);
    },
  };
  const words = line(soon);
  const group = line(soon);
  const state = select(STATES, now);
  const label = select([], now);
  const order = select([['import', 'As imported'], ['need', 'Most expected missed first']], now);
  const flagged = tick('Flagged only', now);
  const count = h('p', { role: 'status' });
  const error = errorPlace();
  const actions = h('div', { class: 'actions', role: 'group', 'aria-label': 'With the selected notes' },
    button('Reopen', () => change({ state: 'open' }, 'reopened')),
    button('Later', () => change({ state: 'later' }, 'put off')),
    button('Flag', () => change({ flag: true }, 'flagged')),
    button('Remove flag', () => change({ flag: false }, 'without a flag now')),
    button('Export…', () => {
      app.selection = [...chosen];
      app.go('#/export');
    }),
    button('Select none', () => choose([...chosen], false)));
  const all = h('input', { type: 'checkbox', 'aria-label': 'Select all notes shown', onchange: () => choose(rows.map(({ key }) => key), all.checked) });
  const body = h('tbody', { onkeydown: walk });
  const end = button('Show more', () => more());
  const heads = ['Note', ...COLUMNS].map((name) => h('th', { scope: 'col' }, name));
  const element = h('section', { class: 'screen' },
    h('h1', null, 'Documents'),
    h('form', { class: 'filters', role: 'search', onsubmit: (event) => event.preventDefault() },
      field('Search in notes', words), field('Patient', group), field('State', state), field('Label', label), field('Order', order), flagged),
    h('div', { class: 'bar' }, count, actions, error),
    h('table', { class: 'documents' }, h('thead', null, h('tr', null, h('td', null, h('label', { class: 'tick' }, all)), heads)), body),
    end);
  new IntersectionObserver(([{ isIntersecting }]) => isIntersecting && more(), { rootMargin: '200px' }).observe(end);

  /** Read the rows again, at least as many as `wanted`. */
  async function load(wanted = 0) {
    let going = await read(null);
    while (going && next !== null && rows.length < wanted) going = await read(next);
  }

  const more = () => end.disabled || read(next);

  /** Whether the rows after `after` came. */
  async function read(after) {
    const mine = ++turn;
    end.disabled = true;
    const asked = {
      words: words.value || null,
      group: group.value || null,
      states: state.value.split(' ').filter(Boolean),
      label: label.value || null,
      flag: flagged.firstChild.checked || null,
      order: order.value,
      after,
      limit: PAGE,
    };
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
    all.checked = picked > 0 && picked === rows.length;
    all.indeterminate = picked > 0 && !all.checked;
  }

  function row({ key, id }) {
    const href = `#/review/${key}`;
    return h('tr', { onclick: ({ target }) => target.closest('a, label') || app.go(href) },
      h('td', null, tick('', { 'aria-label': `Select ${id}`, onchange: ({ target }) => choose([key], target.checked) })),
      h('th', { scope: 'row' }, h('a', { href }, id)),
      COLUMNS.map((name) => h('td', { dataset: { name } })));
  }

  function update(element, { key, ...row }) {
    element.querySelector('input').checked = chosen.has(key);
    const said = [
      row.group,
      [h('span', { class: row.state }, WORDS[row.state]), row.flag && h('span', { class: 'flag' }, ' ⚑ flagged')],
      row.need === null ? '' : `~${row.need.toFixed(1)}`,
      row.mentions,
      row.decided_by,
      when(row.decided_at),
    ];
    said.forEach((value, index) => fill(element.children[index + 2], value));
  }

  function choose(keys, on) {
    for (const key of keys) chosen[on ? 'add' : 'delete'](key);
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
    fill(label, listed([['', 'Any'], ...app.project.labels.map(({ name }) => [name, name])]));
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
