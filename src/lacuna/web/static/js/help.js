// Help: all keys, and the switches that hold for this visit.

import { h } from './dom.js';
import { KEYS, keyName } from './keys.js';
import { app } from './main.js';
import { dialog, p, press, row, tick } from './widgets.js';

export function showHelp() {
  const { settings, project } = app;
  const kbd = (key) => h('kbd', null, key);
  const change = (text, name) => tick(text, { checked: settings[name] !== false, onchange: ({ target }) => (settings[name] = target.checked) });
  const table = (rows) => h('table', null, h('tbody', null, rows));
  const keys = KEYS.filter(({ action }) => !/^label-/.test(action)).map(({ keys, says }) => row(keys.map((key) => [kbd(keyName(key)), ' ']), says));
  const labels = project.labels.filter(({ key }) => key).map(({ key, name }) => row(kbd(key), name));
  return dialog('Help and keys', (close) => [
    p('Dashed: suggested. Solid: decided by a person. Dotted: not marked, but the model is not sure. Select words and press the key of a label to mark them.'),
    p('With the mouse: hold ', kbd('Alt'), ' for exact characters, ', kbd('Ctrl'), ' to add a part after a gap. A label that is clicked with nothing selected is a brush.'),
    change('Single letters, digits and signs are keys', 'letters'),
    change('“Done” accepts what is still suggested', 'accepts'),
    h('div', { class: 'keys', tabindex: 0, role: 'region', 'aria-label': 'Keys' }, table(keys), table(labels)),
    press('Close', () => close(), { class: 'main', autofocus: true }),
  ]);
}
