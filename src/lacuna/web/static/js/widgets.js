// Buttons that show their key, and dialogs.

import { h } from './dom.js';
import { KEYS, keyName } from './keys.js';

const TABLE = new Map(KEYS.map((entry) => [entry.action, entry]));

/** A button that does what a key does; the shortest key stands in it. */
export function button(action, perform, text, props = {}) {
  const { says, keys } = TABLE.get(action);
  const [shortest] = keys.map(keyName).sort((a, b) => a.length - b.length);
  const key = h('kbd', { 'aria-hidden': 'true' }, shortest);
  return h('button', { type: 'button', title: says, dataset: { action }, onclick: () => perform(action), ...props }, h('span', null, text), key);
}

/** A dialog with a heading; `close(value)` and Esc end it. The promise has the value, null after Esc. */
export function dialog(title, make) {
  return new Promise((done) => {
    let value = null;
    const close = (found = null) => ((value = found), element.close());
    const element = h('dialog', { 'aria-label': title }, h('h2', null, title));
    element.append(...[make(close, element)].flat());
    element.addEventListener('close', () => (element.remove(), done(value)));
    document.body.append(element);
    element.showModal();
  });
}

/** A button of a dialog. */
export const choice = (text, onclick, props = {}) => h('button', { type: 'button', onclick, ...props }, text);

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

export const percent = (probability) => Math.min(99, Math.round(probability * 100));

export const counted = (count, thing) => `${count} ${thing}${count === 1 ? '' : 's'}`;

/** A column at the side, which narrow windows fold. */
export function side(name, title, heading, inside) {
  const unfold = () => fold.setAttribute('aria-expanded', element.classList.toggle('open'));
  const fold = h('button', { type: 'button', class: 'fold', 'aria-expanded': 'false', onclick: unfold }, heading);
  const element = h('aside', { class: `side ${name}`, 'aria-label': title }, h('h2', null, fold), inside);
  return element;
}
