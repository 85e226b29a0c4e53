// All keys of the review page in one table. Letters and signs are found by `event.key`, so that a
// key does what is printed on it; digits, comma and full stop by `event.code`, so that they work
// with Shift on every layout. Where both fit, the position wins. "Ctrl" is also ⌘.

const DIGITS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 0];

const TABLE = [
  ['next-mention', 'j', 'Next mention'],
  ['previous-mention', 'k', 'Previous mention'],
  ['next-uncertain', 'n', 'Next uncertain mention'],
  ['previous-uncertain', 'p', 'Previous uncertain mention'],
  ['accept', 'a', 'Accept the mention'],
  ['remove', 'x Delete Backspace', 'Reject or remove the mention'],
  ['accept-all', 'Shift+a', 'Accept all mentions shown'],
  ...DIGITS.map((digit, index) => [`label-${index + 1}`, `Digit${digit}`, `Label ${index + 1}`]),
  ...DIGITS.map((digit, index) => [`label-${index + 11}`, `Shift+Digit${digit}`, `Label ${index + 11}`]),
  ['find-label', 'l', 'Find a label by typing'],
  ['brush', 'b', 'Brush: choose a label, then select'],
  ['clear', 'Escape', 'Clear the selection, end the brush, close'],
  ['cursor-left', 'ArrowLeft', 'Previous word'],
  ['cursor-right', 'ArrowRight', 'Next word'],
  ['cursor-up', 'ArrowUp', 'Line above'],
  ['cursor-down', 'ArrowDown', 'Line below'],
  ['extend-left', 'Shift+ArrowLeft', 'Extend the selection by a word to the left'],
  ['extend-right', 'Shift+ArrowRight', 'Extend the selection by a word to the right'],
  ['extend-up', 'Shift+ArrowUp', 'Extend the selection to the line above'],
  ['extend-down', 'Shift+ArrowDown', 'Extend the selection to the line below'],
  ['character-left', 'Ctrl+Shift+ArrowLeft', 'Move the end of the selection one character left'],
  ['character-right', 'Ctrl+Shift+ArrowRight', 'Move the end of the selection one character right'],
  ['exact', 'Shift+c', 'Select exact characters, or whole words again'],
  ['add-part', '+', 'Add the selection as a part'],
  ['remove-part', '-', 'Remove the part under the cursor'],
  ['end-left', 'Comma', 'End of the mention one word left'],
  ['end-right', 'Period', 'End of the mention one word right'],
  ['start-left', 'Shift+Comma', 'Start of the mention one word left'],
  ['start-right', 'Shift+Period', 'Start of the mention one word right'],
  ['end-left-character', 'Alt+Comma', 'End of the mention one character left'],
  ['end-right-character', 'Alt+Period', 'End of the mention one character right'],
  ['start-left-character', 'Alt+Shift+Comma', 'Start of the mention one character left'],
  ['start-right-character', 'Alt+Shift+Period', 'Start of the mention one character right'],
  ['list-here', 'Space', 'List the mentions under the cursor'],
  ['everywhere', 'o', 'Same words everywhere in this patient’s notes'],
  ['remove-everywhere', 'Shift+o', 'Remove the same words everywhere'],
  ['undo', 'Ctrl+z u', 'Undo'],
  ['redo', 'Ctrl+Shift+z Ctrl+y', 'Redo'],
  ['done', 'Enter', 'Done, next note'],
  ['back', 'Shift+Enter', 'Back to the note before'],
  ['later', 's', 'Later'],
  ['flag', 'f', 'Flag the note'],
  ['comment', 'c', 'Comment for colleagues'],
  ['hide-marks', 'h', 'Hide all marks while held'],
  ['before-after', 'e', 'Before and after'],
  ['teach', 't', 'Teach the model'],
  ['search', '/', 'Search'],
  ['help', '?', 'Help'],
];

export const KEYS = TABLE.map(([action, keys, says]) => ({ action, keys: keys.split(' '), says }));

const ACTIONS = new Map(KEYS.flatMap(({ action, keys }) => keys.map((key) => [key, action])));
const POSITIONS = /^(Digit\d|Comma|Period|Space)$/;
const FIELDS = 'input, textarea, select, [contenteditable], dialog, [popover]';

/**
 * The action a key event stands for; null if none.
 *
 * None in fields, dialogs and popovers: Enter there never means that a note is done. With
 * `letters` false, keys that are a single character without Ctrl or Alt do nothing (WCAG 2.1.4).
 */
export function actionOf(event, { letters = true } = {}) {
  if (event.isComposing || event.target?.closest?.(FIELDS) || event.getModifierState('AltGraph')) return null;
  const { key, ctrlKey, metaKey, altKey } = event;
  if (!letters && key.length === 1 && !ctrlKey && !metaKey && !altKey) return null;
  return ACTIONS.get(chords(event).find((chord) => ACTIONS.has(chord))) ?? null;
}

/** The names an event may have in the table, the one that counts first. */
function chords({ key, code, ctrlKey, metaKey, altKey, shiftKey }) {
  const held = (ctrlKey || metaKey ? 'Ctrl+' : '') + (altKey ? 'Alt+' : '');
  const shift = shiftKey ? 'Shift+' : '';
  const position = /^Numpad\d$/.test(code) && /^\d$/.test(key) ? `Digit${key}` : code;
  const sign = key.length === 1 && key.toLowerCase() === key.toUpperCase(); // Shift is how they are typed
  const named = sign ? held + key : held + shift + (key.length > 1 ? key : key.toLowerCase());
  return POSITIONS.test(position) ? [held + shift + position, named] : [named];
}

/** A key as it is shown: "Shift+A", "←", "," */
export function keyName(key) {
  const names = { ArrowLeft: '←', ArrowRight: '→', ArrowUp: '↑', ArrowDown: '↓', Comma: ',', Period: '.', Escape: 'Esc' };
  const parts = key === '+' ? ['+'] : key.split('+');
  const last = parts.pop().replace(/^Digit/, '');
  return [...parts, names[last] ?? (last.length === 1 && parts.length ? last.toUpperCase() : last)].join('+');
}
