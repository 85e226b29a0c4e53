// All keys of the review page in one table. Letters and signs are found by `event.key`, so that a
// key does what is printed on it; digits, comma and full stop by `event.code`, so that they work
// with Shift on every layout. Where both fit, the position wins. "Ctrl" is also ⌘.

const entry = (action, keys, says) => ({ action, keys, says });

const DIGITS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 0];

export const KEYS = [
  entry('next-mention', ['j'], 'Next mention'),
  entry('previous-mention', ['k'], 'Previous mention'),
  entry('next-uncertain', ['n'], 'Next uncertain mention'),
  entry('previous-uncertain', ['p'], 'Previous uncertain mention'),
  entry('accept', ['a'], 'Accept the mention'),
  entry('remove', ['x', 'Delete', 'Backspace'], 'Reject or remove the mention'),
  entry('accept-all', ['Shift+a'], 'Accept all mentions shown'),
  ...DIGITS.map((digit, index) => entry(`label-${index + 1}`, [`Digit${digit}`], `Label ${index + 1}`)),
  ...DIGITS.map((digit, index) => entry(`label-${index + 11}`, [`Shift+Digit${digit}`], `Label ${index + 11}`)),
  entry('find-label', ['l'], 'Find a label by typing'),
  entry('brush', ['b'], 'Brush: choose a label, then select'),
  entry('clear', ['Escape'], 'Clear the selection, end the brush, close'),
  entry('cursor-left', ['ArrowLeft'], 'Previous word'),
  entry('cursor-right', ['ArrowRight'], 'Next word'),
  entry('cursor-up', ['ArrowUp'], 'Line above'),
  entry('cursor-down', ['ArrowDown'], 'Line below'),
  entry('extend-left', ['Shift+ArrowLeft'], 'Extend the selection by a word to the left'),
  entry('extend-right', ['Shift+ArrowRight'], 'Extend the selection by a word to the right'),
  entry('extend-up', ['Shift+ArrowUp'], 'Extend the selection to the line above'),
  entry('extend-down', ['Shift+ArrowDown'], 'Extend the selection to the line below'),
  entry('character-left', ['Ctrl+Shift+ArrowLeft'], 'Move the end of the selection one character left'),
  entry('character-right', ['Ctrl+Shift+ArrowRight'], 'Move the end of the selection one character right'),
  entry('exact', ['Shift+c'], 'Select exact characters, or whole words again'),
  entry('add-part', ['+'], 'Add the selection as a part'),
  entry('remove-part', ['-'], 'Remove the part under the cursor'),
  entry('end-left', ['Comma'], 'End of the mention one word left'),
  entry('end-right', ['Period'], 'End of the mention one word right'),
  entry('start-left', ['Shift+Comma'], 'Start of the mention one word left'),
  entry('start-right', ['Shift+Period'], 'Start of the mention one word right'),
  entry('end-left-character', ['Alt+Comma'], 'End of the mention one character left'),
  entry('end-right-character', ['Alt+Period'], 'End of the mention one character right'),
  entry('start-left-character', ['Alt+Shift+Comma'], 'Start of the mention one character left'),
  entry('start-right-character', ['Alt+Shift+Period'], 'Start of the mention one character right'),
  entry('list-here', ['Space'], 'List the mentions under the cursor'),
  entry('everywhere', ['o'], 'Same words everywhere in this patient’s notes'),
  entry('remove-everywhere', ['Shift+o'], 'Remove the same words everywhere'),
  entry('undo', ['Ctrl+z', 'u'], 'Undo'),
  entry('redo', ['Ctrl+Shift+z', 'Ctrl+y'], 'Redo'),
  entry('done', ['Enter'], 'Done, next note'),
  entry('back', ['Shift+Enter'], 'Back to the note before'),
  entry('later', ['s'], 'Later'),
  entry('flag', ['f'], 'Flag the note'),
  entry('comment', ['c'], 'Comment for colleagues'),
  entry('hide-marks', ['h'], 'Hide all marks while held'),
  entry('before-after', ['e'], 'Before and after'),
  entry('search', ['/'], 'Search'),
  entry('help', ['?'], 'Help'),
];

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
  if (event.isComposing || event.target?.closest?.(FIELDS)) return null;
  if (event.getModifierState?.('AltGraph')) return null;
  const chord = chords(event).find((found) => ACTIONS.has(found));
  if (!chord || (!letters && isCharacter(event))) return null;
  return ACTIONS.get(chord);
}

/** The names an event may have in the table, the one that counts first. */
function chords(event) {
  const held = (event.ctrlKey || event.metaKey ? 'Ctrl+' : '') + (event.altKey ? 'Alt+' : '');
  const shift = event.shiftKey ? 'Shift+' : '';
  const { key, code } = event;
  const digit = /^Numpad\d$/.test(code) && /^\d$/.test(key) ? `Digit${key}` : code;
  const found = POSITIONS.test(digit) ? [held + shift + digit] : [];
  if (key.length > 1) return [...found, held + shift + key];
  if (key.toLowerCase() !== key.toUpperCase()) return [...found, held + shift + key.toLowerCase()];
  return [...found, held + key]; // signs: Shift is how they are typed
}

function isCharacter(event) {
  return event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey;
}

/** A key as it is shown: "Shift+A", "←", "," */
export function keyName(key) {
  const names = { ArrowLeft: '←', ArrowRight: '→', ArrowUp: '↑', ArrowDown: '↓', Comma: ',', Period: '.', Escape: 'Esc' };
  const parts = key === '+' ? ['+'] : key.split('+');
  const last = parts.pop().replace(/^Digit/, '');
  return [...parts, names[last] ?? (last.length === 1 && parts.length ? last.toUpperCase() : last)].join('+');
}
