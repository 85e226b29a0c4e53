// Operations for what a person decides about a mention, a suggestion or a doubt. See operations.py.

import { freshId, saying } from './edits.js';
import { overlap } from './lanes.js';

/** Whether nobody decided yet. */
export const isOpen = ({ status }) => status === 'suggested' || status === 'doubt';

const marked = (note, { uid, label, spans }) => ({ uid, label, spans, check: note.check(spans) });
const whole = (note, mention) => ({ ...marked(note, mention), probability: mention.probability, model: note.model });

export function accepting(note, mention) {
  const { status, uid } = mention;
  if (status === 'suggested') return [{ op: 'accept', ...whole(note, mention) }];
  if (status === 'doubt') return [{ op: 'add', ...marked(note, mention) }];
  return status === 'given' ? [{ op: 'accept', uid }] : [];
}

export function rejecting(note, mention) {
  const { status, uid } = mention;
  if (status === 'suggested') return [{ op: 'reject', ...whole(note, mention) }];
  if (status === 'doubt') return [{ op: 'reject', ...marked(note, mention) }];
  return [{ op: status === 'added' ? 'remove' : 'reject', uid }];
}

/** Another label or other spans: `to` is `{ label }` or `{ spans }`. */
export function changing(note, mention, to) {
  const after = { ...mention, ...to };
  if (saying(after) === saying(mention)) return accepting(note, mention);
  if (mention.status === 'doubt') return [{ op: 'add', ...marked(note, after) }];
  const check = to.spans && { check: note.check(to.spans) };
  const first = mention.status === 'suggested' ? accepting(note, mention) : [];
  return [...first, { op: 'change', uid: mention.uid, ...to, ...check }];
}

/** A new mention takes the place of suggestions of the same label that it overlaps. */
export function adding(note, label, spans) {
  const own = note.undecided.filter((one) => one.label === label && overlap(one, { spans }));
  const same = own.find((one) => saying(one) === saying({ label, spans }));
  if (same) return accepting(note, same);
  return [{ op: 'add', ...marked(note, { uid: freshId('n'), label, spans }) }, ...own.flatMap((one) => rejecting(note, one))];
}
