// The text of a note with its mentions. State comes in (`show`, `update`, `focus`), events go out;
// the pane knows nothing of the server. Offsets outside are code points, inside UTF-16 units.

import { fill, h } from './dom.js';
import { lanes } from './lanes.js';
import { Offsets } from './offsets.js';
import { Overlay } from './overlay.js';
import { emphasise, paintPiece, record } from './paint.js';
import { Pieces } from './pieces.js';
import { Selection } from './selection.js';
import { Tokens } from './tokens.js';

/**
 * Events (all optional):
 *
 * - `onSelect({ spans, text, exact, by })`, or `onSelect(null)` where nothing is selected any more;
 *   `by` is 'mouse' or 'keyboard'
 * - `onFocus({ uid, all })`: a mention was clicked; `all` are those under the pointer, inner first
 * - `onChange({ uid, spans })`: parts were added or removed, or borders moved; spans as wanted
 * - `onTokens()`: something is being selected and `tokens` were not given
 */
export class TextPane {
  constructor(element, events = {}) {
    Object.assign(this, { element, events, records: new Map(), focused: null });
    Object.assign(element, { tabIndex: 0, role: 'document' }).classList.add('pane');
    this.text = h('div', {
      class: 'text',
      translate: 'no',
      onclick: (event) => this.#click(event),
      onpointerover: ({ target }) => this.overlay.hover(this.stackAt(target)[0] ?? null),
      onpointerleave: () => this.overlay.hover(null),
    });
    this.body = h('div', { class: 'body' }, this.text);
    fill(element, this.body);
    this.pieces = new Pieces(this.text);
    this.overlay = new Overlay(this);
    this.selection = new Selection(this);
    new ResizeObserver(() => this.overlay.draw()).observe(this.body);
  }

  emit(name, value) {
    this.events[name]?.(value);
  }

