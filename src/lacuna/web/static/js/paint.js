// The marks of one piece: borders of its mentions → segments → nested spans.

import { covered } from './lanes.js';

const STEPS = [0.5, 0.8, 0.95]; // probabilities where the background becomes stronger

/** What is painted of a mention. `shown` is `{ short, hue }` of its label. */
export function record(mention, spans, shown) {
  const doubt = mention.status === 'doubt';
  const sure = mention.status !== 'suggested' && !doubt;
  const step = sure ? 3 : STEPS.filter((least) => (mention.probability ?? 1) >= least).length;
  const kind = doubt ? 'doubt' : `m h${shown.hue} s${step} ${sure ? 'decided' : 'suggested'}`;
  return { mention, uid: mention.uid, spans, kind, doubt, short: shown.short, size: covered({ spans }), lane: 0 };
}

/** Outer first: lower lanes hold what is longer; doubts are innermost. */
function outerFirst(a, b) {
  return a.doubt - b.doubt || b.lane - a.lane || b.size - a.size || (a.uid < b.uid ? -1 : 1);
}

/**
 * Fill a piece.
 *
 * Where mentions nest, so do the elements; where they cross, the inner one is closed and opened
 * again. Every element of a mention has its uid in `data-m`; the first one of a part has the label.
 */
export function paintPiece(element, text, start, records, focused) {
  if (!records.length) {
    element.textContent = text;
    return;
  }
  const end = start + text.length;
  const borders = new Set([start, end]);
  for (const { spans } of records) {
    for (const span of spans) {
      for (const unit of span) if (unit > start && unit < end) borders.add(unit);
    }
  }
  const ordered = [...records].sort(outerFirst);
  const units = [...borders].sort((a, b) => a - b);
  element.replaceChildren();
  let open = []; // [record, element] from the outside in
  for (let index = 0; index + 1 < units.length; index++) {
    const [from, to] = [units[index], units[index + 1]];
    const active = ordered.filter(({ spans }) => spans.some(([s, e]) => s <= from && to <= e));
    let kept = 0;
    while (kept < open.length && open[kept][0] === active[kept]) kept++;
    open = open.slice(0, kept);
    for (const found of active.slice(kept)) {
      const child = markOf(found, from, found.uid === focused);
      (open.at(-1)?.[1] ?? element).append(child);
      open.push([found, child]);
    }
    (open.at(-1)?.[1] ?? element).append(text.slice(from - start, to - start));
  }
}

function markOf(found, from, focused) {
  const element = document.createElement('span');
  element.className = found.doubt ? found.kind : `${found.kind} l${found.lane}`;
  element.dataset.m = found.uid;
  const part = found.doubt ? -1 : found.spans.findIndex(([start]) => start === from);
  if (part >= 0) element.dataset.label = part ? '·' : found.short;
  emphasise(element, focused);
  return element;
}

/** Show that an element belongs to the focused mention, or no longer. */
export function emphasise(element, focused) {
  element.classList.toggle('focused', focused);
  if (focused) element.setAttribute('role', 'mark');
  else element.removeAttribute('role');
}
