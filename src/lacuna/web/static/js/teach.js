// Teach: learn from the notes that were reviewed, and see whether that made the model better.

import { api } from './api.js';
import { fill, h } from './dom.js';
import { app } from './main.js';
import { counted, errorPlace, headed, p, press, promiseMeter, rows, table, tried, when } from './widgets.js';

const DOING = { preparing: 'Reading the reviewed notes', learning: 'Learning', judging: 'Comparing on notes it has not learnt from', polishing: 'The new model is in use; learning goes on' };
const share = (value) => (value === null ? '–' : `${(100 * value).toFixed(1)} %`);
const score = (value) => (value === null ? '–' : value.toFixed(3));
const between = (low, high, say) => (low === null ? '' : `${say(low)} to ${say(high)}`);

const error = errorPlace();
const now = h('div', { role: 'status' });
const known = h('div');

export const element = h('section', { class: 'screen' }, h('h1', null, 'Teach'), now, error, known);

async function ask(work) {
  const found = await tried(error, work);
  if (found) draw(found);
}

function draw(teaching) {
  const { job, learnt, gate, advice } = teaching;
  const doing = DOING[job?.state];
  fill(now,
    p(h('b', null, counted(learnt.documents, 'reviewed note')), ` to learn from, ${learnt.since_live} of them new to the model. ${counted(gate.documents, 'more note')} to compare models on; no model learns from these.`),
    doing
      ? [h('label', null, `${doing} … `, h('progress', { max: job.iterations || 1, value: job.iteration })), p(job.iterations > 0 && `Round ${job.iteration} of ${job.iterations}, `, `${job.seconds.toFixed(0)} s`), press('Stop and keep', () => ask(() => api.delete('/teaching')))]
      : [p(job?.message), p(advice), press('Teach now', () => ask(() => api.post('/teaching')), { class: 'main', disabled: !learnt.documents })]);
  fill(known, measured(teaching), labels(teaching), curve(teaching), h('h2', null, 'What could be promised'), promiseMeter(teaching.promise), models(teaching));
}

function measured({ last }) {
  if (!last) return null;
  const { before, now: after, changes, documents } = last;
  return [
    after.f1 !== null && [
      h('h2', null, `On ${counted(documents, 'note')} that it did not learn from`),
      table(['', 'before', 'now', '95 % interval'], rows(
        headed('Identifier words missed', { before: share(before.missed), now: h('b', null, share(after.missed)), interval: between(after.missed_low, after.missed_high, share) }),
        headed('Mentions exactly right (F1)', { before: score(before.f1), now: h('b', null, score(after.f1)), interval: between(after.f1_low, after.f1_high, score) }))),
      p('These notes also choose the model, so the figures are a little too good. Promises come from sealed notes: ', h('a', { href: '#/finish' }, 'Finish'), '.'),
    ],
    changes && h('details', null, h('summary', null, `In the notes that wait: ${counted(changes.new, 'new suggestion')}, ${changes.gone} gone`),
      h('ul', null, changes.documents.map((one) => h('li', null, h('a', { href: `#/review/${one.key}` }, one.id), ` +${one.new} −${one.gone}`)))),
  ];
}

function labels({ last, doubts, few }) {
  const all = new Map(last?.labels.map((one) => [one.label, one]));
  for (const { label } of doubts) if (!all.has(label)) all.set(label, { before: null, now: null, low: null, examples: '' });
  const doubtful = (label) => doubts.find((one) => one.label === label)?.share ?? 0;
  return [
    all.size > 0 && [h('h2', null, 'Labels'), table(['Label', 'F1 before', 'F1 now', '95 % interval', 'Examples learnt from', 'Of what is doubtful in waiting notes'], rows([...all].map(([label, one]) => headed(label, { before: score(one.before), now: score(one.now), interval: between(one.low, one.high, score), examples: one.examples, 'of doubts': share(doubtful(label)) }))))],
    few.length > 0 && p(`Too few examples to learn from (3 are needed): ${few.map(({ label, examples }) => `${label} (${examples})`).join(', ')}.`),
  ];
}

function curve({ curve: points }) {
  const alt = points.map((one) => `${share(one.missed)} missed after ${counted(one.documents, 'note')}`).join(', ');
  return points.length > 1 && [h('h2', null, 'Learning curve'), h('img', { class: 'picture', alt, src: `/api/teaching/curve.svg?${points.at(-1).key}` })];
}

function models({ models: all, live }) {
  const use = (key) => (key === live ? h('b', null, 'in use') : press('Use this', () => ask(() => api.post(`/models/${key}/live`)), { 'aria-label': `Use ${key ? `model ${key}` : 'the first model'}` }));
  const named = (key, name, more) => headed(h('a', { href: `#/model/${key}` }, name), { ...more, use: use(key) });
  return [h('h2', null, 'Models'), table(['Model', 'Made', 'Notes', 'What came of it', ''], rows(
    all.map((one) => named(one.key, `Model ${one.key}`, { made: `${when(one.made_at)}, ${one.made_by}`, notes: one.documents, outcome: one.why })),
    named(0, 'First model', { made: '', notes: '', outcome: 'As project.toml says' })))];
}

export const show = () => ask(() => api.get('/teaching'));

for (const type of ['teaching', 'model', 'queue', 'resume']) app.on(type, () => app.screen?.element === element && show());
