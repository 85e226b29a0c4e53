// Notes into the project: made-up ones, those of this machine, or an upload. Also the first page.

import { api } from './api.js';
import { fill, h } from './dom.js';
import { app } from './main.js';
import { counted, errorPlace, field, line, offer, p, press, select, tried } from './widgets.js';

const TICK = 400; // ms between two looks at a job
const PATIENTS = [
  ['', 'as the files say'],
  ['^[^/]+(?=/)', 'the folder a note is in'],
  ['^(?:.*/)?([^/_-]+)[_-]', 'the name of a file up to - or _'],
  ['own', 'a pattern of my own'],
];

const title = h('h1');
const error = errorPlace();
const state = h('div', { role: 'status' });
const known = h('datalist', { id: 'folders' });
const path = line({ list: 'folders', required: true, oninput: complete, onfocus: () => complete((known.dataset.folder = null)) });
const format = h('select');
const pattern = line({ placeholder: 'regular expression on the note’s name' });
const own = field('Pattern', pattern);
const patient = select(PATIENTS, { oninput: () => (own.hidden = patient.value !== 'own') });
const file = h('input', { type: 'file', 'aria-label': 'File', onchange: () => upload(file.files) });
const card = (name, sentence, ...rest) => h('section', { class: 'card' }, h('h2', null, name), p(sentence), ...rest);
const drop = card('Upload a file', 'Choose a file or drop it here. It stays on this machine.', file);
const cards = h('div', { class: 'cards' },
  card('Try it with made-up notes', 'Adds generated notes. No real person is in them.',
    press('Add made-up notes', () => begin('/imports/demo', {}), { class: 'main' })),
  card('Open a folder or file', 'Reads notes of this machine. The files stay as they are.',
    h('form', { onsubmit: open }, field('Folder or file', path), known,
      h('details', null, h('summary', null, 'More'), field('Format', format), field('Patient', patient), own),
      h('button', { class: 'main' }, 'Open'))),
  drop);

export const element = h('section', { class: 'screen' }, title, cards, error, state);
own.hidden = true;
drop.ondragover = (event) => event.preventDefault();
drop.ondrop = (event) => {
  event.preventDefault();
  upload(event.dataTransfer.files);
};

function open(event) {
  event.preventDefault();
  const group_from = own.hidden ? patient.value : pattern.value;
  begin('/imports', { path: path.value, format: format.value || null, group_from: group_from || null });
}

function upload([chosen]) {
  if (chosen) begin('/imports', chosen, { 'X-Lacuna-Name': encodeURIComponent(chosen.name) });
}

/** Offer the names in the folder that is being typed. */
async function complete() {
  const folder = path.value.replace(/[^/]*$/, '');
  if (known.dataset.folder === folder) return;
  known.dataset.folder = folder;
  const answer = await tried(error, () => api.post('/folders', { path: folder }));
  const names = answer?.entries.map((entry) => folder + entry.name + (entry.folder ? '/' : ''));
  if (names && known.dataset.folder === folder) offer(known, names);
}

async function begin(...sent) {
  cards.inert = true;
  fill(state, p('Reading…'));
  const begun = await tried(error, () => api.post(...sent));
  const ended = begun && (await watch(begun.job));
  cards.inert = false;
  file.value = '';
  if (ended) await app.refreshProject(); // before anybody can go to the new notes
  fill(state, ended && result(ended));
  state.querySelector('button')?.focus();
}

/** Wait for the end of a job; if it failed, why is said. */
async function watch(job) {
  for (;;) {
    const now = await tried(error, () => api.get(`/imports/${job}`));
    if (now?.state === 'failed') fill(error, now.error);
    if (now?.state !== 'running') return now;
    fill(state, p(`Reading… ${counted(now.documents, 'note')} so far`), h('progress', { 'aria-label': 'Reading' }));
    await new Promise((done) => setTimeout(done, TICK));
  }
}

const result = ({ documents, mentions, present, refused }) => [
  p(h('b', null, `${counted(documents, 'note')} added`), `, with ${counted(mentions, 'mention')}.`),
  present > 0 && p(`Already there, and skipped: ${counted(present, 'note')}.`),
  refused > 0 && p(`Refused, because another note has the same name: ${counted(refused, 'note')}.`),
  documents + present > 0 && press('Start reviewing', () => app.go('review', { replace: true }), { class: 'main' }),
];

export function show() {
  const { counts, formats } = app.project;
  fill(title, counts.documents ? 'Import' : 'Where are your notes?');
  offer(format, [['', 'find out'], ...formats.map(({ name }) => name)]);
  fill(state);
  fill(error);
}
