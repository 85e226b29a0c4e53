// The marks of one piece: borders of its mentions → segments → nested spans.

import { h, set } from './dom.js';
import { covered } from './lanes.js';

const STEPS = [0.5, 0.8, 0.95]; // probabilities where the background becomes stronger

/** What is painted of a mention; `label` may be unknown. */
export function record(mention, spans, label) {
  const { uid, status, probability } = mention;
  const doubt = status === 'doubt';
  const sure = status !== 'suggested' && !doubt;
  const step = sure ? 3 : STEPS.filter((least) => (probability ?? 1) >= least).length;
  const kind = doubt ? 'doubt' : `m h${label?.hue ?? 0} s${step} ${sure ? 'decided' : 'suggested'}`;
  return { mention, uid, spans, kind, doubt, short: label?.short ?? mention.label, size: covered({ spans }), lane: 0 };
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
  element.textContent = records.length ? '' : text;
  if (!records.length) return;
  const end = start + text.length;
  const inside = records.flatMap(({ spans }) => spans.flat()).filter((unit) => unit > start && unit < end);
  const units = [...new Set([start, ...inside, end])].sort((a, b) => a - b);
  const ordered = records.toSorted(outerFirst);
  let open = []; // [record, element] from the outside in
  for (let index = 0; index + 1 < units.length; index++) {
    const [from, to] = [units[index], units[index + 1]];
    const active = ordered.filter(({ spans }) => spans.some(([s, e]) => s <= from && to <= e));
    const differs = active.findIndex((found, depth) => found !== open[depth]?.[0]);
    open = open.slice(0, differs < 0 ? active.length : differs);
    for (const found of active.slice(open.length)) {
      const child = markOf(found, from, found.uid === focused);
      (open.at(-1)?.[1] ?? element).append(child);
      open.push([found, child]);
    }
    (open.at(-1)?.[1] ?? element).append(text.slice(from - start, to - start));
  }
}

function markOf({ uid, kind, doubt, lane, spans, short }, from, focused) {
  const element = h('span', { class: doubt ? kind : `${kind} l${lane}`, 'data-m': uid });
  const part = doubt ? -1 : spans.findIndex(([start]) => start === from);
  if (part >= 0) element.dataset.label = part ? '·' : short;
  if (focused) emphasise(element, true);
  return element;
}

/** Show that an element belongs to the focused mention, or no longer. */
export function emphasise(element, focused) {
  element.classList.toggle('focused', focused);
  set(element, 'role', focused && 'mark');
}
