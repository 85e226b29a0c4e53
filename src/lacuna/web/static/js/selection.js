// Selecting by mouse and by keyboard. The browser's own selection is the input (drag, double click,
// touch); what counts is snapped to tokens and painted as a highlight. Offsets are UTF-16 units.
//
// A selection lies between an anchor and a head, two spans (words, or empty ones after a selection
// of exact characters); plain moves set both, extending moves the head. `parts` are those set aside
// for a mention with gaps.

import { home, lineMove, wordMove } from './cursor.js';
import { joined } from './offsets.js';
import { changedBorder, withoutPart } from './parts.js';

const MOVE = /^(cursor|extend|character|start|end)-(left|right|up|down)(-character)?$/;

export class Selection {
  exact = false; // Shift+C: exact characters
  drag = null; // { adding, shift, anchor, alt } while the button is down

  constructor(pane) {
    this.pane = pane;
    this.reset();
    const on = (target, type, listener) => target.addEventListener(type, listener);
    on(pane.text, 'pointerdown', (event) => event.button === 0 && this.#down(event));
    on(pane.text, 'click', (event) => event.detail === 3 && this.#line(event));
    on(pane.element, 'copy', (event) => this.#copy(event));
    on(document, 'selectionchange', () => this.drag && this.#preview());
    on(document, 'pointerup', (event) => this.drag && this.#up(event));
    on(document, 'pointercancel', () => (this.drag = null));
    for (const type of ['keydown', 'keyup']) on(document, type, ({ key, altKey }) => this.drag && key === 'Alt' && this.#preview(altKey));
  }

  reset() {
    this.anchor = null;
    this.head = null; // where the cursor is, also with nothing selected
    this.parts = [];
  }

  /** What is selected now, or null. */
  get current() {
    const span = this.anchor && hull(this.anchor, this.head);
    return span && span[0] < span[1] ? span : null;
  }

  /** All parts of the selection, in order and apart. */
  get spans() {
    return joined([...this.parts, this.current ?? [0, 0]]);
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
    const ends = this.drag && this.#native();
    repaint();
    if (!ends || ends.includes(null)) return;
    const [from, to] = ends.map((unit) => this.pane.pieces.place(unit));
    getSelection().setBaseAndExtent(...from, ...to);
  }

  /** Tokens came after the selection was made. */
  snapAgain() {
    if (this.drag || !this.current || this.exact) return;
    this.#set(this.current, false);
    this.#changed('mouse');
  }

  /** Do what a key stands for; false if it is none of these, or there is nothing to clear. */
  perform(action) {
    const [, what, direction, character] = MOVE.exec(action) ?? [];
    const step = /left|up/.test(direction) ? -1 : 1;
    if (what === 'start' || what === 'end') this.#border(what, step, character);
    else if (what) this.#move(what, direction, step);
    else if (action === 'exact') this.exact = !this.exact;
    else if (action === 'add-part') this.#addPart();
    else if (action === 'remove-part') this.#removePart();
    else return action === 'clear' && this.clear();
    return true;
  }

  /** Grow a span to whole tokens, or to whole characters if `exact`; null if nothing is left. */
  snapped(span, exact) {
    if (span[0] >= span[1]) return null;
    const { tokens, offsets } = this.pane;
    return exact || !tokens ? offsets.outward(span) : tokens.snapped(span);
  }

  // ── mouse ──

  #down({ ctrlKey, metaKey, shiftKey, altKey }) {
    const adding = ctrlKey || metaKey;
    const shift = shiftKey && !adding;
    this.#needTokens();
    this.drag = { adding, shift, anchor: this.anchor, alt: altKey };
    if (adding && this.current) this.parts = this.spans;
    else if (!adding && !shift) this.parts = [];
    if (!shift) this.anchor = null;
  }

  /** Where the browser's selection begins and ends; null outside the text. */
  #native() {
    const { anchorNode, anchorOffset, focusNode, focusOffset } = getSelection();
    const { pieces } = this.pane;
    return [pieces.unitOf(anchorNode, anchorOffset), pieces.unitOf(focusNode, focusOffset)];
  }

  /** Show what would be selected if the button were released now. */
  #preview(alt = this.drag.alt) {
    this.drag.alt = alt;
    const [from, to] = this.#native();
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
    if (adding && this.current && this.pane.mention && !this.parts.length) this.#addPart();
    else this.#changed('mouse');
  }

  #line({ clientX, clientY, altKey }) {
    const unit = this.pane.pieces.unitFrom(clientX, clientY);
    if (unit === null) return;
    this.#set(this.pane.offsets.lineAt(unit), this.exact || altKey);
    getSelection().removeAllRanges();
    this.#changed('mouse');
  }

  #copy(event) {
    if (!this.spans.length) return;
    event.clipboardData.setData('text/plain', this.pane.offsets.texts(this.spans).join(' '));
    event.preventDefault();
  }

  // ── keyboard ──

  #move(what, direction, step) {
    const { pane } = this;
    this.#needTokens();
    const from = this.head ?? home(pane);
    if (what === 'character') this.#character(from, step);
    else {
      const to = (/up|down/.test(direction) ? lineMove : wordMove)(pane, from, step, this.exact);
      if (to && (what === 'cursor' || !this.anchor)) this.anchor = what === 'extend' && from[0] < from[1] ? from : to;
      this.head = to ?? this.head;
    }
    if (this.head) pane.pieces.reveal(this.head, pane.element);
    this.#changed('keyboard');
  }

