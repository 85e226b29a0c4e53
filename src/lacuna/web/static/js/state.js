// One note as the page knows it: what the server has, and edits that are on their way. An edit is
// seen at once, sent one after the other, and sent again with the same id until the server answers;
// the server knows ids, so nothing is done twice.

import { ApiError } from './api.js';
import { checkOf, Draft, freshId, isLive, saying, target } from './edits.js';
import { Offsets } from './offsets.js';

const LONGEST_WAIT = 8000; // ms between two attempts
const OVER = 20000; // ms until an answer is no longer expected

/** All notes that are open, or have edits on their way. `wait` is the time before the second attempt, in ms. */
export class Notes {
  constructor(api, { onStatus = () => {}, onTold = () => {}, wait = 500 } = {}) {
    Object.assign(this, { api, onStatus, onTold, wait });
    this.open = new Map(); // key → Note
  }

  /** The note with a key, as it is now. Those that nobody looks at any more go when they are saved. */
  async get(key) {
    for (const [other, note] of this.open) if (other !== key && !note.queue.length) this.open.delete(other);
    const known = this.open.get(key);
    if (known && !known.queue.length) await known.refresh();
    if (known) return known;
    const { body, etag } = await this.api.get(`/documents/${key}`);
    const note = new Note(this, body, etag);
    this.open.set(key, note);
    return note;
  }

  /** Notes with edits on their way. */
  get pending() {
    return [...this.open.values()].filter((note) => note.queue.length);
  }

  status() {
    const { pending } = this;
    this.onStatus(pending.some((note) => note.failing) ? 'failing' : pending.length ? 'saving' : 'saved');
  }
}

export class Note {
  queue = []; // { kind, request, operations?, sent }
  failing = false;
  latest = 0; // version that was heard of
  newer = null; // suggestions of another model than when the note was opened
  onchange = () => {};

  constructor(notes, body, etag) {
    const { key, id, group, text, model, suggestions, doubts, overlapping, patient, tokens, blind } = body;
    Object.assign(this, { notes, key, id, group, text, model, suggestions, doubts, overlapping, patient, tokens, blind });
    this.path = `/documents/${key}`;
    this.offsets = new Offsets(text);
    this.#take(body, etag);
  }

  // ── what is seen ──

  /** Mentions, undecided suggestions and doubts, in the order of the text. */
  get shown() {
    return (this.view.shown ??= shown(this.view.mentions, this));
  }

  get undecided() {
    return this.shown.filter(({ status }) => status === 'suggested');
  }

  check(spans) {
    return checkOf(this.text, this.offsets.toUnits(spans));
  }

  // ── what is done ──

  /** Edit the note, completely or not at all; false if it is not possible. */
  edit(operations) {
    if (!operations.length) return true;
    if (new Draft(this.view).possible(operations).length < operations.length) return false;
    const opens = this.view.state === 'new' && !operations.some(({ op }) => op === 'state');
    this.#push({ kind: 'edit', operations: opens ? [...operations, { op: 'state', state: 'open' }] : operations });
    return true;
  }

