// The label bar, always in sight with its keys, and the field that finds a label by typing.

import { fill, h } from './dom.js';
import { button, choice, dialog, roving } from './widgets.js';

/** The action that a label's key stands for: '3' → 'label-3', 'Shift+1' → 'label-11'. */
export function labelOf(action, labels) {
  const number = Number(/^label-(\d+)$/.exec(action)?.[1]);
  if (!number) return null;
  const key = number > 10 ? `Shift+${number % 10}` : `${number % 10}`;
  return labels.find((label) => label.key === key)?.name;
}

export function chip({ name, hue, key }, onclick, props = {}) {
  const kbd = key && h('kbd', { 'aria-hidden': 'true' }, key.replace('Shift+', '⇧'));
  const named = { title: key ? `${name}, key ${key}` : name, 'aria-label': name };
  return h('button', { type: 'button', class: `tag m h${hue} s2`, ...named, onclick: () => onclick(name), ...props }, name, kbd);
}

export class LabelBar {
  constructor(onLabel, perform) {
    this.element = h('div', { id: 'labels', role: 'toolbar', 'aria-label': 'Labels' });
    this.onLabel = onLabel;
    this.more = button('find-label', perform, 'More …', { tabindex: -1 });
    roving(this.element, 'button');
  }

  /** `brush` is pressed, `on` is the label of the mention in focus. Labels without a key need not stay. */
  update(labels, brush, on) {
    const shown = labels.filter(({ name, key }) => key || name === brush || name === on);
    const names = shown.map(({ name, hue, key }) => `${name} ${hue} ${key}`).join();
    if (names !== this.names) {
      this.names = names;
      this.chips = shown.map((label, index) => chip(label, this.onLabel, { tabindex: index ? -1 : 0 }));
      fill(this.element, this.chips, shown.length < labels.length && this.more);
    }
    this.chips.forEach((element, index) => {
      const { name } = shown[index];
      element.setAttribute('aria-pressed', name === brush);
      element.classList.toggle('on', name === on);
    });
  }
}

/** Ask for a label; typing finds it, or makes a new one. Null if none was chosen. */
export function findLabel(labels, title = 'Find a label') {
  return dialog(title, (close) => {
    const list = h('div', { class: 'found' });
    const field = h('input', { 'aria-label': 'Label', placeholder: 'Type a label', autocomplete: 'off', spellcheck: 'false', maxlength: 100, autofocus: true });
    const found = () => {
      const words = field.value.trim().toUpperCase();
      const starts = ({ name }) => !name.toUpperCase().startsWith(words);
      const all = labels.filter(({ name }) => name.toUpperCase().includes(words)).sort((a, b) => starts(a) - starts(b));
      const fresh = words && !all.some(({ name }) => name.toUpperCase() === words);
      return [all, fresh && field.value.trim()];
    };
    const show = () => {
      const [all, fresh] = found();
      fill(list, all.map((label) => chip(label, close)), fresh && choice(`New label “${fresh}”`, () => close(fresh)));
    };
    field.addEventListener('input', show);
    field.addEventListener('keydown', (event) => event.key === 'Enter' && (event.preventDefault(), list.querySelector('button')?.click()));
    roving(list, 'button');
    show();
    return [field, list];
  });
}
