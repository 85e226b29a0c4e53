// One drawing over the text, for the focused and the hovered mention alone: lines that join the
// parts, and handles at the borders of the focused one.

import { fill, svg } from './dom.js';
import { withBorder } from './parts.js';

export class Overlay {
  hovered = null;
  drag = null; // { index, side, uid, spans } while a handle is dragged

  constructor(pane) {
    this.pane = pane;
    this.element = svg('svg', {
      class: 'overlay',
      'aria-hidden': 'true',
      onpointerdown: (event) => this.#down(event),
      onpointermove: (event) => this.drag && this.#moved(event),
      onpointerup: () => this.drag && this.#up(true),
      onpointercancel: () => this.drag && this.#up(false),
    });
    pane.body.append(this.element);
  }

  hover(uid) {
    if (uid === this.hovered) return;
    this.hovered = uid;
    this.draw();
  }

  /** Draw with the next frame; many changes before it make one drawing. */
  draw() {
    if (!this.drag) this.waiting ??= requestAnimationFrame(() => this.#draw());
  }

  #draw() {
    this.waiting = null;
    const { record, records, body } = this.pane;
    const joins = [...new Set([record, records.get(this.hovered)])].filter((found) => found?.spans.length > 1);
    if (!record && !joins.length && !this.element.firstChild) return;
    const origin = body.getBoundingClientRect();
    fill(this.element, joins.map((found) => this.#lines(found, origin)), record && !record.doubt && this.#handles(record, origin));
  }

  /** From the end of each part to the beginning of the next, below the underlines. */
  #lines({ spans, kind, lane }, origin) {
    return spans.slice(1).map((span, index) => {
      const from = this.pane.pieces.rects(spans[index]).at(-1);
      const to = this.pane.pieces.rects(span)[0];
      const [x, y] = [from.right - origin.left - 2, from.bottom - origin.top + 2];
      const [left, bottom] = [to.left - origin.left, to.bottom - origin.top + 2];
      const down = 4 * lane + 4;
      // on one line: below it; else from above into the beginning
      const across = Math.abs(y - bottom) < 4 ? `H${left + 2}v${-down}` : `H${left - 5}V${bottom - 12}h5`;
      return svg('path', { class: `join ${kind}`, d: `M${x} ${y}v${down}${across}` });
    });
  }

  #handles({ spans, kind }, origin) {
    return spans.flatMap((span, part) => {
      const rects = this.pane.pieces.rects(span);
      const handle = (side, rect, edge, reach) => {
        const [x, top, bottom] = [edge - origin.left, rect.top - origin.top, rect.bottom - origin.top];
        return svg('g', { class: `handle ${kind}`, dataset: { part, side } },
          svg('rect', { class: 'reach', x: x - reach, y: top - 8, width: 12, height: bottom - top + 12 }),
          svg('path', { d: `M${x} ${top}V${bottom}` }),
          svg('circle', { cx: x, cy: top - 3, r: 3.5 }));
      };
      return [handle('start', rects[0], rects[0].left, 10), handle('end', rects.at(-1), rects.at(-1).right, 2)];
    });
  }

  #down(event) {
    const handle = event.target.closest('.handle');
    if (!handle || event.button !== 0) return;
    event.preventDefault();
    this.element.setPointerCapture(event.pointerId);
    this.element.classList.add('dragging');
    const { part, side } = handle.dataset;
    this.drag = { index: Number(part), side, uid: this.pane.focused, spans: null };
  }

  #moved({ clientX, clientY, altKey }) {
    const { drag } = this;
    const { pieces, records, selection, tokens, offsets } = this.pane;
    const unit = pieces.unitFrom(clientX, clientY);
    const found = records.get(drag.uid);
    if (unit === null || !found) return;
    const exact = selection.exact || altKey || !tokens;
    const border = exact ? offsets.outward([unit, unit])[drag.side === 'start' ? 0 : 1] : tokens.nearest(unit, drag.side);
    drag.spans = withBorder(found.spans, drag.index, drag.side, border);
    this.pane.markUnits('selection', drag.spans ?? []);
  }

  #up(finished) {
    const { pane, drag } = this;
    this.drag = null;
    this.element.classList.remove('dragging');
    pane.markUnits('selection', pane.selection.spans);
    if (finished && drag.spans) pane.emit('onChange', { uid: drag.uid, spans: pane.offsets.toPoints(drag.spans) });
    this.draw();
  }
}
