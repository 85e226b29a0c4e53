// Where the cursor goes: by word (or character, if `exact`) and by line as it is on the screen.
// The cursor is a span of UTF-16 units; functions give the new one, or null at the end of the text.

/** Where it begins: before the focused mention, or before what is in view. */
export function home({ record, element, pieces }) {
  let unit = record?.spans[0][0] ?? 0;
  if (!record && element.scrollTop > 0) {
    const { left, top } = element.getBoundingClientRect();
    unit = pieces.unitFrom(left + 20, top + 10) ?? 0;
  }
  return [unit, unit];
}

export function wordMove({ offsets, tokens }, [start, end], step, exact) {
  if (!exact && tokens) return step > 0 ? tokens.after(end) : tokens.before(start);
  const from = step > 0 ? end : start;
  const to = offsets.character(from, step);
  return from === to ? null : [Math.min(from, to), Math.max(from, to)];
}

export function lineMove(pane, head, step, exact) {
  const { pieces, offsets } = pane;
  pieces.reveal(head, pane.element);
  const rect = pieces.rects(head)[0];
  const x = (rect.left + rect.right) / 2;
  for (let half = 1; half <= 12; half++) {
    const far = (half * rect.height) / 2;
    const unit = pieces.unitFrom(x, step > 0 ? rect.bottom + far : rect.top - far);
    const found = unit === null ? null : wordAt(pane, unit, exact);
    if (found && (found[0] - head[0]) * step > 0) {
      const { top, bottom } = pieces.rects(found)[0];
      if (step > 0 ? top > rect.top + 2 : bottom < rect.bottom - 2) return found;
    }
  }
  let next = offsets.pieceAt(head[0]) + step; // nothing in view there: the next line with a word
  for (; next >= 0 && next < offsets.pieceCount(); next += step) {
    const found = wordAt(pane, offsets.pieceStart(next), exact);
    if (found) return found;
  }
  return null;
}

/** The word at a unit or after it, or the last one before it, of the same line; null if it has none. */
function wordAt({ tokens, offsets }, unit, exact) {
  if (exact || !tokens) return [unit, offsets.character(unit, 1)];
  const [lineStart, lineEnd] = offsets.lineAt(unit);
  const after = tokens.after(unit);
  if (after?.[0] < lineEnd) return after;
  const before = tokens.before(unit);
  return before?.[0] >= lineStart ? before : null;
}
