// What forms, tables and dialogs are made of, and helpers that all screens share.

import { ApiError } from './api.js';
import { fill, h } from './dom.js';
import { KEYS, keyName } from './keys.js';

export const p = (...children) => h('p', null, ...children);

export const press = (text, onclick, props) => h('button', { type: 'button', onclick, ...props }, text);

/** A button of the review that does what a key does; the shortest key stands in it. */
export function button(action, text, props) {
  const { says, keys } = KEYS.find((entry) => entry.action === action);
  const [shortest] = keys.map(keyName).sort((a, b) => a.length - b.length);
  return press([h('span', null, text), h('kbd', { 'aria-hidden': 'true' }, shortest)], null, { title: says, dataset: { action }, ...props });
}

export const field = (name, control) => h('label', { class: 'field' }, name, control);

/** A checkbox or radio button, its words after it. */
export const tick = (words, props) => h('label', { class: 'tick' }, h('input', { type: 'checkbox', ...props }), words);

export const radio = (words, name, value) => tick(words, { type: 'radio', name, value });

export const group = (name, ...fields) => h('fieldset', null, h('legend', null, name), ...fields);

/** A field for text, which the browser neither remembers nor sends away to check its spelling. */
export const line = (props) => h('input', { autocomplete: 'off', spellcheck: 'false', ...props });

/** A list to choose from: values, or `[value, words]`. */
export const select = (all, props) => offer(h('select', props), all);

/** Offer other values; what was chosen stays chosen, if it can. */
export function offer(element, all, chosen = element.value) {
  fill(element, all.map((one) => h('option', { value: [one].flat()[0] }, [one].flat().at(-1))));
  if ([...element.options].some(({ value }) => value === String(chosen))) element.value = chosen;
  return element;
}

export const table = (columns, body, props) =>
  h('table', props, h('thead', null, h('tr', null, columns.map((name) => h('th', { scope: 'col' }, name)))), body);

export const row = (...cells) => h('tr', null, cells.map((cell) => h('td', null, cell)));

/** A row with a heading; its cells keep their names where a table has no head. */
export const headed = (name, named) => h('tr', null, h('th', { scope: 'row' }, name), Object.entries(named).map(([of, value]) => h('td', { dataset: { name: of } }, value)));

export const rows = (...all) => h('tbody', null, all);

/** How many sealed patients promises need, and how many count so far. */
export const promiseMeter = (promise) => [table(['Promise, with 95 % confidence', 'Sealed patients needed', 'Ready'], rows(promise.map(({ level, needed, have }) =>
  headed(`at most ${100 * level} % missed`, { needed, ready: [`${have} `, h('meter', { 'aria-label': 'ready', max: needed, value: have })] })))), p('If nothing is missed in them; more with every miss.')];

export const when = (at) => at && new Date(at).toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' });

export const percent = (probability) => Math.min(99, Math.round(probability * 100));

export const counted = (count, thing) => `${count} ${thing}${count === 1 ? '' : 's'}`;

/** Do something when nobody asked for it again for some time. */
export function rested(ms, work) {
  let timer;
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(work, ms, ...given);
  };
}

export const errorPlace = () => h('p', { class: 'error', role: 'alert' });

/** The body of an answer; if there is none, null, and `place` says why. */
export async function tried(place, work) {
  fill(place);
  try {
    return (await work()).body;
  } catch (error) {
    if (!(error instanceof ApiError) || error.status === 401) throw error;
    fill(place, error.message);
    return null;
  }
}

/** A dialog with a heading; `close(value)` and Esc end it. The promise has the value, null after Esc. */
export function dialog(title, make) {
  return new Promise((done) => {
    let value = null;
    const close = (found = null) => ((value = found), element.close());
    const element = h('dialog', { 'aria-label': title, onclose: () => (element.remove(), done(value)) }, h('h2', null, title), make(close));
    document.body.append(element);
    element.showModal();
  });
}

/** Keys that go through the children of an element: arrows, Home, End. */
export function roving(element, selector) {
  element.addEventListener('keydown', (event) => {
    const all = [...element.querySelectorAll(selector)];
    const at = all.indexOf(document.activeElement);
    const steps = { ArrowDown: at + 1, ArrowRight: at + 1, ArrowUp: at - 1, ArrowLeft: at - 1, Home: 0, End: -1 };
    if (!(event.key in steps) || event.ctrlKey || event.altKey || event.shiftKey) return;
    event.preventDefault();
    event.stopPropagation();
    all.at(steps[event.key] % all.length)?.focus();
  });
}
