// What people did, from the log: of one note or of the project.

import { fill, h } from './dom.js';
import { errorPlace, field, options, table, tried, when } from './forms.js';
import { Offsets } from './offsets.js';
import { choice as button, counted } from './widgets.js';

const DID = { add: 'added', change: 'changed', remove: 'removed', accept: 'accepted', reject: 'rejected', restore: 'put back' };
const FEW = 3; // operations shown without a click

export function historyScreen(app) {
  let key; // of the note; none: the project
  let edits, next, note, path;

  const title = h('h1');
  const error = errorPlace();
  const who = h('select', { oninput: draw });
  const body = h('tbody');
  const end = button('Show more', more);
  const element = h('section', { class: 'screen' }, title,
    h('div', { class: 'row' }, field('Person', who), button('Download without words', download)),
    error, table(['When', 'Who', 'What', 'Note'], body), end);

  const page = (after) => tried(error, () => app.api.get(after === null ? path : `${path}&after=${after}`));

  async function more() {
    const mine = edits;
    const answer = await page(next);
    if (!answer || edits !== mine) return; // another history is shown by now
    edits.push(...answer.edits);
    next = answer.next;
    draw();
  }

  async function show(shown) {
    [key, edits, next, note, path] = [shown, [], null, null, `${shown ? `/documents/${shown}` : ''}/history?newest=true`];
    fill(title, 'History');
    if (key) {
      const mine = edits;
      const found = await tried(error, () => app.api.get(`/documents/${key}`));
      if (!found || edits !== mine) return;
      note = found;
      note.offsets = new Offsets(note.text);
      fill(title, 'History of ', h('a', { href: `#/review/${key}` }, note.id));
    }
    await more();
  }

  function draw() {
    const { value } = who;
    const people = [...new Set(edits.map((edit) => edit.who))];
    fill(who, options([['', 'Everybody'], ...people]));
    who.value = value;
    const undone = undoneOf(edits);
    const known = new Map(note?.mentions.map((mention) => [mention.uid, mention]));
    const rows = edits.toReversed().map((edit) => row(edit, undone, known)).reverse(); // told from the beginning
    fill(body, rows.filter((_, index) => !value || edits[index].who === value));
    if (!edits.length) fill(body, h('tr', null, h('td', { colspan: 4 }, 'Nothing was done yet.')));
    end.hidden = next === null;
  }

  function row(edit, undone, known) {
    const lines = edit.operations.map((operation) => h('li', null, said(operation, known)));
    const list = h('ul', null, lines);
    const kind = [edit.undoes && 'Undo', undone.has(edit.key) && 'Undone later', edit.batch && 'In several notes'].filter(Boolean);
    const document = edit.document ?? key;
    return h('tr', { class: undone.has(edit.key) && 'undone' }, [
      when(edit.at), edit.who,
      [kind.length > 0 && h('b', null, kind.join(', ')), lines.length > FEW ? h('details', null, h('summary', null, counted(lines.length, 'change')), list) : list],
      h('a', { href: `#/review/${document}` }, note?.id ?? `Note ${document}`),
    ].map((cell) => h('td', null, cell)));
  }

  function said({ op, uid, entry, state, flag, comment, ...operation }, known) {
    if (op === 'state') return [state && `state: ${state}`, flag && 'flagged', flag === false && 'flag removed', comment !== undefined && 'comment'].filter(Boolean).join(', ');
    const mention = { ...known.get(uid), ...operation, ...entry }; // an operation may name the mention alone
    known.set(uid, mention);
    const hue = app.project.labels.find(({ name }) => name === mention.label)?.hue;
    return [op === 'restore' && !entry ? DID.remove : DID[op], ' ', h('b', { class: `chip m s2 h${hue}` }, mention.label), ' ', words(mention.spans ?? [])];
  }

  function words(spans) {
    const texts = note?.offsets.toUnits(spans).map(([start, end]) => note.text.slice(start, end));
    return [texts && h('q', null, texts.join(' … ')), ' ', spans.map(([start, end]) => `${start}–${end}`).join(', ')];
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

  return { element, show, hide() {} };
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
