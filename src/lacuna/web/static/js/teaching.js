// Teach: learn from the notes that were reviewed, and see whether that made the model better.

import { fill, h } from './dom.js';
import { errorPlace, p, table, tried, when } from './forms.js';
import { choice as button, counted } from './widgets.js';

const DOING = { preparing: 'Reading the reviewed notes', learning: 'Learning', polishing: 'In use; learning goes on', judging: 'Comparing on notes it has not learnt from' };
const share = (value, digits = 1) => (value === null ? '–' : `${(100 * value).toFixed(digits)} %`);
const score = (value) => (value === null ? '–' : value.toFixed(3));
const between = (low, high, say) => (low === null ? '' : `${say(low)} to ${say(high)}`);
const cell = (name, ...children) => h('td', { dataset: { name } }, ...children);

export function teachScreen(app) {
  const error = errorPlace();
  const now = h('div', { role: 'status' });
  const known = h('div');
  const element = h('section', { class: 'screen teach' }, h('h1', null, 'Teach'), now, error, known);
  const ask = async (work) => {
    const found = await tried(error, work);
    if (found) draw(found);
  };
  const start = () => ask(() => app.api.post('/teaching', {}));
  const stop = () => ask(() => app.api.delete('/teaching'));
  const use = (key) => ask(() => app.api.post(`/models/${key}/live`, {}));

  function draw(teaching) {
    const { job, learnt, gate, advice } = teaching;
    const running = job && job.state in DOING;
    fill(now,
      p(h('b', null, counted(learnt.documents, 'note')), ` to learn from, ${learnt.since_live} since the last model. `, counted(gate.documents, 'note'), ' to compare models on; no model learns from these.'),
      advice && p(advice),
      running
        ? [h('label', null, `${DOING[job.state]} … `, h('progress', { max: job.iterations || 1, value: job.iteration })), p(h('small', null, job.iterations ? `Round ${job.iteration} of ${job.iterations}, ` : '', `${job.seconds.toFixed(0)} s`)), button('Stop and keep', stop)]
        : [job?.message && p(job.message), button('Teach now', start, { class: 'main', disabled: !learnt.documents })]);
    fill(known, outcome(teaching), curve(teaching), promise(teaching), models(teaching));
  }

  function outcome({ last, doubts, few }) {
    const shares = new Map(doubts.map(({ label, share: part }) => [label, part]));
    const labels = new Map((last?.labels ?? []).map((one) => [one.label, one]));
    for (const { label } of doubts) if (!labels.has(label)) labels.set(label, { label, before: null, now: null, examples: 0 });
    const measured = last && last.verdict !== 'no-gate';
    const rows = [...labels.values()].map((one) => h('tr', null, h('th', { scope: 'row' }, one.label), cell('before', score(one.before)), cell('now', score(one.now), h('small', null, one.now === null ? '' : ` ${between(one.low, one.high, score)}`)), cell('examples', one.examples), cell('of doubts', share(shares.get(one.label) ?? 0, 0))));
    return [
      measured && [
        h('h2', null, `On ${counted(last.documents, 'note')} that it did not learn from`),
        table(['', 'before', 'now', '95 % interval'], h('tbody', null,
          row('Identifier words missed', share(last.before.missed), share(last.now.missed), between(last.now.missed_low, last.now.missed_high, share)),
          row('Mentions exactly right (F1)', score(last.before.f1), score(last.now.f1), between(last.now.f1_low, last.now.f1_high, score)))),
        p(h('small', null, 'These notes also choose which model is used, so the figures are a little too good. What can be promised is measured at the end, on the sealed notes.')),
      ],
      last?.changes && changes(last.changes),
      rows.length > 0 && [h('h2', null, 'Labels'), table(['Label', 'F1 before', 'F1 now', 'Examples learnt from', 'Share of what is doubtful in waiting notes'], h('tbody', null, rows))],
      few.length > 0 && p(`Too few examples to learn (3 are needed): ${few.map(({ label, examples }) => `${label} (${examples})`).join(', ')}.`),
    ];
  }

  const row = (name, before, after, interval) => h('tr', null, h('th', { scope: 'row' }, name), cell('before', before), cell('now', h('b', null, after)), cell('interval', interval));

  const changes = ({ new: more, gone, documents }) => h('details', null, h('summary', null, `In the notes that wait: ${counted(more, 'new suggestion')}, ${gone} gone`),
    h('ul', null, documents.map((one) => h('li', null, h('a', { href: `#/review/${one.key}` }, one.id), ` +${one.new} −${one.gone}`))));

  const curve = (teaching) => teaching.curve.length > 1 && [h('h2', null, 'Learning curve'), h('img', { class: 'picture', alt: `Share of identifier words missed: ${teaching.curve.map((one) => `${share(one.missed)} after ${counted(one.documents, 'note')}`).join(', ')}`, src: `/api/teaching/curve.svg?${teaching.curve.at(-1).key}` })];

  const promise = ({ promise: meters = [] }) => meters.length > 0 && [h('h2', null, 'What can be promised'),
    h('ul', { class: 'plain' }, meters.map(({ level, confidence, needed, have }) => h('li', null,
      h('label', null, `At most ${share(level, 0)} missed, with ${share(confidence, 0)} confidence: ${needed} sealed patients are needed, you have ${have}. `, h('meter', { max: needed, value: Math.min(have, needed) }))))),
    p(h('small', null, 'Sealed patients come in every fifth turn of the queue, without suggestions. '), h('a', { href: '#/finish' }, 'Finish'), h('small', null, ' measures on them, once.'))];

  function models({ models: all, live }) {
    const rows = all.map((one) => h('tr', null, h('th', { scope: 'row' }, h('a', { href: `#/model/${one.key}` }, `Model ${one.key}`)), cell('made', `${when(one.made_at)}, ${one.made_by}`), cell('notes', one.documents), cell('', one.why), cell('', using(one.key, live))));
    rows.push(h('tr', null, h('th', { scope: 'row' }, h('a', { href: '#/model/0' }, 'First model')), cell('', 'as in project.toml'), cell(''), cell(''), cell('', using(0, live))));
    return [h('h2', null, 'Models'), table(['Model', 'Made', 'Notes', '', ''], h('tbody', null, rows))];
  }

  const using = (key, live) => (key === live ? h('b', null, 'in use') : button('Use this', () => use(key), { 'aria-label': `Use model ${key}` }));

  const show = () => ask(() => app.api.get('/teaching'));
  for (const type of ['teaching', 'model', 'resume']) app.on(type, () => app.screen?.element === element && show());
  return { element, show, hide() {} };
}
