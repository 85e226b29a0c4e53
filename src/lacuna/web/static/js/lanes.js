// Lanes of underlines. Mentions that overlap get different lanes, short ones next to the text and
// long ones below, so that what is inside stays inside. There are three; further ones share the third.

export const LANES = 3;

/**
 * Return the lane of each mention.
 *
 * `mentions` are objects with `spans` ([[start, end], …] in order). Mentions overlap where their
 * parts do: one that stands in the gap of another does not. The shortest mention takes the lowest
 * lane that no overlapping mention has yet, then the next.
 */
export function lanes(mentions) {
  const result = new Uint8Array(mentions.length);
  for (const group of groups(mentions)) {
    group.sort((a, b) => covered(mentions[a]) - covered(mentions[b]) || a - b);
    group.forEach((one, index) => {
      const taken = new Set();
      for (let before = 0; before < index && taken.size < LANES; before++) {
        const other = group[before];
        if (overlap(mentions[one], mentions[other])) taken.add(result[other]);
      }
      let lane = 0;
      while (lane < LANES - 1 && taken.has(lane)) lane++;
      result[one] = lane;
    });
  }
  return result;
}

/** Number of units in a mention's parts. */
export function covered({ spans }) {
  return spans.reduce((sum, [start, end]) => sum + end - start, 0);
}

function overlap(one, other) {
  if (one.spans[0][0] >= other.spans.at(-1)[1] || other.spans[0][0] >= one.spans.at(-1)[1]) return false;
  return one.spans.some(([s, e]) => other.spans.some(([from, to]) => s < to && from < e));
}

/** Groups (of two and more) of mentions that overlap directly or through others. */
function groups(mentions) {
  const parts = [];
  mentions.forEach(({ spans }, index) => {
    for (const [start, end] of spans) parts.push([start, end, index]);
  });
  parts.sort((a, b) => a[0] - b[0]);
  const leader = Int32Array.from(mentions, (_, index) => index);
  const find = (index) => {
    while (leader[index] !== index) index = leader[index] = leader[leader[index]];
    return index;
  };
  let reach = -1;
  let last = -1;
  for (const [start, end, index] of parts) {
    if (start < reach) leader[find(index)] = find(last);
    last = index;
    reach = Math.max(reach, end);
  }
  const members = new Map();
  mentions.forEach((_, index) => {
    const found = find(index);
    if (members.has(found)) members.get(found).push(index);
    else members.set(found, [index]);
  });
  return [...members.values()].filter((group) => group.length > 1);
}
