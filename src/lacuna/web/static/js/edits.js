// What edits do to a note before the server has answered: the rules of lacuna/web/edits.py.

const FNV_START = 0xcbf29ce484222325n;
const FNV_PRIME = 0x100000001b3n;
const BITS_64 = (1n << 64n) - 1n;

/** FNV-1a of the covered text, which the server compares; spans are UTF-16 units. */
export function checkOf(text, spans) {
  const encoder = new TextEncoder();
  let value = FNV_START;
  const add = (byte) => (value = ((value ^ BigInt(byte)) * FNV_PRIME) & BITS_64);
  spans.forEach(([start, end], part) => {
    if (part) add(255); // between two parts; in no UTF-8 text
    encoder.encode(text.slice(start, end)).forEach(add);
  });
  return value.toString(16).padStart(16, '0');
}

/** An id that nobody else makes. */
export function freshId(prefix) {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return prefix + Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** What a mention says, to compare; parts of a mention are in order. */
export const saying = ({ label, spans }) => `${spans.join(' ')} ${label}`;

export const isLive = ({ status }) => status !== 'rejected';

/** What was done, in words. */
export const DID = { add: 'added', change: 'changed', remove: 'removed', accept: 'accepted', reject: 'rejected', restore: 'put back' };

/** What an operation changes: a uid, or '' for the state of the note. */
export const target = ({ op, uid }) => (op === 'state' ? '' : uid);

/** A note that is being changed: `mentions` (Map by uid, rejected ones too), `state`, `flag`, `comment`. */
export class Draft {
  #live = null;

  constructor({ mentions, state, flag, comment }) {
    Object.assign(this, { mentions: new Map(mentions), state, flag, comment });
  }

  /** Do what is possible of some operations and return it. */
  possible(operations) {
    return operations.filter((operation) => this.#allows(operation) && (this.do(operation), true));
  }

  do(operation) {
    if (operation.op === 'state') {
      for (const name of ['state', 'flag', 'comment']) this[name] = operation[name] ?? this[name];
      return;
    }
    const before = this.mentions.get(operation.uid);
    const after = result(before, operation);
    if (after) this.mentions.set(operation.uid, after);
    else this.mentions.delete(operation.uid);
    this.#count(before, -1);
    this.#count(after, 1);
  }

  /** Whether a live mention says this already. */
  has(mention) {
    if (!this.#live) {
      this.#live = new Map();
      for (const one of this.mentions.values()) this.#count(one, 1);
    }
    return this.#live.get(saying(mention)) > 0;
  }

  #count(mention, by) {
    if (!this.#live || !mention || !isLive(mention)) return;
    const key = saying(mention);
    this.#live.set(key, (this.#live.get(key) ?? 0) + by);
  }

  #allows(operation) {
    const { op, uid, label, spans } = operation;
    if (op === 'state') return true;
    const entry = this.mentions.get(uid);
    if (op === 'remove') return Boolean(entry);
    if (op === 'add' ? entry : op === 'change' ? !entry || !isLive(entry) : !entry && !(label && spans)) return false;
    const decides = op === 'accept' || op === 'reject';
    if (decides && entry && saying({ label: label ?? entry.label, spans: spans ?? entry.spans }) !== saying(entry)) return false;
    const after = result(entry, operation);
    const told = entry && isLive(entry) && saying(entry) === saying(after);
    return told || !isLive(after) || !this.has(after);
  }
}

function result(entry, { op, uid, label, spans, probability = null }) {
  if (op === 'remove') return null;
  if (op === 'add') return { uid, label, spans, status: 'added', probability: null };
  if (op === 'change') {
    const status = entry?.status === 'added' ? 'added' : 'accepted';
    return entry && { uid, label: label ?? entry.label, spans: spans ?? entry.spans, status, probability: null };
  }
  const status = op === 'accept' ? 'accepted' : 'rejected';
  if (!entry) return { uid, label, spans, status, probability };
  return op === 'accept' && entry.status === 'added' ? entry : { ...entry, status };
}
