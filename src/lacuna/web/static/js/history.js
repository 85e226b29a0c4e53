// What people did, from the log: of one note or of the project.

import { fill, h } from './dom.js';
import { button, counted, errorPlace, field, listed, select, tried, when } from './forms.js';
import { Offsets } from './offsets.js';

const DID = { add: 'added', change: 'changed', remove: 'removed', accept: 'accepted', reject: 'rejected', restore: 'put back' };
const STATES = { new: 'set to new', open: 'opened', done: 'done', later: 'put off' };
const FEW = 3; // operations shown without a click

export function historyScreen(app) {
  let key; // of the note; none: the project
  let edits = [];
  let note = null;
  let next = null;

  const title = h('h1', null);
  const error = errorPlace();
  const who = select([], { onchange: () => draw() });
  const body = h('tbody', null);
  const end = button('Show more', () => more());
  const element = h('section', { class: 'screen' }, title,
    h('div', { class: 'filters' }, field('Person', who), button('Download without words', () => download())),
    error,
    h('table', null, h('thead', null, h('tr', null, ['When', 'Who', 'What', 'Note'].map((name) => h('th', { scope: 'col' }, name)))), body),
    end);

  async function page(after) {
    const path = key ? `/documents/${key}/history` : '/history';
    return tried(error, () => app.api.get(after === null ? path : `${path}?after=${after}`));
  }

  async function more() {
    const answer = await page(next);
    if (!answer) return;
    edits.push(...answer.edits);
    next = answer.next;
    draw();
  }

  async function show(shown) {
    [key, edits, next, note] = [shown, [], null, null];
    fill(title, 'History');
    if (key) {
      const found = await tried(error, () => app.api.get(`/documents/${key}`));
      if (!found) return;
      note = { ...found, offsets: new Offsets(found.text) };
      fill(title, 'History of ', h('a', { href: `#/review/${key}` }, found.id));
    }
    await more();
  }

  function draw() {
    const { value } = who;
    const people = [...new Set(edits.map((edit) => edit.who))];
    fill(who, listed([['', 'Everybody'], ...people.map((name) => [name, name])]));
    who.value = people.includes(value) ? value : '';
    const undone = undoneOf(edits);
    const known = new Map(note?.mentions.map((mention) => [mention.uid, mention]));
    const rows = edits.map((edit) => rowOf(edit, undone.has(edit.key), known));
    fill(body, rows.filter((_, index) => !who.value || edits[index].who === who.value));
    end.hidden = next === null;
  }

  function rowOf(edit, undone, known) {
    const lines = edit.operations.map((operation) => h('li', null, said(operation, known)));
    const what = h('ul', null, lines);
    return h('tr', { class: undone ? 'undone' : null },
      h('td', null, when(edit.at)),
      h('td', null, edit.who),
      h('td', null,
        edit.undoes && h('b', null, 'Undo: '), undone && h('b', null, 'Undone later: '), edit.batch && h('b', null, 'In several notes: '),
        lines.length > FEW ? h('details', null, h('summary', null, counted(lines.length, 'change')), what) : what),
      h('td', null, h('a', { href: `#/review/${edit.document ?? key}` }, note?.id ?? `Note ${edit.document}`)));
  }

  function said({ op, uid, entry, ...operation }, known) {
    if (op === 'state') {
      const { state, flag, comment } = operation;
      return [STATES[state], flag !== undefined && (flag ? 'flagged' : 'flag removed'), comment !== undefined && 'comment changed'].filter(Boolean).join(', ');
    }
    const before = known.get(uid);
    const mention = { ...before, ...Object.fromEntries(Object.entries(entry ?? operation).filter(([, value]) => value !== null)) };
    known.set(uid, mention);
    const hue = app.project.labels.find(({ name }) => name === mention.label)?.hue ?? 0;
    const verb = op === 'restore' && !entry ? DID.remove : DID[op];
    return [verb, ' ', mention.label && h('span', { class: `chip m s2 h${hue}` }, mention.label), ' ', mention.spans && words(mention.spans)];
  }

  function words(spans) {
    const places = spans.map(([start, end]) => `${start}–${end}`).join(', ');
    if (!note) return places;
    const texts = note.offsets.toUnits(spans).map(([start, end]) => note.text.slice(start, end));
    return [h('q', null, texts.join(' … ')), ` ${places}`];
  }

  async function download() {
    const lines = [];
    for (let after = null, page_; after !== undefined; after = page_.next ?? undefined) {
      page_ = await page(after);
      if (!page_) return;
      lines.push(...page_.edits.map(bare));
    }
    const href = URL.createObjectURL(new Blob(lines, { type: 'application/x-ndjson' }));
    h('a', { href, download: key ? `history-${key}.jsonl` : 'history.jsonl' }).click();
    setTimeout(() => URL.revokeObjectURL(href), 1000);
  }

  return { element, show, hide() {} };
}

/** Keys of edits that were undone and not redone; an undo that was undone is a redo. */
function undoneOf(edits) {
  const undone = new Set();
  for (const { key, undoes } of [...edits].sort((a, b) => b.key - a.key)) if (undoes && !undone.has(key)) undone.add(undoes);
  return undone;
}

/** A line without a comment, and without hashes of words, from which one could guess them. */
function bare(edit) {
  const operations = edit.operations.map(({ check, comment, ...operation }) => operation);
  return `${JSON.stringify({ ...edit, operations })}\n`;
}
