// Offsets in a document. Outside this page they count code points, as Python does; strings of
// JavaScript count UTF-16 units. Lines, and the pieces that are painted one by one, are in units.

const PIECE_UNITS = 800; // a longer line is cut into pieces, see docs/decisions.md
const LINE = /.*(\r\n|[\n\r\u2028\u2029]|$)/g;
const LINE_END = /[\n\r\u2028\u2029]+$/;
const ASTRAL = /[^\0-\uffff]/u;
const INSIDE = /^(\r\n|\u200d|[^][\p{M}\p{Emoji_Modifier}\u200d])/u; // two that are never parted

export class Offsets {
  constructor(text) {
    this.text = text;
    this.units = ASTRAL.test(text) ? unitsOfPoints(text) : null; // null: points are units
    this.pieces = pieceStarts(text);
  }

  /** Number of code points. */
  get length() {
    return this.units ? this.units.length - 1 : this.text.length;
  }

  toUnit(point) {
    return this.units ? this.units[point] : point;
  }

  /** Code points before a unit; inside a surrogate pair: those before the pair. */
  toPoint(unit) {
    return this.units ? lastNotAfter(this.units, unit) : unit;
  }

  toUnits(spans) {
    return spans.map((span) => span.map((point) => this.toUnit(point)));
  }

  toPoints(spans) {
    return spans.map((span) => span.map((unit) => this.toPoint(unit)));
  }

  /** The text of spans of units, one string each. */
  texts(units) {
    return units.map(([start, end]) => this.text.slice(start, end));
  }

  /** Index of the piece a unit is in; the end of the text is in the last piece. */
  pieceAt(unit) {
    return lastNotAfter(this.pieces, unit, this.pieceCount());
  }

  pieceStart(index) {
    return this.pieces[index];
  }

  pieceCount() {
    return this.pieces.length - 1;
  }

  /** Whether a piece ends inside a line. */
  isCut(index) {
    const end = this.pieces[index + 1];
    return end < this.text.length && !LINE_END.test(this.text[end - 1]);
  }

  /** The line around a unit, without its line end. */
  lineAt(unit) {
    let first = this.pieceAt(unit);
    let last = first;
    while (first > 0 && this.isCut(first - 1)) first--;
    while (this.isCut(last)) last++;
    const start = this.pieces[first];
    return [start, start + this.text.slice(start, this.pieces[last + 1]).replace(LINE_END, '').length];
  }

  /** Move ends that are inside a character outward: surrogate pairs, combining marks, joiners. */
  outward([start, end]) {
    while (!isBorder(this.text, start)) start--;
    while (!isBorder(this.text, end)) end++;
    return [start, end];
  }

  /** The next border of a character after (`step` 1) or before (−1) a unit. */
  character(unit, step) {
    let here = unit + step;
    while (!isBorder(this.text, here)) here += step;
    return Math.min(Math.max(here, 0), this.text.length);
  }
}

function unitsOfPoints(text) {
  let unit = 0;
  const units = Array.from(text, (character) => (unit += character.length));
  return Uint32Array.from([0, ...units]);
}

/** Index of the last value ≤ `wanted` among the first `size` of an ascending array; at least 0. */
export function lastNotAfter(values, wanted, size = values.length) {
  let low = 0;
  let high = size - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (values[middle] <= wanted) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Whether something may end or begin at a unit: not inside what is read as one character. */
function isBorder(text, unit) {
  if (unit <= 0 || unit >= text.length) return true;
  return !isPair(text, unit - 1) && !INSIDE.test(text.slice(unit - 1, unit + 2));
}

const isPair = (text, unit) => text.codePointAt(unit) > 0xffff;

/** Starts of the pieces, and the end of the text as the last value. */
function pieceStarts(text) {
  const starts = [];
  for (const { 0: line, 1: lineEnd, index } of text.matchAll(LINE)) {
    const end = index + line.length - lineEnd.length;
    let start = index;
    for (; end - start > PIECE_UNITS; start = cutAfter(text, start)) starts.push(start);
    if (line) starts.push(start);
  }
  return Uint32Array.from([...starts, text.length]);
}

/** Where to cut a long line: after the last space that fits, else at the border of a character. */
function cutAfter(text, start) {
  const most = start + PIECE_UNITS;
  const space = text.lastIndexOf(' ', most - 1) + 1;
  if (space > start && isBorder(text, space)) return space;
  let cut = most;
  while (cut > start && !isBorder(text, cut)) cut--;
  return cut > start ? cut : most - isPair(text, most - 1); // 800 marks in a row
}

/** Spans in order and apart: those that overlap or touch become one, empty ones are left out. */
export function joined(spans) {
  const result = [];
  for (const [start, end] of spans.filter(([s, e]) => s < e).sort((a, b) => a[0] - b[0])) {
    const last = result.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else result.push([start, end]);
  }
  return result;
}
