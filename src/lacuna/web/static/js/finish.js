// Finish: a model with scores and a promise from the sealed notes, which are looked at once.

import { fill, h } from './dom.js';
import { errorPlace, field, options, p, table, tick, tried, when } from './forms.js';
import { choice as button, counted } from './widgets.js';

export function finishScreen(app) {
  const error = errorPlace();
  const now = h('div', { role: 'status' });
  const level = h('select', null, options([['0.05', '5 %'], ['0.02', '2 %'], ['0.01', '1 %']]));
  const again = tick('Open the seal again. The promise is void then, and the protocol says so.');
  const start = (everything) => ask(() => app.api.post('/finish', { everything, level: Number(level.value), confidence: 0.95, again: again.firstChild.checked }));
  const sealed = button('Finish', () => start(false), { class: 'main' });
  const all = button('Train on everything', () => start(true));
  const form = h('div', { class: 'cards' },
    h('section', { class: 'card' }, h('h2', null, 'With a promise'), p('Learns from all reviewed notes but the sealed ones. Scores and threshold come from the sealed patients.'), field('At most this share of identifiers may be missed, with 95 % confidence', level), again, sealed),
    h('section', { class: 'card' }, h('h2', null, 'From everything'), p('Learns from all reviewed notes, the sealed ones too. Scores come from cross-validation; nothing is promised.'), all));
  const made = h('div');
  const element = h('section', { class: 'screen' }, h('h1', null, 'Finish'), now, error, form, made);

  async function ask(work) {
    const found = await tried(error, work);
    if (found) draw(found);
  }

  function draw({ job, finished, sealed: seal }) {
    const running = job && !['done', 'failed', 'stopped'].includes(job.state);
    const opened = seal.reviewed_patients > 0 && !seal.unseen_patients;
    sealed.disabled = all.disabled = running;
    again.hidden = !opened;
    fill(now,
      p(h('b', null, counted(seal.reviewed_patients, 'sealed patient')), ` of ${seal.patients} reviewed, ${seal.unseen_patients} of them not looked at yet.`),
      running && h('label', null, `${job.message || 'Working'} … `, h('progress', job.iterations ? { max: job.iterations, value: job.iteration } : null)),
      !running && job?.message && p(job.message));
    const rows = finished.map((one) => h('tr', null, h('th', { scope: 'row' }, h('a', { href: `#/model/${one.key}` }, one.file)), h('td', null, when(one.made_at)), h('td', null, one.void ? 'The promise is void.' : one.promise ?? 'No promise.'), h('td', null, h('a', { href: one.protocol, target: '_blank', rel: 'noopener' }, 'Protocol'))));
    fill(made, rows.length > 0 && [h('h2', null, 'Finished models'), table(['Model', 'Made', 'Promise', ''], h('tbody', null, rows))]);
  }

  const show = () => ask(() => app.api.get('/finish'));
  for (const type of ['finish', 'resume']) app.on(type, () => app.screen?.element === element && show());
  return { element, show, hide() {} };
}
