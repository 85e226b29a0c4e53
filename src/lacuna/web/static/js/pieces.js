// The text in the page: pieces (lines, or parts of long lines) in blocks of 40. The browser lays
// out and paints only the blocks in view. The text of the DOM is the text of the document.

import { h } from './dom.js';

export const BLOCK_PIECES = 40;

export class Pieces {
  constructor(root) {
    this.root = root;
    this.elements = [];
  }

  /** Show a document; `paint(index, element)` fills a piece. */
  build(offsets, paint) {
    this.offsets = offsets;
    this.elements = [];
    const blocks = document.createDocumentFragment();
    for (let first = 0; first < offsets.pieceCount(); first += BLOCK_PIECES) {
      const block = h('div', { class: 'block' });
      const last = Math.min(first + BLOCK_PIECES, offsets.pieceCount());
      for (let index = first; index < last; index++) {
        const element = h('div', { class: offsets.isCut(index) ? 'piece cut' : 'piece' });
        element.piece = index;
        this.elements.push(element);
        paint(index, element);
        block.append(element);
      }
      blocks.append(block);
    }
    this.root.replaceChildren(blocks);
  }

  textOf(index) {
    const { text, pieces } = this.offsets;
    return text.slice(pieces[index], pieces[index + 1]);
  }

  /** Node and offset of a unit; where two pieces meet, in the second, or the first if `ending`. */
  place(unit, ending = false) {
    const index = this.offsets.pieceAt(ending && unit > 0 ? unit - 1 : unit);
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
    if (!node || !this.root.contains(node)) return null;
    const element = node.nodeType === Node.TEXT_NODE ? node.parentElement : node;
    const piece = element.closest('.piece');
    if (!piece) return this.#unitBefore(element, offset);
    const range = document.createRange();
    range.setStart(piece, 0);
    range.setEnd(node, offset);
    return this.offsets.pieceStart(piece.piece) + range.toString().length;
  }

  /** The unit before the child of a block, or of the whole, with a number. */
  #unitBefore(element, number) {
    const child = element.children[number];
    const next = child ?? (element === this.root ? null : element.nextElementSibling);
    const piece = next?.matches('.piece') ? next : next?.querySelector('.piece');
    return piece ? this.offsets.pieceStart(piece.piece) : this.offsets.text.length;
  }

  /** The unit at a point of the window; null outside the text. */
  unitFrom(x, y) {
    if (document.caretPositionFromPoint) {
      const found = document.caretPositionFromPoint(x, y);
      return found && this.unitOf(found.offsetNode, found.offset);
    }
    const found = document.caretRangeFromPoint(x, y);
    return found && this.unitOf(found.startContainer, found.startOffset);
  }

  range([start, end]) {
    const range = document.createRange();
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
      const rects = this.rects(span);
      const top = rects[0].top - view.top - margin;
      const bottom = rects[0].bottom - view.bottom + margin;
      return top < 0 ? top : Math.max(bottom, 0);
    };
    let by = outside();
    if (Math.abs(by) > view.height) by += (Math.sign(by) * view.height) / 2 - Math.sign(by) * margin;
    // blocks that come into view get their real height, which moves what is below them
    for (let round = 0; by && round < 4; round++) {
      scroller.scrollTop += by;
      by = outside();
    }
  }
}
