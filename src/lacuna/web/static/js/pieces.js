// The text in the page: pieces (lines, or parts of long lines) in blocks of 40. The browser lays
// out and paints only the blocks in view. The text of the DOM is the text of the document.

import { h } from './dom.js';

const BLOCK_PIECES = 40;

export class Pieces {
  constructor(root) {
    this.root = root;
  }

  /** Show a document; `paint(index, element)` fills a piece. */
  build(offsets, paint) {
    this.offsets = offsets;
    this.elements = Array.from({ length: offsets.pieceCount() }, (_, piece) =>
      Object.assign(h('div', { class: offsets.isCut(piece) ? 'piece cut' : 'piece' }), { piece }),
    );
    this.elements.forEach((element, index) => paint(index, element));
    const blocks = [];
    for (let first = 0; first < this.elements.length; first += BLOCK_PIECES) {
      blocks.push(h('div', { class: 'block' }, this.elements.slice(first, first + BLOCK_PIECES)));
    }
    this.root.replaceChildren(...blocks);
  }

  textOf(index) {
    const { text, pieces } = this.offsets;
    return text.slice(pieces[index], pieces[index + 1]);
  }

  /** Node and offset of a unit; where two pieces meet, in the second, or the first if `ending`. */
  place(unit, ending = false) {
    const index = this.offsets.pieceAt(ending ? unit - 1 : unit);
    const element = this.elements[index];
    if (!element) return [this.root, 0];
    let rest = unit - this.offsets.pieceStart(index);
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (rest < node.length || (ending && rest === node.length)) return [node, rest];
      rest -= node.length;
    }
    return [element, element.childNodes.length];
  }

  /** The unit of a node and an offset in it; null outside the text. */
  unitOf(node, offset) {
    if (!this.root.contains(node)) return null;
    const piece = (node.closest ? node : node.parentElement).closest('.piece');
    if (!piece) return this.#unitBefore(node, offset);
    const range = new Range();
    range.setStart(piece, 0);
    range.setEnd(node, offset);
    return this.offsets.pieceStart(piece.piece) + range.toString().length;
  }

  /** The unit before the child of a block, or of the whole, with a number. */
  #unitBefore(element, number) {
    const next = element.children[number] ?? (element === this.root ? null : element.nextElementSibling);
    const piece = next?.matches('.piece') ? next : next?.querySelector('.piece');
    return piece ? this.offsets.pieceStart(piece.piece) : this.offsets.text.length;
  }

  /** The unit at a point of the window; null outside the text. */
  unitFrom(x, y) {
    const found = document.caretPositionFromPoint?.(x, y) ?? document.caretRangeFromPoint?.(x, y);
    return found ? this.unitOf(found.offsetNode ?? found.startContainer, found.offset ?? found.startOffset) : null;
  }

  range([start, end]) {
    const range = new Range();
    range.setStart(...this.place(start));
    range.setEnd(...this.place(end, end > start));
    return range;
  }

  /** Boxes of a span on the screen, one per line and element; never none. */
  rects(span) {
    const range = this.range(span);
    const rects = [...range.getClientRects()].filter((rect) => rect.width > 0);
    return rects.length ? rects : [range.getBoundingClientRect()];
  }

  /** Scroll a span into view if it is not. */
  reveal(span, scroller) {
    const view = scroller.getBoundingClientRect();
    const margin = Math.min(60, view.height / 4);
    const outside = () => {
      const [rect] = this.rects(span);
      const top = rect.top - view.top - margin;
      return top < 0 ? top : Math.max(rect.bottom - view.bottom + margin, 0);
    };
    let by = outside();
    if (Math.abs(by) > view.height) by += Math.sign(by) * (view.height / 2 - margin);
    // blocks that come into view get their real height, which moves what is below them
    for (let round = 0; by && round < 4; round++) {
      scroller.scrollTop += by;
      by = outside();
    }
  }
}
