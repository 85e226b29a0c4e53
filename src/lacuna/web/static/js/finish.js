// Finish: a model with scores and a promise from the sealed notes, which are looked at once.

import { api } from './api.js';
import { fill, h } from './dom.js';
import { app } from './main.js';
import { counted, errorPlace, field, offer, p, press, promiseMeter, row, rows, table, tick, tried, when } from './widgets.js';

const error = errorPlace();
const now = h('div', { role: 'status' });
const level = offer(h('select'), [['0.1', '10 %'], ['0.05', '5 %'], ['0.02', '2 %'], ['0.01', '1 %']], '0.05');
const again = tick('Open the seal again. The promise is void then, and the protocol says so.');
const seal = press('Finish', () => start(false), { class: 'main' });
const all = press('Train on everything', () => start(true));
const made = h('div');

export const element = h('section', { class: 'screen' }, h('h1', null, 'Finish'), now, error,
  h('div', { class: 'cards' },
    h('section', { class: 'card' }, h('h2', null, 'With a promise'), p('Learns from all reviewed notes but the sealed ones. Scores and threshold come from the sealed patients, who are looked at once.'), field('Share of identifier words that may be missed, with 95 % confidence', level), again, seal),
    h('section', { class: 'card' }, h('h2', null, 'From everything'), p('Learns from all reviewed notes, the sealed ones too. Scores come from cross-validation; nothing is promised.'), all)),
  made);

const start = (everything) => ask(() => api.post('/finish', { everything, level: Number(level.value), again: !again.hidden && again.firstChild.checked }));

async function ask(work) {
  const found = await tried(error, work);
  if (found) draw(found);
}

function draw({ job, finished, sealed, promise }) {
  const running = job && !['done', 'failed', 'stopped'].includes(job.state);
  seal.disabled = all.disabled = running;
  again.hidden = !sealed.reviewed_patients || promise[0].have > 0;
  if (again.hidden) again.firstChild.checked = false;
  fill(now,
    p(h('b', null, counted(sealed.reviewed_patients, 'sealed patient')), ` of ${sealed.patients} reviewed. Those count whom the queue has drawn and no model has seen.`),
    promiseMeter(promise),
    running && [h('label', null, `${job.message || 'Working'} … `, h('progress', job.iterations ? { max: job.iterations, value: job.iteration } : null)), press('Stop', () => ask(() => api.delete('/finish')))],
    !running && job?.message && p(job.message));
  fill(made, finished.length > 0 && [h('h2', null, 'Finished models'), table(['Model', 'Made', 'Promise', ''], rows(finished.map((one) =>
    row(h('a', { class: 'whole', href: `#/model/${one.key}` }, one.file.split('/').at(-1)), when(one.made_at), one.void ? 'The promise is void: these patients had been looked at.' : (one.promise ?? one.without ?? 'No promise.'), h('a', { class: 'whole', href: one.protocol, target: '_blank', rel: 'noopener' }, 'Protocol')))))]);
}

export const show = () => ask(() => api.get('/finish'));

for (const type of ['finish', 'resume']) app.on(type, () => app.screen?.element === element && show());
