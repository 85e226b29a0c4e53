// What people did, from the log: of one note or of the project.

import { api } from './api.js';
import { fill, h } from './dom.js';
import { DID } from './edits.js';
import { app } from './main.js';
import { Offsets } from './offsets.js';
import { counted, errorPlace, field, offer, press, row, table, tried, when } from './widgets.js';

const FEW = 3; // operations shown without a click

let key; // of the note; none: the project
let edits, next, note, path;

const title = h('h1');
const error = errorPlace();
const who = h('select', { oninput: draw });
const body = h('tbody');
const end = press('Show more', more);

export const element = h('section', { class: 'screen' }, title,
  h('div', { class: 'line' }, field('Person', who), press('Download without words', download)),
  error, table(['When', 'Who', 'What', 'Note'], body), end);

const page = (after) => tried(error, () => api.get(after === null ? path : `${path}&after=${after}`));

async function more() {
  const mine = edits;
  const answer = await page(next);
  if (!answer || edits !== mine) return; // another history is shown by now
  edits.push(...answer.edits);
  next = answer.next;
  draw();
}

export async function show(shown) {
  const mine = [];
  [key, edits, next, note, path] = [shown, mine, null, null, `${shown ? `/documents/${shown}` : ''}/history?newest=true`];
  fill(title, 'History');
  if (key) {
    const found = await tried(error, () => api.get(`/documents/${key}`));
    if (!found || edits !== mine) return;
    note = { ...found, offsets: new Offsets(found.text) };
    fill(title, 'History of ', h('a', { href: `#/review/${key}` }, note.id));
  }
  await more();
}

function draw() {
  offer(who, [['', 'Everybody'], ...new Set(edits.map((edit) => edit.who))]);
  const undone = undoneOf(edits);
  const known = new Map(note?.mentions.map((mention) => [mention.uid, mention]));
  const rows = edits.toReversed().map((edit) => told(edit, undone.has(edit.key), known)).reverse(); // told from the beginning
  fill(body, edits.length ? rows.filter((_, index) => !who.value || edits[index].who === who.value) : h('tr', null, h('td', { colspan: 4 }, 'Nothing was done yet.')));
  end.hidden = next === null;
}

function told(edit, undone, known) {
  const lines = edit.operations.map((operation) => h('li', null, said(operation, known)));
  const list = h('ul', null, lines);
  const kind = [edit.undoes && 'Undo', undone && 'Undone later', edit.batch && 'In several notes'].filter(Boolean).join(', ');
  const document = edit.document ?? key;
  const cells = row(when(edit.at), edit.who,
    [kind && h('b', null, kind), lines.length > FEW ? h('details', null, h('summary', null, counted(lines.length, 'change')), list) : list],
    h('a', { href: `#/review/${document}` }, note?.id ?? `Note ${document}`));
  cells.classList.toggle('undone', undone);
  return cells;
}

function said({ op, uid, entry, state, flag, comment, ...operation }, known) {
  if (op === 'state') return [state && `state: ${state}`, flag && 'flagged', flag === false && 'flag removed', comment !== undefined && 'comment'].filter(Boolean).join(', ');
  const mention = { spans: [], ...known.get(uid), ...operation, ...entry }; // an operation may name the mention alone
  known.set(uid, mention);
  const { label, spans } = mention;
  const words = note?.offsets.texts(note.offsets.toUnits(spans)).join(' … ');
  return [op === 'restore' && !entry ? DID.remove : DID[op], ' ', h('b', { class: `chip m s2 h${app.labelNamed(label)?.hue}` }, label), ' ',
    words && h('q', null, words), ' ', spans.map((span) => span.join('–')).join(', ')];
}

async function download() {
  const lines = [];
  for (let after = null, got; !got || after !== null; after = got.next) {
    got = await page(after);
    if (!got) return;
    lines.push(...got.edits.map(bare));
  }
  const href = URL.createObjectURL(new Blob(lines));
  h('a', { href, download: `history${key ? `-${key}` : ''}.jsonl` }).click();
  setTimeout(() => URL.revokeObjectURL(href), 1000);
}

/** Keys of edits, newest first, that were undone for good; the undo of an undo is a redo. */
function undoneOf(edits) {
  const undone = new Set();
  for (const { key, undoes } of edits) if (!undone.has(key)) undone.add(undoes);
  return undone;
}

/** An edit as a line, without comments and without hashes of words, from which one could guess them. */
function bare(edit) {
  const operations = edit.operations.map(({ check, comment, ...operation }) => operation);
  return `${JSON.stringify({ ...edit, operations })}\n`;
}
