// Before and after: beside the text what a policy makes of it. Both are scrolled together.

import { fill, h } from './dom.js';
import { TextPane } from './textpane.js';

export class After {
  constructor(review) {
    this.review = review;
    this.policy = h('select', { 'aria-label': 'Policy', onchange: () => this.load() });
    this.threshold = h('select', { 'aria-label': 'Threshold', onchange: () => this.load() });
    this.said = h('span', { role: 'status' });
    const host = h('div', { id: 'after', 'aria-label': 'After' });
    this.element = h('section', { class: 'after', hidden: true }, h('div', { class: 'line' }, this.policy, this.threshold, this.said), host);
    host.addEventListener('pointerdown', (event) => event.stopPropagation(), true); // copied as anywhere else, not marked
    this.pane = new TextPane(host, { onFocus: ({ uid }) => this.#clicked(uid) });
    const [left, right] = [review.pane, this.pane];
    for (const [one, other] of [[left, right], [right, left]]) {
      one.element.addEventListener('scroll', () => this.leader === one && !this.element.hidden && this.#follow(one, other));
      for (const type of ['pointerenter', 'focusin', 'wheel']) one.element.addEventListener(type, () => (this.leader = one), { passive: true });
    }
    this.leader = left;
  }

  get open() {
    return !this.element.hidden;
  }

  toggle() {
    this.element.hidden = this.open;
    const { project } = this.review.app;
    const { policies, policy, threshold } = project;
    if (!this.policy.children.length) {
      fill(this.policy, policies.map((name) => h('option', { value: name, selected: name === policy }, name)));
      const steps = [...new Set([0.1, 0.3, 0.5, 0.7, 0.9, threshold])].sort();
      fill(this.threshold, steps.map((value) => h('option', { value, selected: value === threshold }, `from ${Math.round(value * 100)} %`)));
    }
    if (this.open) this.load();
  }

  /** Ask what is written now; waits until everything is saved. */
  async load() {
    const { note, app, pane } = this.review;
    if (!this.open || !note) return;
    const asked = (this.asked = Symbol('asked'));
    if (!this.replaced) this.said.textContent = 'Working …';
    await note.settled();
    const options = `policy=${encodeURIComponent(this.policy.value)}&threshold=${this.threshold.value}`;
    const refused = (error) => ({ body: { text: '', replaced: [], remarks: [error.message], expected_missed: null } });
    const { body } = await app.api.get(`${note.path}/output?${options}`).catch(refused);
    if (asked !== this.asked || this.review.note !== note) return;
    this.replaced = body.replaced;
    const mentions = body.replaced.map((one, index) => ({ uid: String(index), label: one.label, spans: [[one.new_start, one.new_end]], status: 'added', probability: null }));
    const top = this.pane.element.scrollTop;
    this.pane.show({ text: body.text, labels: app.project.labels, mentions: mentions.filter(({ spans: [[start, end]] }) => start < end) });
    this.pane.element.scrollTop = top;
    pane.refreshMarks(); // marks have names that both panes use
    const missed = body.expected_missed === null ? [] : [`Expected to be missed: ${body.expected_missed.toFixed(1)} words.`];
    this.said.textContent = [...missed, ...body.remarks].join(' ');
  }

  /** Focus what became of a mention. */
  focus(mention) {
    if (!this.open || !this.replaced || !mention) return;
    const [[from]] = mention.spans;
    const to = mention.spans.at(-1)[1];
    const index = this.replaced.findIndex(({ start, end }) => start < to && from < end);
    this.pane.focus(index < 0 ? null : String(index));
  }

  #clicked(uid) {
    const { start, end } = this.replaced[uid];
    const found = this.review.note.shown.find(({ spans }) => spans.some(([from, to]) => from < end && start < to));
    this.pane.focus(uid, { scroll: false });
    if (found) this.review.focus(found.uid);
  }

  /** Bring what is at the top of one pane to the top of the other. */
  #follow(one, other) {
    const view = one.element.getBoundingClientRect();
    const unit = one.pieces.unitFrom(view.left + 30, view.top + 20);
    if (unit === null) return;
    const point = this.#across(one.offsets.toPoint(unit), one === this.pane);
    const at = other.offsets.toUnit(Math.min(point, other.offsets.length));
    const [rect] = other.pieces.rects([at, at]);
    other.element.scrollTop += rect.top - other.element.getBoundingClientRect().top - 20;
  }

  #across(point, back) {
    let by = 0;
    for (const { start, end, new_start: newStart, new_end: newEnd } of this.replaced ?? []) {
      const [from, to, there] = back ? [newStart, newEnd, start] : [start, end, newStart];
      if (point < from) break;
      if (point < to) return there;
      by = back ? end - newEnd : newEnd - end;
    }
    return point + by;
  }
}
