// Changes of a mention's parts: pure functions from spans to spans.

import { joined } from './offsets.js';

const partAt = (spans, unit) => spans.findIndex(([start, end]) => start <= unit && unit < end);

/** Spans without the part that covers a unit; null if none does. */
export function withoutPart(spans, unit) {
  const at = partAt(spans, unit);
  return at < 0 ? null : spans.toSpliced(at, 1);
}

/**
 * Spans with one border moved; null if it cannot be moved.
 *
 * The border is that of the part that covers `cursor`, else the outermost one of that side.
 */
export function changedBorder(spans, cursor, side, move) {
  let index = partAt(spans, cursor);
  if (index < 0) index = side === 'start' ? 0 : spans.length - 1;
  const moved = move(spans[index][side === 'start' ? 0 : 1]);
  return moved === null ? null : withBorder(spans, index, side, moved);
}

/**
 * Spans where part `index` starts or ends at a unit; null if that leaves nothing or changes nothing.
 * Where it reaches the next part, the two become one.
 */
export function withBorder(spans, index, side, unit) {
  const [start, end] = spans[index];
  const part = side === 'start' ? [unit, end] : [start, unit];
  if (part[0] >= part[1] || (part[0] === start && part[1] === end)) return null;
  return joined(spans.with(index, part));
}
