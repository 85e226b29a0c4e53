// Making mentions: a selection or the mention in focus gets a label; a label can be a brush.

import { adding } from './decisions.js';
import { findLabel } from './labels.js';

export class Marking {
  selected = null; // what the pane says is selected
  brush = null; // a label that every selection with the mouse gets
  #arming = false; // `b` was pressed, a label follows

  constructor(review) {
    this.review = review;
  }

  arm() {
    this.#arming = true;
    this.review.tell('Brush: press the key of a label');
  }

  /** End the brush; false if there was none. */
  end() {
    const had = this.brush || this.#arming;
    this.brush = null;
    this.#arming = false;
    if (had) this.review.tell('Brush ended');
    this.review.draw();
    return Boolean(had);
  }

  /** Give the selection or the mention in focus a label; with neither, a label that is clicked is a brush. */
  label = (name, by = 'button') => {
    const { review } = this;
    const { mention } = review.pane;
    const { spans } = this.selected ?? {};
    if (this.#arming || (!spans && !mention && by === 'button')) {
      if (this.brush === name && !this.#arming) return this.end();
      this.brush = name;
      this.#arming = false;
      review.draw();
      return review.tell(`Brush ${name}: every selection with the mouse gets this label. Esc ends`);
    }
    if (!spans) return mention ? review.change(mention, { label: name }, name) : review.tell('Select words first');
    const operations = adding(review.note, name, spans);
    if (!review.edit(operations, `${name} marked`)) return;
    review.pane.perform('clear');
    review.focus(operations[0].uid, { scroll: false });
  };

  /** Ask for a label by typing; a new one gets a colour and a key when it is saved. */
  async find() {
    const { review } = this;
    const { app } = review;
    if (!this.selected && !review.focused()) return;
    const name = await findLabel(app.project.labels);
    if (!name) return;
    this.label(name);
    if (app.project.labels.some((label) => label.name === name)) return;
    await review.note.settled();
    await app.refreshProject();
  }

  select(selected) {
    const { review } = this;
    this.selected = selected;
    review.popover.close();
    if (this.brush && selected?.by === 'mouse' && review.pane.tokens) this.label(this.brush);
    else review.flow.showHint(selected);
  }

  /** Tokens of a long note are asked for when somebody begins to select. */
  async tokens() {
    const { note, pane, app } = this.review;
    if (note.tokens || note.asked) return;
    note.asked = true;
    note.tokens = (await app.api.get(`${note.path}/tokens`)).body;
    if (this.review.note === note) pane.setTokens(decoded(note.tokens));
  }
}

/** Starts and ends of tokens, from differences of starts and lengths. */
export function decoded({ starts, lengths }) {
  let at = 0;
  const start = starts.map((by) => (at += by));
  return { start, end: start.map((from, index) => from + lengths[index]) };
}
