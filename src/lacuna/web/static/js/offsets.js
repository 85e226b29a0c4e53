// Offsets in a document. Outside this page they count code points, as Python does; strings of
// JavaScript count UTF-16 units. Lines, and the pieces that are painted one by one, are in units.

export const PIECE_UNITS = 800; // a longer line is cut into pieces, see docs/decisions.md

const LINE_END = /\r\n|[\n\r\u2028\u2029]/g;
const ASTRAL = /[\ud800-\udbff][\udc00-\udfff]/;
const HIGH = (unit) => unit >= 0xd800 && unit < 0xdc00;
const LOW = (unit) => unit >= 0xdc00 && unit < 0xe000;
const ATTACHED = /^[\p{M}\p{Emoji_Modifier}\u200d]/u; // never without the character before
const JOINER = 0x200d;

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
    return spans.map(([start, end]) => [this.toUnit(start), this.toUnit(end)]);
  }

  toPoints(spans) {
    return spans.map(([start, end]) => [this.toPoint(start), this.toPoint(end)]);
  }

  /** Index of the piece a unit is in; the end of the text is in the last piece. */
  pieceAt(unit) {
    return lastNotAfter(this.pieces, unit, this.pieces.length - 1);
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
    return end < this.text.length && !isLineEnd(this.text, end);
  }

  /** The line around a unit, without its line end. */
  lineAt(unit) {
    let first = this.pieceAt(unit);
    let last = first;
    while (first > 0 && this.isCut(first - 1)) first--;
    while (this.isCut(last)) last++;
    const start = this.pieces[first];
    const line = this.text.slice(start, this.pieces[last + 1]);
    return [start, start + line.replace(/(\r\n|[\n\r\u2028\u2029])$/, '').length];
  }

  /** Move ends that are inside a character outward: surrogate pairs, combining marks, joiners. */
  outward([start, end]) {
    while (start > 0 && !isBorder(this.text, start)) start--;
    while (end < this.text.length && !isBorder(this.text, end)) end++;
    return [start, end];
  }

  /** The next border of a character after (`step` 1) or before (−1) a unit. */
  character(unit, step) {
    let here = unit + step;
    while (here > 0 && here < this.text.length && !isBorder(this.text, here)) here += step;
    return Math.min(Math.max(here, 0), this.text.length);
  }
}

function unitsOfPoints(text) {
  const units = new Uint32Array(text.length + 1);
  let points = 0;
  for (let unit = 0; unit < text.length; points++) {
    units[points] = unit;
    unit += HIGH(text.charCodeAt(unit)) && LOW(text.charCodeAt(unit + 1)) ? 2 : 1;
  }
  units[points] = text.length;
  return units.slice(0, points + 1);
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
export function isBorder(text, unit) {
  if (unit <= 0 || unit >= text.length) return true;
  const before = text.charCodeAt(unit - 1);
  const after = text.charCodeAt(unit);
  if (HIGH(before) && LOW(after)) return false;
  if (before === 13 && after === 10) return false;
  if (before === JOINER) return false;
  return after < 0x300 || !ATTACHED.test(text.slice(unit, unit + 2));
}

function isLineEnd(text, end) {
  const unit = text.charCodeAt(end - 1);
  return unit === 10 || unit === 0x2028 || unit === 0x2029 || (unit === 13 && text.charCodeAt(end) !== 10);
}

/** Starts of the pieces, and the end of the text as the last value. */
function pieceStarts(text) {
  const starts = [];
  let start = 0;
  const line = (contentEnd, end) => {
    while (contentEnd - start > PIECE_UNITS) {
      starts.push(start);
      start = cutAfter(text, start);
    }
    if (end > start) starts.push(start);
    start = end;
  };
  for (const match of text.matchAll(LINE_END)) line(match.index, match.index + match[0].length);
  line(text.length, text.length);
  starts.push(text.length);
  return Uint32Array.from(starts);
}

/** Where to cut a long line: after the last space that fits, else at the border of a character. */
function cutAfter(text, start) {
  const most = start + PIECE_UNITS;
  const space = text.lastIndexOf(' ', most - 1) + 1;
  if (space > start && isBorder(text, space)) return space;
  let cut = most;
  while (cut > start && !isBorder(text, cut)) cut--;
  if (cut > start) return cut;
  return HIGH(text.charCodeAt(most - 1)) ? most - 1 : most; // 800 marks in a row
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
