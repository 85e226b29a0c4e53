// The label bar, always in sight with its keys, and the field that finds a label by typing.

import { fill, h } from './dom.js';
import { app } from './main.js';
import * as marking from './marking.js';
import { button, dialog, line, press, roving } from './widgets.js';

/** The label that an action stands for: 'label-3' has the key '3', 'label-11' 'Shift+1'. */
export function labelOf(action) {
  const number = Number(/^label-(\d+)$/.exec(action)?.[1]);
  const key = number > 10 ? `Shift+${number % 10}` : `${number % 10}`;
  return app.project.labels.find((label) => label.key === key)?.name;
}

export function chip({ name, hue, key }, onclick, props) {
  const kbd = key && h('kbd', { 'aria-hidden': 'true' }, key.replace('Shift+', '⇧'));
  const named = { title: key ? `${name}, key ${key}` : name, 'aria-label': name };
  return press([name, kbd], () => onclick(name), { class: `tag m h${hue} s2`, ...named, ...props });
}

export const bar = h('div', { id: 'labels', role: 'toolbar', 'aria-label': 'Labels' });
const more = button('find-label', 'More …', { tabindex: -1 });
let names, chips;
roving(bar, 'button');

/** `brush` is pressed, `on` is the label of the mention in focus. Labels without a key need not stay. */
export function update(brush, on) {
  const { labels } = app.project;
  const shown = labels.filter(({ name, key }) => key || name === brush || name === on);
  const now = JSON.stringify(shown);
  if (now !== names) {
    names = now;
    chips = shown.map((label, index) => chip(label, marking.label, { tabindex: index ? -1 : 0 }));
    fill(bar, chips, shown.length < labels.length && more);
  }
  chips.forEach((element, index) => {
    const { name } = shown[index];
    element.setAttribute('aria-pressed', name === brush);
    element.classList.toggle('on', name === on);
  });
}

/** Ask for a label; typing finds it, or makes a new one. Null if none was chosen. */
export function findLabel(labels) {
  return dialog('Find a label', (close) => {
    const list = h('div', { class: 'found' });
    const show = () => {
      const typed = field.value.trim();
      const words = typed.toUpperCase();
      const at = ({ name }) => name.toUpperCase().indexOf(words);
      const all = labels.filter((label) => at(label) >= 0).sort((a, b) => (at(a) > 0) - (at(b) > 0));
      const fresh = words && !all.some(({ name }) => name.toUpperCase() === words);
      fill(list, all.map((label) => chip(label, close)), fresh && press(`New label “${typed}”`, () => close(typed)));
    };
    const enter = (event) => event.key === 'Enter' && (event.preventDefault(), list.querySelector('button')?.click());
    const field = line({ 'aria-label': 'Label', placeholder: 'Type a label', maxlength: 100, autofocus: true, oninput: show, onkeydown: enter });
    roving(list, 'button');
    show();
    return [field, list];
  });
}
