// Export: what the format cannot hold, and where the notes go, is said before anything is written.

import { api } from './api.js';
import { fill, h } from './dom.js';
import { app } from './main.js';
import { counted, errorPlace, field, group, line, offer, p, press, radio, rested, tick, tried } from './widgets.js';

const LOSSES = ['nothing', 'extras', 'mentions']; // what may be left out, each with those before it
const PLAINLY = { groups: 'patients of notes', 'discontiguous mentions': 'mentions with gaps' };

let turn = 0; // of the latest question; answers to earlier ones are dropped
const soon = rested(300, ask);

const reviewed = radio('', 'documents', 'reviewed');
const all = radio('', 'documents', 'all');
const selected = radio('', 'documents', 'selected');
const suggestions = tick('With what the model suggests in notes that are not done');
const policies = h('select', { name: 'policy' });
const policy = field('Policy', policies);
const format = h('select', { name: 'format' });
const path = line({ name: 'path', placeholder: 'a new name in the project’s exports' });
const plan = h('div', { role: 'status' });
const error = errorPlace();
const write = press('Write', () => ask(false), { class: 'main' });
const form = h('form', { oninput: later, onsubmit: (event) => event.preventDefault() },
  group('Which notes', reviewed, all, selected),
  group('What to write', radio('Notes with their mentions', 'content', 'annotations'),
    radio('De-identified notes, in which what was found is replaced', 'content', 'deidentified'), policy, suggestions),
  group('Where', field('Format', format), field('File or folder', path)));

export const element = h('section', { class: 'screen' }, h('h1', null, 'Export'), form, plan, error, write);
form.elements.documents.value = 'reviewed';
form.elements.content.value = 'annotations';

function later() {
  turn += 1;
  write.disabled = true;
  policy.hidden = form.elements.content.value === 'annotations';
  suggestions.hidden = !policy.hidden || !app.project.model; // de-identified notes always have them
  soon(true);
}

async function ask(dry) {
  const mine = ++turn;
  const asked = { ...Object.fromEntries(new FormData(form)), suggestions: !suggestions.hidden && suggestions.firstChild.checked, loss: dry ? 'mentions' : write.value, dry };
  if (asked.documents === 'selected') asked.documents = app.selection;
  if (policy.hidden) delete asked.policy;
  if (!asked.path) delete asked.path;
  write.disabled = true;
  if (!dry) fill(plan, p('Writing…'));
  const answer = await tried(error, () => api.post('/exports', asked));
  if (mine !== turn) return;
  if (!answer || answer.refused) fill(plan, answer && p(`This cannot be written: ${answer.refused}`));
  else said(answer, dry);
}

function said({ documents, left_out, path: to }, dry) {
  write.value = LOSSES[Math.max(0, ...left_out.map(({ level }) => LOSSES.indexOf(level)))];
  write.disabled = !dry;
  fill(write, write.value === 'mentions' ? 'Write without these mentions' : 'Write');
  const lost = left_out.map(({ what, count, level }) => h('li', { class: level }, `${PLAINLY[what] ?? what}: ${count}`));
  fill(plan,
    p(h('b', null, counted(documents, 'note')), dry ? ' will be written to ' : ' written to ', h('code', null, dry && !path.value ? to.replace(/[^/]*$/, '…') : to)),
    lost.length ? [p(dry ? `${format.value} cannot hold these; they will be left out:` : 'Left out:'), h('ul', null, lost)] : p(`Nothing ${dry ? 'will be' : 'was'} left out.`));
}

export function show() {
  const { counts, formats, policies: names, policy: usual } = app.project;
  const count = app.selection?.length ?? 0;
  const name = (radio, words, many) => fill(radio, radio.firstChild, `${words} (${many})`);
  name(reviewed, 'Reviewed', counts.states.done);
  name(all, 'All', counts.documents);
  name(selected, 'Selected among all notes', count);
  selected.hidden = !count;
  if (count) selected.firstChild.checked = true;
  const written = formats.filter(({ writes }) => writes);
  offer(format, written.map(({ name, shape }) => [name, `${name} (${shape === 'file' ? 'one file' : 'a folder'})`]));
  offer(policies, names, usual);
  later();
}
