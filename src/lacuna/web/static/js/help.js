// Help: all keys, and the switches that hold for this visit.

import { h } from './dom.js';
import { KEYS, keyName } from './keys.js';
import { choice, dialog } from './widgets.js';

const LABELS = /^label-(\d+)$/;

export function showHelp(app) {
  const { settings, project } = app;
  return dialog('Help and keys', (close) => {
    const swap = (text, name) => {
      const box = h('input', { type: 'checkbox', checked: settings[name] !== false, onchange: () => (settings[name] = box.checked) });
      return h('label', { class: 'switch' }, box, ` ${text}`);
    };
    const rows = KEYS.filter(({ action }) => !LABELS.test(action)).map(({ keys, says }) => h('tr', null, h('td', null, keys.map((key) => [h('kbd', null, keyName(key)), ' '])), h('td', null, says)));
    const labels = project.labels.filter(({ key }) => key).map(({ key, name }) => h('tr', null, h('td', null, h('kbd', null, key)), h('td', null, name)));
    return [
      h('p', null, 'Dashed: suggested. Solid: decided by a person. Dotted: not marked, but the model is not sure. Select words and press the key of a label to mark them.'),
      h('p', null, 'With the mouse: hold ', h('kbd', null, 'Alt'), ' for exact characters, ', h('kbd', null, 'Ctrl'), ' to add a part after a gap. A label that is clicked with nothing selected is a brush.'),
      swap('Single letters, digits and signs are keys', 'letters'),
      swap('“Done” accepts what is still suggested', 'accepts'),
      h('div', { class: 'keys', tabindex: 0, role: 'region', 'aria-label': 'Keys' }, h('table', null, h('tbody', null, rows)), h('table', null, h('tbody', null, labels))),
      choice('Close', () => close(), { class: 'main', autofocus: true }),
    ];
  });
}
