// Selecting by mouse and by keyboard. The browser's own selection is the input (drag, double click,
// touch); what counts is snapped to tokens and painted as a highlight. Offsets are UTF-16 units.
//
// A selection lies between an anchor and a head, two spans (words, or empty ones after a selection
// of exact characters); plain moves set both, extending moves the head. `parts` are those set aside
// for a mention with gaps.

import { home, lineMove, wordMove } from './cursor.js';
import { joined } from './offsets.js';
import { changedBorder, withPart, withoutPart } from './parts.js';

const MOVES = {
  'cursor-left': ['word', -1, false],
  'cursor-right': ['word', 1, false],
  'cursor-up': ['line', -1, false],
  'cursor-down': ['line', 1, false],
  'extend-left': ['word', -1, true],
  'extend-right': ['word', 1, true],
  'extend-up': ['line', -1, true],
  'extend-down': ['line', 1, true],
};
const CHARACTERS = { 'character-left': -1, 'character-right': 1 };
const BORDER = /^(start|end)-(left|right)(-character)?$/;

export class Selection {
  constructor(pane) {
    this.pane = pane;
    this.exact = false; // Shift+C: exact characters
    this.drag = null; // { adding, shift } while the button is down
    this.reset();
    pane.text.addEventListener('pointerdown', (event) => this.#down(event));
    document.addEventListener('selectionchange', () => this.drag && this.#preview());
    document.addEventListener('pointerup', (event) => this.drag && this.#up(event));
    document.addEventListener('pointercancel', () => (this.drag = null));
    pane.text.addEventListener('click', (event) => event.detail === 3 && this.#line(event));
    for (const type of ['keydown', 'keyup']) {
      document.addEventListener(type, (event) => {
        if (this.drag && event.key === 'Alt') this.#preview(event.altKey);
      });
    }
    pane.element.addEventListener('copy', (event) => this.#copy(event));
  }

  reset() {
    this.anchor = null;
    this.head = null; // where the cursor is, also with nothing selected
    this.parts = [];
  }

  /** What is selected now, or null. */
  get current() {
    if (!this.anchor) return null;
    const span = hull(this.anchor, this.head);
    return span[0] < span[1] ? span : null;
  }

  /** All parts of the selection, in order and apart. */
  get spans() {
    return joined([...this.parts, ...(this.current ? [this.current] : [])].map((span) => [...span]));
  }

  clear() {
    const had = this.spans.length > 0;
    this.anchor = null;
    this.parts = [];
    this.#show();
    if (had) this.pane.emit('onSelect', null);
    return had;
  }

  /** Repaint without losing a selection that is being dragged. */
  keeping(repaint) {
    const native = getSelection();
    const ends = this.drag && [this.#unit(native, 'anchor'), this.#unit(native, 'focus')];
    repaint();
    if (!ends || ends.includes(null)) return;
    const [from, to] = ends.map((unit) => this.pane.pieces.place(unit));
    native.setBaseAndExtent(...from, ...to);
  }

  /** Tokens came after the selection was made. */
  snapAgain() {
    if (this.drag || !this.current || this.exact) return;
    this.#set(this.current, false);
    this.#changed('mouse');
  }

  perform(action) {
    const { pane } = this;
    if (action in MOVES || action in CHARACTERS) {
      this.#needTokens();
      if (action in MOVES) this.#move(...MOVES[action]);
      else this.#character(CHARACTERS[action]);
      if (this.head) pane.pieces.reveal(this.head, pane.element);
      this.#changed('keyboard');
      return true;
    }
    if (action === 'exact') {
      this.exact = !this.exact;
      return true;
    }
    if (action === 'add-part') return this.#addPart();
    if (action === 'remove-part') return this.#removePart();
    if (action === 'clear') return this.clear();
    return BORDER.test(action) && this.#border(...BORDER.exec(action).slice(1));
  }

  /** Grow a span to whole tokens, or to whole characters if `exact`; null if nothing is left. */
  snapped(span, exact) {
    if (span[0] >= span[1]) return null;
    const { tokens, offsets } = this.pane;
    return exact || !tokens ? offsets.outward(span) : tokens.snapped(span);
  }

  // ── mouse ────────────────────────────────────────────────────────────────────────────────

  #down(event) {
    if (event.button !== 0) return;
    const adding = event.ctrlKey || event.metaKey;
    this.#needTokens();
    this.drag = { adding, shift: event.shiftKey && !adding, anchor: this.anchor, alt: event.altKey };
    if (adding && this.current) this.parts = this.spans;
    else if (!adding && !this.drag.shift) this.parts = [];
    if (!this.drag.shift) this.anchor = null;
  }

  #unit(native, which) {
    return this.pane.pieces.unitOf(native[`${which}Node`], native[`${which}Offset`]);
  }

  /** Show what would be selected if the button were released now. */
  #preview(alt = this.drag.alt) {
    this.drag.alt = alt;
    const native = getSelection();
    const [from, to] = [this.#unit(native, 'anchor'), this.#unit(native, 'focus')];
    if (from === null || to === null) return;
    const exact = this.exact || alt;
    if (this.drag.shift && this.drag.anchor) {
      this.anchor = this.drag.anchor;
      this.head = this.snapped([to, to + 1], exact) ?? [to, to];
    } else if (from !== to) {
      this.#set(from < to ? [from, to] : [to, from], exact, to < from);
    } else {
      this.anchor = null;
      this.head = [to, to];
    }
    this.#show();
  }

  #up(event) {
    this.#preview(event.altKey);
    const { adding } = this.drag;
    this.drag = null;
    if (event.detail !== 1 || this.current) getSelection().removeAllRanges();
    const { mention } = this.pane;
    if (adding && this.current && mention && !this.parts.length) this.#addPart();
    else this.#changed('mouse');
  }

  #line(event) {
    const unit = this.pane.pieces.unitFrom(event.clientX, event.clientY);
    if (unit === null) return;
    this.#set(this.pane.offsets.lineAt(unit), this.exact || event.altKey);
    getSelection().removeAllRanges();
    this.#changed('mouse');
  }

  #copy(event) {
    const spans = this.spans;
    if (!spans.length) return;
    const { offsets } = this.pane;
    event.clipboardData.setData('text/plain', spans.map(([s, e]) => offsets.text.slice(s, e)).join(' '));
    event.preventDefault();
  }

  // ── keyboard ─────────────────────────────────────────────────────────────────────────────

  #move(unit, step, extend) {
    const from = this.head ?? home(this.pane);
    const to = (unit === 'line' ? lineMove : wordMove)(this.pane, from, step, this.exact);
    if (!to) return;
    if (!extend || !this.anchor) this.anchor = extend && from[0] < from[1] ? from : to;
    this.head = to;
  }

