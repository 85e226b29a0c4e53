// De-identify: all notes of the project, or a folder of this machine; first what would be done.

import { fill, h } from './dom.js';
import { errorPlace, field, line, options, p, tick, tried } from './forms.js';
import { choice as button, counted } from './widgets.js';

export function deidScreen(app) {
  let job = null;
  const error = errorPlace();
  const plan = h('div', { role: 'status' });
  const radio = (words, value) => tick(words, { type: 'radio', name: 'source', value });
  const path = line({ name: 'path', placeholder: 'notes/' });
  const output = line({ name: 'output', placeholder: 'a new folder in the project’s exports' });
  const policy = h('select', { name: 'policy' });
  const threshold = h('input', { type: 'number', name: 'threshold', min: 0, max: 1, step: 'any' });
  const run = button('De-identify', () => start(false), { class: 'main' });
  const form = h('form', { onsubmit: (event) => (event.preventDefault(), start(true)) },
    h('fieldset', null, h('legend', null, 'Which notes'), radio('All notes of this project, with what people decided', 'project'), radio('A file or folder of this machine', 'path'), path),
    h('fieldset', null, h('legend', null, 'How'), field('Policy', policy), field('Words from this probability on are taken out', threshold), field('Write to', output)),
    h('div', { class: 'row' }, button('Count first', () => start(true)), run));
  const element = h('section', { class: 'screen' }, h('h1', null, 'De-identify'), form, plan, error);
  form.elements.source.value = 'project';

  async function start(dry) {
    const { source } = Object.fromEntries(new FormData(form));
    const asked = { source: source === 'path' ? path.value : 'project', policy: policy.value, threshold: Number(threshold.value), dry, ...(output.value && { output: output.value }) };
    const found = await tried(error, () => app.api.post('/deid-runs', asked));
    if (found) draw(found);
  }

  function draw(found) {
    const { state, dry, documents, of, counts, expected_missed: missed, output: to, report, error: why } = found;
    job = state === 'running' ? found.job : null;
    run.disabled = Boolean(job);
    const labels = Object.entries(counts).sort((one, other) => other[1] - one[1]);
    fill(plan,
      job && [h('label', null, `${counted(documents, 'note')} of ${of ?? '…'} `, h('progress', of ? { max: of, value: documents } : null)), button('Stop', () => app.api.delete(`/deid-runs/${job}`))],
      state === 'failed' && p(`It failed: ${why}`),
      state === 'stopped' && p('Stopped.'),
      state === 'done' && [p(h('b', null, counted(documents, 'note')), dry ? ' would be written.' : ' written to ', !dry && h('code', null, to)), missed !== null && p(`About ${missed.toFixed(1)} identifier words may be missed.`), report && p(h('a', { href: report, target: '_blank', rel: 'noopener' }, 'Report'))],
      labels.length > 0 && h('ul', null, labels.map(([label, count]) => h('li', null, `${label}: ${count}`))));
  }

  async function show() {
    fill(policy, options(app.project.policies));
    policy.value = app.project.policy;
    threshold.value ||= app.project.threshold;
  }

  app.on('deid', async () => {
    if (job !== null && app.screen?.element === element) draw((await app.api.get(`/deid-runs/${job}`)).body);
  });
  return { element, show, hide() {} };
}
