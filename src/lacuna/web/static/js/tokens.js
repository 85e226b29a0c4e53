// lacuna's tokens, for snapping and for the cursor. They come from the server, so that borders are
// those that models know; `Intl.Segmenter` has others. All offsets are UTF-16 units.

import { lastNotAfter } from './offsets.js';

export class Tokens {
  /** From arrays of code points, ascending and apart. */
  constructor(offsets, start, end) {
    this.start = Uint32Array.from(start, (point) => offsets.toUnit(point));
    this.end = Uint32Array.from(end, (point) => offsets.toUnit(point));
  }

  #span(index) {
    return index < this.start.length ? [this.start[index], this.end[index]] : null;
  }

  /** The first token that ends after a unit: the one there, or the next; null at the end. */
  after(unit) {
    const last = lastNotAfter(this.end, unit);
    return this.#span(this.end[last] <= unit ? last + 1 : 0);
  }

  /** The last token that starts before a unit; null at the beginning. */
  before(unit) {
    const index = lastNotAfter(this.start, unit - 1);
    return this.start[index] < unit ? this.#span(index) : null;
  }

  /** A span grown to whole tokens and without blanks at its ends; null where it has no token. */
  snapped([start, end]) {
    const first = this.after(start);
    const last = this.before(end);
    return first && last && first[0] <= last[0] ? [first[0], last[1]] : null;
  }

  /** The border of a token nearest to a unit. */
  nearest(unit, side) {
    const borders = this[side];
    const index = lastNotAfter(borders, unit);
    const [here, next] = [borders[index] ?? unit, borders[index + 1]];
    return Math.abs(next - unit) < Math.abs(here - unit) ? next : here;
  }

  /** The next border on a side, left (−1) or right (1) of a unit; null if there is none. */
  border(unit, side, step) {
    const borders = this[side];
    const last = lastNotAfter(borders, step > 0 ? unit : unit - 1);
    const found = step > 0 && borders[last] <= unit ? borders[last + 1] : borders[last];
    return (found - unit) * step > 0 ? found : null;
  }
}
