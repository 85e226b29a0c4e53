// Model: what a model is, what it has learnt, and how far its probabilities can be trusted.

import { fill, h } from './dom.js';
import { errorPlace, p, table, tried } from './forms.js';

export function modelScreen(app) {
  const error = errorPlace();
  const found = h('div');
  const title = h('h1', null, 'Model');
  const element = h('section', { class: 'screen' }, title, error, found);

  async function show(asked) {
    const key = asked ?? (await app.api.get('/teaching')).body.live;
    const model = await tried(error, () => app.api.get(`/models/${key}`));
    if (!model) return fill(found);
    const picture = (name, alt) => h('img', { class: 'picture', alt, src: `/api/models/${key}/${name}`, loading: 'lazy' });
    const section = (name, shown, ...inside) => shown && [h('h2', null, name), ...inside];
    title.textContent = key ? `Model ${key}` : model.name;
    fill(found,
      h('dl', null, model.card.map(([name, value]) => [h('dt', null, name), h('dd', null, value)])),
      section('Promises', model.promises.length, h('ul', null, model.promises.map((words) => h('li', null, words)))),
      section('Scores', model.scores.length, table(['Label', 'Precision', 'Recall', 'F1', 'Mentions'], h('tbody', null, model.scores.map((one) => h('tr', null, h('th', { scope: 'row' }, one.label), ...['precision', 'recall', 'f1'].map((name) => h('td', { dataset: { name } }, one[name].toFixed(3))), h('td', { dataset: { name: 'mentions' } }, one.gold)))))),
      section('Can its probabilities be trusted?', model.has_calibration, p('On notes that it did not learn from: of words that it gives a probability, how many are identifiers. A dot on the line is right; below it, the model is too sure.'), picture('calibration.svg', 'Predicted probability against the share that was right')),
      section('What decides', model.features.length, p('The strongest evidence for each label.'), model.features.map(({ label, features }) => h('details', null, h('summary', null, label), table(['Evidence', 'Weight'], h('tbody', null, features.map(([name, weight]) => h('tr', null, h('th', { scope: 'row' }, name), h('td', null, weight.toFixed(2))))))))),
      section('What follows what', model.has_transitions, picture('transitions.svg', 'How probable each tag is after each other tag')),
      section('Kinds of words it tells apart', model.subtags.length, model.subtags.map((label) => h('details', null, h('summary', null, label), picture(`subtags.svg?label=${encodeURIComponent(label)}`, `Sub-tags of ${label}`)))));
  }

  return { element, show, hide() {} };
}
