// Lanes of underlines. Mentions that overlap get different lanes, short ones next to the text and
// long ones below, so that what is inside stays inside. There are three; further ones share the third.

/** The lane of each mention: the lowest that no shorter mention has which overlaps it. */
export function lanes(mentions) {
  const others = overlaps(mentions);
  const sizes = mentions.map(covered);
  const result = [];
  for (const one of [...mentions.keys()].sort((a, b) => sizes[a] - sizes[b])) {
    const taken = others[one].map((other) => result[other]);
    result[one] = [0, 1].find((lane) => !taken.includes(lane)) ?? 2;
  }
  return result;
}

/** Number of units in a mention's parts. */
export const covered = ({ spans }) => spans.reduce((sum, [start, end]) => sum + end - start, 0);

/** Whether parts of two mentions overlap; one that stands in the gap of another does not. */
export const overlap = (one, other) => one.spans.some(([s, e]) => other.spans.some(([from, to]) => s < to && from < e));

/** Indices of the mentions that overlap each. */
export function overlaps(mentions) {
  const found = mentions.map(() => []);
  const start = (index) => mentions[index].spans[0][0];
  let open = [];
  for (const one of [...mentions.keys()].sort((a, b) => start(a) - start(b))) {
    open = open.filter((other) => mentions[other].spans.at(-1)[1] > start(one));
    for (const other of open) {
      if (!overlap(mentions[one], mentions[other])) continue;
      found[one].push(other);
      found[other].push(one);
    }
    open.push(one);
  }
  return found;
}
