// The small window at the mention in focus: what it is, what can be done, and which other mentions
// are in the same place. It does not take the focus from the text unless it is asked to (Space, o).

import { fill, h } from './dom.js';
import { chip } from './labels.js';
import { button, choice, counted, percent, roving } from './widgets.js';

export class Popover {
  constructor(review) {
    this.review = review;
    this.element = h('div', { id: 'mention', popover: 'manual', role: 'dialog', 'aria-label': 'Mention' });
    this.element.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') event.stopPropagation(), this.close();
    });
    roving(this.element, 'button, select');
    review.pane.element.addEventListener('scroll', () => this.open && this.#place());
  }

  get open() {
    return this.element.matches(':popover-open');
  }

  close() {
    if (!this.open) return false;
    const had = this.element.contains(document.activeElement);
    this.element.hidePopover();
    this.review.pane.mark('change', []);
    if (had) this.review.pane.element.focus({ preventScroll: true });
    return true;
  }

  /** Show what is known of the mention in focus; `all` are those in its place. */
  show(mention, all, { take = false } = {}) {
    const { review } = this;
    const { perform, pane } = review;
    const { label, status, probability, spans } = mention;
    const others = all.filter(({ uid }) => uid !== mention.uid);
    const open = status === 'suggested' || status === 'doubt';
    const labels = review.app.project.labels.filter(({ name }) => name !== label).slice(0, 6);
    fill(
      this.element,
      h('p', null, h('b', { class: `m ${pane.records.get(mention.uid)?.kind}` }, label), ' ', short(pane.textOf(spans))),
      open && h('p', { class: 'soft' }, status === 'doubt' ? `Not marked. Chance that it is one: ${percent(probability)} %` : `Suggested, ${percent(probability ?? 1)} % sure`),
      h(
        'div',
        { class: 'line' },
        open && button('accept', perform, status === 'doubt' ? 'Mark it' : 'Accept'),
        button('remove', perform, status === 'added' ? 'Remove' : 'Reject'),
        button('everywhere', perform, 'Everywhere …'),
        !open && button('remove-everywhere', perform, 'Remove everywhere …'),
      ),
      h('div', { class: 'line' }, labels.map((one) => chip(one, review.marking.label)), button('find-label', perform, 'Other …')),
      others.length > 0 && h('div', { class: 'line', role: 'group', 'aria-label': 'In the same place' }, h('span', { class: 'soft' }, 'Also here:'), others.map((other) => this.#other(other))),
    );
    this.#open(take && (others.length ? '[role=group] button' : 'button'));
  }

  #other(mention) {
    const { review } = this;
    const hue = review.app.project.labels.find(({ name }) => name === mention.label)?.hue ?? 0;
    const text = `${mention.label}: ${short(review.pane.textOf(mention.spans))}`;
    return h('button', { type: 'button', class: `tag m h${hue} s2`, onclick: () => review.focus(mention.uid, { open: true }) }, text);
  }

  /** The same words in other places: first shown, then done as one step. */
  async everywhere(mention, remove) {
    const { review } = this;
    const { note, pane, app } = review;
    const { label, spans } = mention;
    const scope = h('select', { 'aria-label': 'Where' }, h('option', { value: 'patient' }, note.patient ? 'in all notes of this patient' : 'in notes of this patient'), h('option', { value: 'document' }, 'in this note'));
    const line = h('p', { role: 'status' }, 'Looking …');
    const apply = choice('Apply', () => done(), { class: 'main', disabled: true });
    const ask = (dry) => ({ label, spans, scope: scope.value, remove, dry });
    const look = async () => {
      await note.settled();
      const { body } = await app.api.post(`${note.path}/everywhere`, { request: 'dry', ...ask(true) });
      const { places, documents, kept, here } = body;
      line.textContent = `${counted(places, 'place')} in ${counted(documents, 'note')}${kept ? `; ${kept} with another label stay` : ''}`;
      fill(apply, remove ? `Remove ${places}` : `Mark ${places}`);
      apply.disabled = !places;
      pane.mark('change', here.slice(0, 50).flat());
      if (places) apply.focus();
    };
    const done = async () => {
      this.close();
      const answer = await note.ask('everywhere', ask(false));
      if (answer) app.say(`${remove ? 'Removed' : 'Marked'} ${counted(answer.places, 'place')} in ${counted(answer.documents, 'note')}. Undo takes all of it back.`);
    };
    scope.addEventListener('change', look);
    const title = h('p', null, h('b', null, `${remove ? 'Remove' : 'Mark'} the same words as ${label}`));
    fill(this.element, title, scope, line, h('div', { class: 'line' }, apply, choice('Cancel', () => this.close())));
    this.#open('select');
    await look();
  }

  #open(focus) {
    if (!this.open) this.element.showPopover();
    this.#place();
    if (focus) this.element.querySelector(focus)?.focus();
  }

  /** Below the mention, or above it where there is no room. */
  #place() {
    const { pane } = this.review;
    const found = pane.records.get(pane.focused);
    if (!found) return this.close();
    const rect = pane.pieces.rects(found.spans[0])[0];
    const { offsetWidth: width, offsetHeight: height, style } = this.element;
    const below = rect.bottom + 12;
    const top = below + height < innerHeight ? below : Math.max(4, rect.top - height - 12);
    style.setProperty('left', `${Math.max(4, Math.min(rect.left, innerWidth - width - 8))}px`);
    style.setProperty('top', `${top}px`);
  }
}

const short = (text) => (text.length > 60 ? `${text.slice(0, 60)}…` : text);
