// De-identify: all notes of the project, or a folder of this machine; first what would be done.

import { api } from './api.js';
import { fill, h } from './dom.js';
import { app } from './main.js';
import { counted, errorPlace, field, group, line, offer, p, press, radio, tried } from './widgets.js';

let job = null; // that runs
const error = errorPlace();
const plan = h('div', { role: 'status' });
const path = line({ 'aria-label': 'File or folder', placeholder: 'notes/', oninput: () => (form.elements.source.value = 'path') });
const output = line({ placeholder: 'a new folder in the project’s exports' });
const policy = h('select');
const threshold = h('input', { type: 'number', min: 0, max: 1, step: 'any' });
const count = press('Count first', () => start(true));
const run = press('De-identify', () => start(false), { class: 'main' });
const form = h('form', { onsubmit: (event) => event.preventDefault() },
  group('Which notes', radio('All notes of this project, with what people decided', 'source', 'project'), radio('A file or folder of this machine', 'source', 'path'), path),
  group('How', field('Policy', policy), field('Take out words from this probability on', threshold), field('Write to', output)));
form.elements.source.value = 'project';

export const element = h('section', { class: 'screen' }, h('h1', null, 'De-identify'), form, h('div', { class: 'line' }, count, run), plan, error);

async function start(dry) {
  const asked = { source: form.elements.source.value === 'path' ? path.value : 'project', policy: policy.value, threshold: Number(threshold.value), dry, ...(output.value && { output: output.value }) };
  const found = await tried(error, () => api.post('/deid-runs', asked));
  if (found) draw(found);
}

function draw(found) {
  const { state, dry, documents, failed, of, share, counts, expected_missed: missed, output: to, private: kept, report, remarks, error: why } = found;
  job = state === 'running' ? found.job : null;
  run.disabled = count.disabled = job !== null;
  const labels = Object.entries(counts).sort((one, other) => other[1] - one[1]);
  const done = state === 'done' && [
    p(h('b', null, counted(documents, 'note')), dry ? ' would be written.' : ' written to ', !dry && h('code', null, to)),
    failed > 0 && p(`${counted(failed, 'note')} could not be de-identified and ${dry ? 'would be' : 'are'} left out.`),
    missed !== null && p(`About ${missed.toFixed(missed < 10 ? 1 : 0)} identifier words are expected to be missed.`),
    kept && p('Keep to yourself: ', h('code', null, kept)),
    report && p(h('a', { href: report, target: '_blank', rel: 'noopener' }, 'Report')),
  ];
  fill(plan,
    job !== null && [h('label', null, `${counted(documents, 'note')} of ${of ?? '…'} `, h('progress', { max: 1, value: share })), press('Stop', () => api.delete(`/deid-runs/${job}`))],
    state === 'failed' && p(`It failed: ${why}`), state === 'stopped' && p('Stopped; nothing was written.'), done,
    labels.length > 0 && p('By label:'), labels.length > 0 && h('ul', null, labels.map(([label, times]) => h('li', null, `${label}: ${times}`))),
    remarks.map((one) => p(one)));
}

export async function show() {
  offer(policy, app.project.policies, policy.value || app.project.policy);
  threshold.value ||= app.project.threshold;
  await follow();
}

async function follow() {
  const [newest] = (await api.get('/deid-runs')).body.runs;
  if (newest && (newest.state === 'running' || newest.job === job)) draw(newest);
}

for (const type of ['deid', 'resume']) app.on(type, () => app.screen?.element === element && follow());