  /** Move the end of the selection that moves by one character. */
  #character(from, step) {
    const [start, end] = this.anchor ? hull(this.anchor, this.head) : from;
    const backward = this.anchor && this.head[0] < this.anchor[0];
    const fixed = backward ? end : start;
    const moving = this.pane.offsets.character(backward ? start : end, step);
    this.anchor = [fixed, fixed];
    this.head = [moving, moving];
  }

  // ── parts and borders ──

  /** Add the selection to the focused mention, or set it aside as a part of a new one. */
  #addPart() {
    const { pane, current } = this;
    if (!current) return;
    const { record } = pane;
    const whole = record && !this.parts.length;
    if (!whole) this.parts = this.spans;
    this.anchor = null;
    this.#changed('keyboard');
    if (whole) this.#change(joined([...record.spans, current]));
  }

  /** Remove the part under the cursor: of the selection, or of the focused mention. */
  #removePart() {
    const unit = this.head?.[0] ?? -1;
    if (this.parts.length) {
      this.parts = withoutPart(this.parts, unit) ?? this.parts.slice(0, -1);
      this.anchor = null;
      this.#changed('keyboard');
    } else if (this.pane.record) {
      const spans = withoutPart(this.pane.record.spans, unit);
      if (spans?.length) this.#change(spans);
    }
  }

  #border(side, step, character) {
    const { record, tokens, offsets } = this.pane;
    if (!record) return;
    const move = (unit) => (character || !tokens ? offsets.character(unit, step) : tokens.border(unit, side, step));
    const moved = changedBorder(record.spans, this.head?.[0] ?? -1, side, move);
    if (moved) this.#change(moved);
  }

  #change(units) {
    this.pane.emit('onChange', { uid: this.pane.focused, spans: this.pane.offsets.toPoints(units) });
  }

  // ── state ──

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
    const selected = { spans: offsets.toPoints(units), text: offsets.texts(units).join(' '), exact: this.exact, by };
    this.pane.emit('onSelect', units.length ? selected : null);
  }

  #show() {
    this.pane.markUnits('selection', this.spans);
    this.pane.markUnits('cursor', this.current ? [this.head] : []);
  }
}

const hull = (one, other) => [Math.min(one[0], other[0]), Math.max(one[1], other[1])];
