// The notes that wait, in the order of the queue, or those that a search finds.

import { fill, h, keyed } from './dom.js';
import { button } from './widgets.js';

const SIGNS = { new: '○', open: '○', done: '✓', later: '◷' };
const SHOWN = { queue: 'waiting', done: 'reviewed', later: 'later', flagged: 'flagged', all: 'all notes' };
const RANDOM = 'Drawn at random, so that the model can be judged fairly. It may be easy.';

export class QueuePane {
  constructor(app, perform) {
    this.app = app;
    this.rows = [];
    this.field = h('input', { type: 'search', id: 'search', 'aria-label': 'Search notes', placeholder: 'Search', autocomplete: 'off', spellcheck: 'false' });
    this.which = h('select', { 'aria-label': 'Which notes' }, Object.entries(SHOWN).map(([value, text]) => h('option', { value }, text)));
    this.label = h('select', { 'aria-label': 'With label' });
    this.list = h('ol', { id: 'queue' });
    this.foot = h('p', { class: 'soft' });
    this.more = h('button', { type: 'button', hidden: true, onclick: () => this.load(true) }, 'More');
    this.element = h('div', { class: 'inside' }, h('div', { class: 'line' }, this.field, button('search', perform, '', { tabindex: -1, 'aria-hidden': 'true' })), h('div', { class: 'line' }, this.which, this.label), this.list, this.more, this.foot);
    let waiting;
    this.field.addEventListener('input', () => {
      clearTimeout(waiting);
      waiting = setTimeout(() => this.load(), 250);
    });
    this.field.addEventListener('keydown', async ({ key }) => {
      if (key === 'Enter' && this.words) {
        clearTimeout(waiting);
        await this.load(); // what was found, not what the list showed before
        this.list.querySelector('a')?.click();
      }
      if (key === 'Escape') document.getElementById('pane')?.focus(); // the keys are there
    });
    for (const field of [this.which, this.label]) field.addEventListener('change', () => this.load());
    app.on('refreshed', () => this.counts());
    this.counts();
  }

  get words() {
    return this.field.value.trim();
  }

  /** Where the words that were searched for are in a text: the first 50 places. */
  hits(text) {
    const [words, folded] = [this.words.toLowerCase(), text.toLowerCase()];
    const found = [];
    for (let at = folded.indexOf(words); words && at >= 0 && found.length < 50; at = folded.indexOf(words, at + 1)) found.push([at, at + words.length]);
    return found;
  }

  get filtered() {
    return Boolean(this.words || this.label.value || this.which.value !== 'queue');
  }

  /** The note after another one in a list that was searched for; null: ask the queue. */
  after(key) {
    if (!this.filtered) return null;
    const at = this.rows.findIndex((row) => row.key === key);
    return this.rows[at + 1]?.key ?? null;
  }

  counts() {
    const { counts, labels } = this.app.project;
    const { states, flagged } = counts;
    this.foot.textContent = `${states.new + states.open} left · ${states.later} later · ${flagged} ⚑`;
    if (this.labels === labels.length) return;
    this.labels = labels.length;
    fill(this.label, h('option', { value: '' }, 'any label'), labels.map(({ name }) => h('option', { value: name }, name)));
  }

  async load(more = false) {
    const { api } = this.app;
    const which = this.which.value;
    const states = { queue: ['new', 'open'], done: ['done'], later: ['later'] }[which];
    const ask = { order: 'need', limit: 50, ...(more && { after: this.rows.at(-1).key }), ...(states && { states }), ...(which === 'flagged' && { flag: true }), ...(this.label.value && { label: this.label.value }), ...(this.words && { words: this.words }) };
    const asked = (this.asked = Symbol('asked'));
    const { body } = await (this.filtered ? api.post('/documents/search', ask) : api.get('/queue?limit=50'));
    if (asked !== this.asked) return;
    this.rows = more ? [...this.rows, ...body.documents] : body.documents;
    this.more.hidden = !this.filtered || body.next === null;
    this.show(this.current);
    this.onload?.();
  }

  show(current) {
    this.current = current;
    keyed(this.list, this.rows, ({ key }) => key, () => h('li', null, h('a', null)), (element, row) => {
      const [link] = element.children;
      const random = row.reason === 'random';
      const need = row.state === 'done' || row.need === null ? '' : `~${row.need.toFixed(1)}`;
      link.href = `#/review/${row.key}`;
      if (row.key === current) link.setAttribute('aria-current', 'true');
      else link.removeAttribute('aria-current');
      link.title = random ? RANDOM : need && 'How much a look is needed: about what the model may have missed';
      const sign = row.key === current ? '●' : random ? '◆' : SIGNS[row.state];
      fill(link, h('i', { 'aria-hidden': 'true' }, sign), h('span', null, row.id), row.flag && '⚑', h('small', null, random ? 'random' : need));
    });
    if (!this.rows.length) fill(this.list, h('li', { class: 'soft' }, this.filtered ? 'No note found' : 'Nothing waits'));
  }
}
