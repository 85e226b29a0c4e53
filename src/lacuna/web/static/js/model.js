// Model: what a model is, what it has learnt, and how far its probabilities can be trusted.

import { api } from './api.js';
import { fill, h } from './dom.js';
import { counted, errorPlace, p, row, rows, table, tried } from './widgets.js';

const error = errorPlace();
const found = h('div');
const title = h('h1', null, 'Model');

export const element = h('section', { class: 'screen' }, title, error, found);

const section = (name, shown, ...inside) => shown > 0 && [h('h2', null, name), inside];
const list = (all) => h('ul', null, all.map((words) => h('li', null, words)));

export async function show(asked) {
  const key = asked ?? (await api.get('/teaching')).body.live;
  const model = await tried(error, () => api.get(`/models/${key}`));
  title.textContent = key ? `Model ${key}` : 'First model';
  if (!model) return fill(found);
  const picture = (name, alt) => h('img', { class: 'picture', alt, src: `/api/models/${key}/${name}`, onerror: ({ target }) => target.replaceWith('There is nothing to draw yet.') });
  fill(found,
    p(`${model.file}, ${model.kind}, ${(model.bytes / 1e6).toFixed(1)} MB. Labels: ${model.labels.join(', ')}.`),
    section('Promises', model.promises.length, list(model.promises.map(({ words, threshold }) => `${words} (threshold ${threshold.toFixed(3)})`))),
    section('Card', model.cards.length, model.cards.map(card)),
    section('Warnings', model.warnings.length, list(model.warnings)),
    section('Can its probabilities be trusted?', true, p('On reviewed notes of the gate: of the words that get a probability, how many are identifiers. Dots on the line are right; below it, the model is too sure.'), picture('calibration.svg', 'Predicted probability against the share that was right')),
    section('What it has learnt', model.tables.length, model.tables.map((one) => h('details', null, h('summary', null, one.title), table(one.header, rows(one.rows.map((cells) => row(...cells))))))),
    section('What follows what', model.transitions, picture('transitions.svg', 'How probable each tag is after each other tag')),
    section('Kinds of words it tells apart', model.subtags.length, model.subtags.map((label) => h('details', null, h('summary', null, label), picture(`subtags.svg?label=${encodeURIComponent(label)}`, `Sub-tags of ${label}`)))),
    list(model.remarks));
}

const card = ({ data, documents, tokens, iterations, scores, licence, version }, at) =>
  p(at ? 'Adapted from: ' : '', `${counted(documents, 'document')}, ${counted(tokens, 'token')}${data.length ? ` of ${data.join(', ')}` : ''}; ${counted(iterations, 'iteration')}; lacuna ${version}${licence ? `; licence ${licence}` : ''}.`, scores.map(({ how, f1 }) => ` F1 ${f1.toFixed(3)} (${how}).`));
