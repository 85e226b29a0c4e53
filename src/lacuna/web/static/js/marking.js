// Making mentions: a selection or the mention in focus gets a label; a label can be a brush.

import { api } from './api.js';
import { adding } from './decisions.js';
import { showHint } from './flow.js';
import { findLabel } from './labels.js';
import { app } from './main.js';
import * as popover from './popover.js';
import { change, draw, edit, focus, focused, note, pane, tell } from './review.js';

export let selected = null; // what the pane says is selected
export let brush = null; // a label that every selection with the mouse gets
let arming = false; // `b` was pressed, a label follows

export function forget() {
  selected = null;
}

export function arm() {
  arming = true;
  tell('Brush: press the key of a label');
}

/** End the brush; false if there was none. */
export function end() {
  const had = Boolean(brush || arming);
  brush = null;
  arming = false;
  if (had) tell('Brush ended');
  draw();
  return had;
}

/** Give the selection or the mention in focus a label; with neither, a label that is clicked is a brush. */
export function label(name, by = 'button') {
  const { mention } = pane;
  if (arming || (!selected && !mention && by === 'button')) {
    if (brush === name && !arming) return end();
    brush = name;
    arming = false;
    draw();
    return tell(`Brush ${name}: every selection with the mouse gets this label. Esc ends`);
  }
  if (!selected) return mention ? change(mention, { label: name }, name) : tell('Select words first');
  const operations = adding(note, name, selected.spans);
  if (!edit(operations, `${name} marked`)) return;
  pane.perform('clear');
  focus(operations[0].uid, { scroll: false });
}

/** Ask for a label by typing; a new one gets a colour and a key when it is saved. */
export async function find() {
  if (!selected && !focused()) return;
  const name = await findLabel(app.project.labels);
  if (!name) return;
  label(name, 'key');
  if (app.labelNamed(name)) return;
  await note.settled();
  await app.refreshProject();
}

export function select(found) {
  selected = found;
  popover.close();
  if (brush && selected?.by === 'mouse' && pane.tokens) label(brush);
  else showHint(selected);
}

/** Tokens of a long note are asked for when somebody begins to select. */
export async function fetchTokens() {
  const mine = note;
  if (mine.tokens || mine.asked) return;
  mine.asked = true;
  mine.tokens = (await api.get(`${mine.path}/tokens`)).body;
  if (note === mine) pane.setTokens(decoded(mine.tokens));
}

/** Starts and ends of tokens, from differences of starts and lengths. */
export function decoded({ starts, lengths }) {
  let at = 0;
  const start = starts.map((by) => (at += by));
  return { start, end: start.map((from, index) => from + lengths[index]) };
}