  /** Move the end of the selection that moves by one character. */
  #character(step) {
    const { offsets } = this.pane;
    const [start, end] = this.anchor ? hull(this.anchor, this.head) : (this.head ?? home(this.pane));
    const backward = this.anchor && this.head[0] < this.anchor[0];
    const fixed = backward ? end : start;
    const moving = offsets.character(backward ? start : end, step);
    this.anchor = [fixed, fixed];
    this.head = [moving, moving];
  }

  // ── parts and borders ────────────────────────────────────────────────────────────────────

  /** Add the selection to the focused mention, or set it aside as a part of a new one. */
  #addPart() {
    const { pane, current } = this;
    if (!current) return true;
    if (pane.mention && !this.parts.length) {
      const spans = withPart(pane.records.get(pane.focused).spans, current);
      this.anchor = null;
      this.#show();
      pane.emit('onSelect', null);
      this.#change(spans);
    } else {
      this.parts = this.spans;
      this.anchor = null;
      this.#changed('keyboard');
    }
    return true;
  }

  /** Remove the part under the cursor: of the selection, or of the focused mention. */
  #removePart() {
    const { pane } = this;
    const unit = this.head?.[0] ?? -1;
    if (this.parts.length) {
      this.parts = withoutPart(this.parts, unit) ?? this.parts.slice(0, -1);
      this.anchor = null;
      this.#changed('keyboard');
    } else if (pane.mention) {
      const spans = withoutPart(pane.records.get(pane.focused).spans, unit);
      if (spans?.length) this.#change(spans);
    }
    return true;
  }

  #border(side, direction, character) {
    const { pane } = this;
    if (!pane.mention) return true;
    const { spans } = pane.records.get(pane.focused);
    const step = direction === 'left' ? -1 : 1;
    const moved = changedBorder(spans, this.head?.[0] ?? -1, side, (unit) =>
      character || !pane.tokens ? pane.offsets.character(unit, step) : pane.tokens.border(unit, side, step),
    );
    if (moved) this.#change(moved);
    return true;
  }

  #change(units) {
    this.pane.emit('onChange', { uid: this.pane.focused, spans: this.pane.offsets.toPoints(units) });
  }

  // ── state ────────────────────────────────────────────────────────────────────────────────

  #needTokens() {
    if (!this.pane.tokens) this.pane.emit('onTokens');
  }

  #set(span, exact, backward = false) {
    const found = this.snapped(span, exact);
    this.anchor = null;
    if (!found) return;
    const { tokens } = this.pane;
    const [start, end] = found;
    const whole = !exact && tokens;
    const ends = [whole ? tokens.after(start) : [start, start], whole ? tokens.before(end) : [end, end]];
    [this.anchor, this.head] = backward ? ends.reverse() : ends;
  }

  #changed(by) {
    this.#show();
    const { offsets } = this.pane;
    const units = this.spans;
    const spans = offsets.toPoints(units);
    const text = units.map(([start, end]) => offsets.text.slice(start, end)).join(' ');
    this.pane.emit('onSelect', spans.length ? { spans, text, exact: this.exact, by } : null);
  }

  #show() {
    this.pane.markUnits('selection', this.spans);
    this.pane.markUnits('cursor', this.current && this.head[0] < this.head[1] ? [this.head] : []);
  }
}

function hull(one, other) {
  return [Math.min(one[0], other[0]), Math.max(one[1], other[1])];
}
