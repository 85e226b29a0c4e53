// Notes into the project: made-up ones, those of this machine, or an upload. Also the first page.

import { fill, h } from './dom.js';
import { button, counted, errorPlace, field, line, listed, select, tried } from './forms.js';

const TICK = 400; // ms between two looks at a job
const GROUPS = [
  ['', 'as the files say'],
  ['^[^/]+(?=/)', 'the folder a note is in'],
  ['^(?:.*/)?([^/_-]+)[_-]', 'the name of a file up to - or _'],
  ['own', 'a pattern of my own'],
];

export function importScreen(app) {
  const title = h('h1', null);
  const error = errorPlace();
  const state = h('div', { role: 'status' });
  const known = h('datalist', { id: 'folders' });
  const path = line({ list: 'folders', required: true, oninput: complete });
  const format = select([]);
  const pattern = line({ placeholder: 'regular expression on the name of a note' });
  const patternField = field('Pattern', pattern);
  const groups = select(GROUPS, { onchange: () => (patternField.hidden = groups.value !== 'own') });
  const file = h('input', { type: 'file', 'aria-label': 'File', onchange: () => file.files.length && upload(file.files[0]) });
  patternField.hidden = true;
  const card = (name, sentence, ...rest) => h('section', { class: 'card' }, h('h2', null, name), h('p', null, sentence), ...rest);
  const dropped = (event) => {
    event.preventDefault();
    if (event.type === 'drop' && event.dataTransfer.files.length) upload(event.dataTransfer.files[0]);
  };
  const drop = card('Upload a file', 'Choose a file, or drop it here. It stays on this machine.', file);
  for (const type of ['dragover', 'drop']) drop.addEventListener(type, dropped);
  const cards = h('div', { class: 'cards' },
    card('Try it with made-up notes', 'Adds generated notes, in which no real person occurs.',
      button('Add made-up notes', () => begin(() => app.api.post('/imports/demo', {})), { class: 'main' })),
    card('Open a folder or file', 'Reads notes on this machine. The files stay as they are.',
      h('form', { onsubmit: open },
        field('Folder or file', path), known,
        h('details', null, h('summary', null, 'More'), field('Format', format), field('Patient', groups), patternField),
        h('button', { class: 'main' }, 'Open'))),
    drop);
  const element = h('section', { class: 'screen' }, title, cards, error, state);

  function open(event) {
    event.preventDefault();
    const group_from = groups.value === 'own' ? pattern.value : groups.value;
    begin(() => app.api.post('/imports', { path: path.value, format: format.value || null, group_from: group_from || null }));
  }

  function upload(chosen) {
    begin(() => app.api.post('/imports', chosen, { 'Content-Type': 'application/octet-stream', 'X-Lacuna-Name': encodeURIComponent(chosen.name) }));
  }

  /** Names in the folder that is being typed. */
  async function complete() {
    const folder = path.value.replace(/[^/]*$/, '');
    if (known.dataset.folder === folder) return;
    known.dataset.folder = folder;
    const answer = await tried(error, () => app.api.post('/folders', { path: folder || '.' }));
    if (answer && known.dataset.folder === folder) fill(known, listed(answer.entries.map((entry) => [`${folder}${entry.name}${entry.folder ? '/' : ''}`, ''])));
  }

  async function begin(send) {
    cards.inert = true;
    fill(state, h('p', null, 'Reading…'));
    const begun = await tried(error, send);
    const ended = begun && (await watch(begun.job));
    cards.inert = false;
    file.value = '';
    fill(state, ended && result(ended));
    if (ended) await app.refreshProject();
    state.querySelector('button')?.focus();
  }

  /** Wait for a job; null if it failed, and why is said. */
  async function watch(job) {
    for (;;) {
      const now = await tried(error, () => app.api.get(`/imports/${job}`));
      if (!now) return null;
      if (now.state === 'failed') fill(error, now.error);
      if (now.state !== 'running') return now.documents || now.state === 'done' ? now : null;
      fill(state, h('p', null, `Reading… ${counted(now.documents, 'note')} so far`), h('progress', { 'aria-label': 'Reading' }));
      await new Promise((done) => setTimeout(done, TICK));
    }
  }

  const result = ({ documents, mentions, present, refused }) => [
    h('p', null, h('b', null, `${counted(documents, 'note')} added`), `, with ${counted(mentions, 'mention')}.`),
    present > 0 && h('p', null, `${counted(present, 'note')} skipped: in the project already.`),
    refused > 0 && h('p', null, `${counted(refused, 'note')} refused: another note in the project has the same name.`),
    button('Start reviewing', () => app.go('#/review'), { class: 'main' }),
  ];

  function show() {
    const { counts, formats } = app.project;
    fill(title, counts.documents ? 'Import' : 'Where are your notes?');
    fill(format, listed([['', 'find out'], ...formats.map(({ name }) => [name, name])]));
    fill(state);
    complete();
  }

  return { element, show, hide() {} };
}
