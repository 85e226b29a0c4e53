// One drawing over the text, for the focused and the hovered mention alone: lines that join the
// parts, and handles at the borders of the focused one.

import { svg } from './dom.js';
import { withBorder } from './parts.js';

export class Overlay {
  constructor(pane) {
    this.pane = pane;
    this.hovered = null;
    this.drag = null; // { index, side, spans } while a handle is dragged
    this.drawn = false; // something is there
    this.element = svg('svg', { class: 'overlay', 'aria-hidden': 'true' });
    pane.body.append(this.element);
    this.element.addEventListener('pointerdown', (event) => this.#down(event));
    this.element.addEventListener('pointermove', (event) => this.drag && this.#moved(event));
    this.element.addEventListener('pointerup', () => this.drag && this.#up(true));
    this.element.addEventListener('pointercancel', () => this.drag && this.#up(false));
  }

  hover(uid) {
    if (uid === this.hovered) return;
    this.hovered = uid;
    this.draw();
  }

  /** Draw with the next frame; many changes before it make one drawing. */
  draw() {
    if (this.waiting || this.drag) return;
    this.waiting = requestAnimationFrame(() => {
      this.waiting = null;
      this.#draw();
    });
  }

  #draw() {
    const { pane } = this;
    const focused = pane.records.get(pane.focused);
    const hovered = pane.records.get(this.hovered);
    const joins = [...new Set([focused, hovered])].filter((found) => found?.spans.length > 1);
    if (!focused && !joins.length && !this.drawn) return;
    const origin = pane.body.getBoundingClientRect();
    this.element.replaceChildren(
      ...joins.flatMap((found) => this.#lines(found, origin)),
      ...(focused && !focused.doubt ? this.#handles(focused, origin) : []),
    );
    this.drawn = this.element.childElementCount > 0;
  }

  /** From the end of each part to the beginning of the next, below the underlines. */
  #lines({ spans, kind, lane }, origin) {
    return spans.slice(1).map((span, index) => {
      const from = this.pane.pieces.rects(spans[index]).at(-1);
      const to = this.pane.pieces.rects(span)[0];
      const [x, y] = [from.right - origin.left - 2, from.bottom - origin.top + 2];
      const [left, bottom] = [to.left - origin.left, to.bottom - origin.top + 2];
      const down = 4 * lane + 4;
      const path =
        Math.abs(y - bottom) < 4 // on one line: below it; else from above into the beginning
          ? `M${x} ${y}v${down}H${left + 2}v${-down}`
          : `M${x} ${y}v${down}H${left - 5}V${bottom - 12}h5`;
      return svg('path', { class: `join ${kind}`, d: path });
    });
  }

  #handles({ spans, kind }, origin) {
    return spans.flatMap((span, index) => {
      const rects = this.pane.pieces.rects(span);
      return ['start', 'end'].map((side) => {
        const rect = side === 'start' ? rects[0] : rects.at(-1);
        const x = (side === 'start' ? rect.left : rect.right) - origin.left;
        const [top, bottom] = [rect.top - origin.top, rect.bottom - origin.top];
        return svg(
          'g',
          { class: `handle ${kind}`, dataset: { part: index, side } },
          svg('rect', { class: 'reach', x: side === 'start' ? x - 10 : x - 2, y: top - 8, width: 12, height: bottom - top + 12 }),
          svg('path', { d: `M${x} ${top}V${bottom}` }),
          svg('circle', { cx: x, cy: top - 3, r: 3.5 }),
        );
      });
    });
  }

  #down(event) {
    const handle = event.target.closest('.handle');
    const { pane } = this;
    if (!handle || event.button !== 0) return;
    event.preventDefault();
    this.element.setPointerCapture(event.pointerId);
    this.element.classList.add('dragging');
    this.drag = { index: Number(handle.dataset.part), side: handle.dataset.side, uid: pane.focused, spans: null };
  }

  #moved(event) {
    const { pane, drag } = this;
    const unit = pane.pieces.unitFrom(event.clientX, event.clientY);
    const found = pane.records.get(drag.uid);
    if (unit === null || !found) return;
    const exact = pane.selection.exact || event.altKey || !pane.tokens;
    const border = exact ? pane.offsets.outward([unit, unit])[drag.side === 'start' ? 0 : 1] : pane.tokens.nearest(unit, drag.side);
    drag.spans = withBorder(found.spans, drag.index, drag.side, border);
    pane.markUnits('selection', drag.spans ?? []);
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
