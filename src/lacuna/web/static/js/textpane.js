// The text of a note with its mentions. State comes in (`show`, `update`, `focus`), events go out;
// the pane knows nothing of the server. Offsets outside are code points, inside UTF-16 units.

import { h } from './dom.js';
import { lanes } from './lanes.js';
import { Offsets } from './offsets.js';
import { Overlay } from './overlay.js';
import { emphasise, paintPiece, record } from './paint.js';
import { Pieces } from './pieces.js';
import { Selection } from './selection.js';
import { Tokens } from './tokens.js';

const MARKS = ['selection', 'cursor', 'search', 'change']; // transient ones: CSS highlights

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
    this.element = element;
    this.events = events;
    element.classList.add('pane');
    element.tabIndex = 0;
    element.setAttribute('role', 'document');
    this.body = h('div', { class: 'body' });
    this.text = h('div', { class: 'text', translate: 'no' });
    this.body.append(this.text);
    element.replaceChildren(this.body);
    this.pieces = new Pieces(this.text);
    this.records = new Map(); // uid → what is painted
    this.byPiece = [];
    this.focused = null;
    this.marks = new Map(); // name → spans in units
    this.overlay = new Overlay(this);
    this.selection = new Selection(this);
    this.text.addEventListener('click', (event) => this.#click(event));
    this.text.addEventListener('pointerover', (event) => this.overlay.hover(this.stackAt(event.target)[0] ?? null));
    this.text.addEventListener('pointerleave', () => this.overlay.hover(null));
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
    this.labels = new Map(labels.map((label) => [label.name, label]));
    this.offsets = new Offsets(text);
    this.tokens = null;
    this.focused = null;
    this.marks.clear();
    this.selection.reset();
    if (tokens) this.setTokens(tokens);
    this.records = new Map();
    this.byPiece = Array.from({ length: this.offsets.pieceCount() }, () => []);
    for (const mention of mentions) this.#put(mention);
    this.#lanes();
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
    const dirty = new Set();
    const before = this.records;
    this.records = new Map();
    for (const mention of mentions) {
      const old = before.get(mention.uid);
      before.delete(mention.uid);
      if (old && same(old.mention, mention)) {
        old.mention = mention;
        this.records.set(mention.uid, old);
        continue;
      }
      if (old) this.#take(old, dirty);
      this.#put(mention, dirty);
    }
    for (const old of before.values()) this.#take(old, dirty);
    this.#lanes(dirty);
    if (!this.records.has(this.focused)) this.focused = null;
    if (dirty.size) this.selection.keeping(() => dirty.forEach((index) => this.#paint(index, this.pieces.elements[index])));
    if (dirty.size) this.refreshMarks();
    this.overlay.draw();
  }

  /** Focus a mention (null: none) and scroll it into view. */
  focus(uid, { scroll = true } = {}) {
    const old = this.records.get(this.focused);
    const found = this.records.get(uid);
    this.focused = found ? uid : null;
    for (const one of [old, found]) if (one) this.#emphasise(one);
    if (found && scroll) this.pieces.reveal(found.spans[0], this.element);
    this.overlay.draw();
  }

  /** The focused mention as it was given, or null. */
  get mention() {
    return this.records.get(this.focused)?.mention ?? null;
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
    return this.offsets.toUnits(spans).map(([start, end]) => this.offsets.text.slice(start, end)).join(' ');
  }

  /** Mentions an element belongs to, innermost first. */
  stackAt(element) {
    const found = new Set();
    for (let at = element?.closest?.('[data-m]'); at && this.text.contains(at); at = at.parentElement.closest('[data-m]')) {
      found.add(at.dataset.m);
    }
    return [...found];
  }

  markUnits(name, spans) {
    this.marks.set(name, spans);
    const ranges = spans.filter(([start, end]) => start < end).map((span) => this.pieces.range(span));
    CSS.highlights.set(`lacuna-${name}`, new Highlight(...ranges));
  }

  /** Painting a piece again removes the nodes that ranges stand on. */
  refreshMarks() {
    for (const name of MARKS) this.markUnits(name, this.marks.get(name) ?? []);
  }

  // ── mentions ─────────────────────────────────────────────────────────────────────────────

  #put(mention, dirty = null) {
    if (mention.status === 'rejected') return;
    const label = this.labels.get(mention.label);
    const shown = { short: label?.short ?? mention.label, hue: label?.hue ?? 0 };
    const found = record(mention, this.offsets.toUnits(mention.spans), shown);
    this.records.set(mention.uid, found);
    for (const index of this.#piecesOf(found)) {
      this.byPiece[index].push(found);
      dirty?.add(index);
    }
  }

  #take(found, dirty) {
    for (const index of this.#piecesOf(found)) {
      this.byPiece[index] = this.byPiece[index].filter((other) => other !== found);
      dirty.add(index);
    }
  }

  #piecesOf({ spans }) {
    const found = new Set();
    for (const [start, end] of spans) {
      const last = this.offsets.pieceAt(end - 1);
      for (let index = this.offsets.pieceAt(start); index <= last; index++) found.add(index);
    }
    return found;
  }

  #lanes(dirty = null) {
    const records = [...this.records.values()].filter(({ doubt }) => !doubt);
    lanes(records).forEach((lane, index) => {
      const found = records[index];
      if (found.lane === lane) return;
      found.lane = lane;
      for (const piece of dirty ? this.#piecesOf(found) : []) dirty.add(piece);
    });
  }

  #paint(index, element) {
    const start = this.offsets.pieceStart(index);
    paintPiece(element, this.pieces.textOf(index), start, this.byPiece[index], this.focused);
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
    const uid = all[(all.indexOf(this.focused) + 1) % all.length];
    this.emit('onFocus', { uid, all });
  }
}

/** Whether two mentions look the same. */
function same(one, other) {
  return (
    one === other ||
    (one.label === other.label &&
      one.status === other.status &&
      one.probability === other.probability &&
      one.spans.length === other.spans.length &&
      one.spans.every(([start, end], index) => start === other.spans[index][0] && end === other.spans[index][1]))
  );
}