  /** 'undo', 'redo', or 'everywhere' with its `body`; the promise has the server's answer, or null. */
  ask(kind, body = {}) {
    return new Promise((answered) => this.#push({ kind, body, answered }));
  }

  /** When nothing is on its way any more. */
  async settled() {
    while (this.sending) await this.sending;
  }

  /** Ask the server whether somebody else changed something. */
  async refresh() {
    const { status, body, etag } = await this.notes.api.get(this.path, this.etag && { 'If-None-Match': this.etag });
    if (status === 200 && body.version >= this.base.version && !this.queue[0]?.sent) this.#take(body, etag);
  }

  /** The server says that there is a version. */
  heard(version) {
    this.latest = Math.max(this.latest, version);
    if (this.latest > this.base.version && !this.queue.length) this.refresh().catch(() => {});
  }

  /** Show what the newer model suggests. */
  renew() {
    Object.assign(this, this.newer, { newer: null });
    this.#changed();
  }

  #push(item) {
    this.queue.push({ request: freshId('r'), sent: false, ...item });
    this.#changed();
    this.sending ??= this.#send().finally(() => {
      this.sending = null;
      this.#changed();
      this.heard(0); // of what was heard meanwhile
    });
  }

  async #send() {
    let wait = this.notes.wait;
    while (this.queue.length) {
      const [item] = this.queue;
      try {
        item.sent = true;
        const { body } = await this.#request(item);
        this.failing = false;
        wait = this.notes.wait;
        this.queue.shift();
        this.#answered(item, body);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        if (final(error) && (await this.#refused(item, error))) continue;
        this.failing = true;
        this.#changed();
        await pause(wait);
        wait = Math.min(2 * wait, LONGEST_WAIT);
      }
    }
  }

  #request({ kind, request, operations, body }) {
    const options = { headers: { 'If-Match': `"${this.base.version}"` }, signal: AbortSignal.timeout(OVER) };
    const [method, what] = kind === 'edit' ? ['PATCH', 'mentions'] : ['POST', kind];
    return this.notes.api.request(method, `${this.path}/${what}`, { request, operations, ...body }, options);
  }

  #answered(item, body) {
    const changed = item.kind === 'everywhere' ? body.changed : body;
    // this answer has the step alone, the others all that was changed since our version
    const gap = item.kind === 'everywhere' && changed?.version > this.base.version + 1;
    if (gap) this.latest = changed.version;
    else if (changed?.version >= this.base.version) {
      const { mentions } = this.base;
      for (const [uid, mention] of Object.entries(changed.mentions)) {
        if (mention) mentions.set(uid, { ...mention, uid });
        else mentions.delete(uid);
      }
      this.base = { ...changed, mentions };
      this.etag = null;
    }
    this.#changed();
    item.answered?.(body);
  }

  /** The server does not want it: it is taken back, and what can be done nevertheless is asked for anew. */
  async #refused(item, error) {
    try {
      const { body, etag } = await this.notes.api.get(this.path);
      this.#take(body, etag);
    } catch {
      return false; // it is sent and refused once more
    }
    this.queue.shift();
    const targets = error.body?.current?.targets;
    if (error.status === 412 && item.kind === 'edit' && targets) {
      const rest = item.operations.filter((operation) => !targets.includes(target(operation)));
      if (rest.length) this.queue.unshift({ ...item, request: freshId('r'), operations: rest, sent: false });
    }
    const lost = item.kind === 'edit' ? 'Your change was not saved' : `${item.kind} is not possible`;
    this.notes.onTold(error.status === 412 ? `Changed in another window. ${lost}.` : `${lost}: ${error.message}`);
    this.#rebase();
    this.#changed();
    item.answered?.(null);
    return true;
  }

  /** Make what the server has ours. */
  #take(body, etag) {
    const { text, model, suggestions, doubts, ...base } = body;
    this.base = { ...base, mentions: new Map(base.mentions.map((mention) => [mention.uid, mention])) };
    this.etag = etag;
    this.newer = model === this.model ? null : { model, suggestions, doubts };
    this.#rebase();
    this.#changed();
  }

  /** Leave out of edits that wait what is no longer possible. One that may have arrived stays as it is. */
  #rebase() {
    const draft = new Draft(this.base);
    this.queue = this.queue.filter((item) => {
      if (item.kind !== 'edit') return true;
      if (item.sent) item.operations.forEach((operation) => draft.do(operation));
      else item.operations = draft.possible(item.operations);
      return item.operations.length;
    });
  }

  #changed() {
    const draft = new Draft(this.base);
    for (const { operations } of standing(this.queue)) operations.forEach((operation) => draft.do(operation));
    const edited = this.queue.some(({ kind }) => kind === 'edit');
    const { undo, redo } = this.base;
    this.view = Object.assign(draft, { undo: undo || edited, redo: redo && !edited });
    this.notes.status();
    this.onchange();
  }
}

/** Edits that wait and are not undone by what waits behind them. */
function standing(queue) {
  const done = [];
  let undone = [];
  for (const item of queue) {
    if (item.kind === 'edit') {
      done.push(item);
      undone = [];
    } else if (item.kind === 'undo' && done.length) undone.push(done.pop());
    else if (item.kind === 'redo' && undone.length) done.push(undone.pop());
  }
  return done;
}

/** Whether asking again would not help. */
function final({ status }) {
  return status < 500 && ![0, 401, 408, 425, 429].includes(status);
}

function pause(ms) {
  return new Promise((done) => {
    const timer = setTimeout(done, ms);
    addEventListener('online', () => (clearTimeout(timer), done()), { once: true });
  });
}

/** What a person sees: see the class. Doubts give way to everything else in their place. */
function shown(mentions, { suggestions, doubts, offsets, overlapping }) {
  const all = [...mentions.values()];
  const said = new Set(all.map(saying));
  const covered = new Uint8Array(offsets.length + 1);
  const cover = (found) => found.flatMap(({ spans }) => spans).forEach(([start, end]) => covered.fill(1, start, end));
  const free = ({ uid, spans }) => !mentions.has(uid) && spans.every(([start, end]) => !covered.subarray(start, end).includes(1));
  const seen = all.filter(isLive);
  cover(seen);
  // a model without overlapping mentions has nothing to add where there is one
  const open = suggestions.filter((one) => !said.has(saying(one)) && (overlapping ? !mentions.has(one.uid) : free(one)));
  cover(open);
  seen.push(...open.map((one) => ({ ...one, status: 'suggested' })));
  seen.push(...doubts.filter(free).map((one) => ({ ...one, status: 'doubt' })));
  return seen.sort((a, b) => a.spans[0][0] - b.spans[0][0] || b.spans.at(-1)[1] - a.spans.at(-1)[1]);
}