  /**
   * Show a document: `text`, `labels` (`{ name, short, hue }`, hues 0 to 9), `tokens` if known, and
   * `mentions`: `{ uid, label, spans, status, probability }`. Status 'suggested' is dashed, 'doubt' a
   * dotted line, 'rejected' not shown; every other one was decided by a person.
   */
  show({ text, labels = [], mentions = [], tokens = null }) {
    Object.assign(this, { labels, tokens: null, focused: null, records: new Map() });
    this.marks = { selection: [], cursor: [], search: [], change: [] }; // transient ones: spans in units
    this.offsets = new Offsets(text);
    this.selection.reset();
    if (tokens) this.setTokens(tokens);
    this.byPiece = Array.from({ length: this.offsets.pieceCount() }, () => []);
    this.#keep(mentions);
    this.pieces.build(this.offsets, (index, element) => this.#paint(index, element));
    this.element.scrollTop = 0;
    this.refreshMarks();
    this.overlay.draw();
  }

  /** Tokens, `{ start, end }` in code points, where they were not known at first. */
  setTokens({ start, end }) {
    this.tokens = new Tokens(this.offsets, start, end);
    this.selection.snapAgain();
  }

  /** Show other mentions; only the pieces where something changed are painted again. */
  update(mentions) {
    const dirty = this.#keep(mentions);
    if (!this.record) this.focused = null;
    if (dirty.size) {
      this.selection.keeping(() => dirty.forEach((index) => this.#paint(index, this.pieces.elements[index])));
      this.refreshMarks();
    }
    this.overlay.draw();
  }

  /** Focus a mention (null: none) and scroll it into view. */
  focus(uid, { scroll = true } = {}) {
    const old = this.record;
    this.focused = this.records.has(uid) ? uid : null;
    for (const one of [old, this.record]) if (one) this.#emphasise(one);
    if (this.record && scroll) this.pieces.reveal(this.record.spans[0], this.element);
    this.overlay.draw();
  }

  /** What is painted of the focused mention. */
  get record() {
    return this.records.get(this.focused);
  }

  /** The focused mention as it was given, or null. */
  get mention() {
    return this.record?.mention ?? null;
  }

  /** Do what a key stands for; false if it is not a matter of the pane. */
  perform(action) {
    return this.selection.perform(action);
  }

  /** Mark spans for a moment without changing the DOM; `name` is 'search' or 'change'. */
  mark(name, spans) {
    this.markUnits(name, this.offsets.toUnits(spans));
  }

  /** Hide all marks, as long as a key is held. */
  hide(hidden) {
    this.element.classList.toggle('plain', hidden);
  }

  /** The text of spans, parts joined by a blank. */
  textOf(spans) {
    return this.offsets.texts(this.offsets.toUnits(spans)).join(' ');
  }

  /** Mentions an element belongs to, innermost first. */
  stackAt(element) {
    const found = new Set();
    for (let at = element?.closest('[data-m]'); at; at = at.parentElement.closest('[data-m]')) found.add(at.dataset.m);
    return [...found];
  }

  markUnits(name, spans) {
    this.marks[name] = spans;
    const ranges = spans.filter(([start, end]) => start < end).map((span) => this.pieces.range(span));
    CSS.highlights.set(`lacuna-${name}`, new Highlight(...ranges));
  }

  /** Painting a piece again removes the nodes that ranges stand on. */
  refreshMarks() {
    for (const [name, spans] of Object.entries(this.marks)) this.markUnits(name, spans);
  }

  // ── mentions ──

  /** Make records of mentions, keep those that look the same; the pieces where something changed. */
  #keep(mentions) {
    const dirty = new Set();
    const before = this.records;
    this.records = new Map();
    for (const mention of mentions) {
      const old = before.get(mention.uid);
      if (old && same(old.mention, mention)) {
        old.mention = mention;
        this.records.set(mention.uid, old);
        before.delete(mention.uid);
      } else if (mention.status !== 'rejected') this.#put(mention, dirty);
    }
    for (const old of before.values()) {
      for (const index of this.#piecesOf(old, dirty)) this.byPiece[index] = this.byPiece[index].filter((one) => one !== old);
    }
    const records = [...this.records.values()].filter(({ doubt }) => !doubt);
    lanes(records).forEach((lane, index) => {
      if (records[index].lane !== lane) this.#piecesOf(Object.assign(records[index], { lane }), dirty);
    });
    return dirty;
  }

  #put(mention, dirty) {
    const label = this.labels.find(({ name }) => name === mention.label);
    const found = record(mention, this.offsets.toUnits(mention.spans), label);
    this.records.set(mention.uid, found);
    for (const index of this.#piecesOf(found, dirty)) this.byPiece[index].push(found);
  }

  /** Indices of the pieces a mention is in; they are added to `dirty` too. */
  #piecesOf({ spans }, dirty = new Set()) {
    const found = new Set();
    for (const [start, end] of spans) {
      const last = this.offsets.pieceAt(end - 1);
      for (let index = this.offsets.pieceAt(start); index <= last; index++) found.add(index) && dirty.add(index);
    }
    return found;
  }

  #paint(index, element) {
    paintPiece(element, this.pieces.textOf(index), this.offsets.pieceStart(index), this.byPiece[index], this.focused);
  }

  #emphasise(found) {
    for (const index of this.#piecesOf(found)) {
      for (const element of this.pieces.elements[index].querySelectorAll('[data-m]')) {
        if (element.dataset.m === found.uid) emphasise(element, found.uid === this.focused);
      }
    }
  }

  /** The first click focuses the innermost mention, the next one on it the one around it. */
  #click(event) {
    const all = this.stackAt(event.target);
    if (event.detail > 1 || !all.length || this.selection.spans.length) return;
    this.emit('onFocus', { uid: all[(all.indexOf(this.focused) + 1) % all.length], all });
  }
}

/** Whether two mentions look the same. */
function same(one, other) {
  return (
    ['label', 'status', 'probability'].every((name) => one[name] === other[name]) &&
    (one.spans === other.spans || one.spans.join() === other.spans.join())
  );
}
