// From note to note: done, later, back, undo, and what is said about a note as a whole.

import { accepting } from './decisions.js';
import { fill, h } from './dom.js';
import { choice, counted, dialog } from './widgets.js';

export class Flow {
  #visited = [];
  #leaving = null; // the note whose last edit is on its way
  #over = false; // the hint of the demonstration was followed

  constructor(review) {
    this.review = review;
    this.app = review.app;
    this.hint = h('p', { class: 'hint', hidden: true });
  }

  came(key) {
    if (this.#visited.at(-1) !== key) this.#visited.push(key);
  }

  back() {
    if (this.#visited.length < 2) return this.review.tell('This is the first note you opened');
    this.#visited.pop();
    this.app.go(`review/${this.#visited.at(-1)}`);
  }

  async undo(kind, what) {
    const { note } = this.review;
    if (!note.view[kind]) return this.review.tell(`Nothing to ${kind}`);
    const answer = await note.ask(kind);
    if (answer) this.review.tell(answer.others?.length ? `${what} in ${answer.others.length + 1} notes` : what);
  }

  flag() {
    const { flag } = this.review.note.view;
    this.review.edit([{ op: 'state', flag: !flag }], flag ? 'flag removed' : 'flagged');
  }

  async comment() {
    const { note } = this.review;
    const field = h('textarea', { rows: 5, maxlength: 10000, 'aria-label': 'Comment', spellcheck: 'false', autofocus: true, value: note.view.comment });
    const text = await dialog('Comment for colleagues', (close) => [
      field,
      h('div', { class: 'line' }, choice('Save', () => close(field.value), { class: 'main' }), choice('Cancel', () => close())),
    ]);
    if (text !== null && text !== note.view.comment) this.review.edit([{ op: 'state', comment: text }], 'comment saved');
  }

  /** Accept what is shown and go on; whether that is meant is asked once per visit. */
  async done() {
    const { review } = this;
    const { settings } = this.app;
    const open = review.note.undecided;
    if (open.length && settings.accepts === null) {
      const title = `${counted(open.length, 'suggestion')} neither accepted nor rejected`;
      const answer = await dialog(title, (close) => [
        h('p', null, 'Your answer holds until the page is closed. It can be changed in the help.'),
        h('div', { class: 'line' }, choice('Accept them', () => close('accept'), { class: 'main', autofocus: true }), choice('Look at them', () => close('look'))),
      ]);
      if (!answer) return;
      settings.accepts = answer === 'accept';
    }
    if (open.length && !settings.accepts) {
      review.draw();
      return review.focus(open[0].uid);
    }
    await this.#finish([...open.flatMap((one) => accepting(review.note, one)), { op: 'state', state: 'done' }], 'done');
  }

  later() {
    return this.#finish([{ op: 'state', state: 'later' }], 'set aside for later');
  }

  /** The last edit of a note; the next note comes when it is saved. */
  async #finish(operations, what) {
    const { review } = this;
    const { note } = review;
    const { state } = operations.at(-1);
    if (this.#leaving === note || !review.edit(operations, what)) return;
    this.#over = true;
    this.#leaving = note;
    await note.settled();
    this.#leaving = null;
    if (review.note !== note || note.view.state !== state) return;
    this.app.refreshProject();
    await this.next(note.key);
  }

  async next(after) {
    const { review } = this;
    const found = after && review.queue.after(after);
    if (found) return this.app.go(`review/${found}`);
    const { status, body } = await this.app.api.get(`/queue/next${after ? `?after=${after}` : ''}`);
    if (status !== 204) return this.app.go(`review/${body.key}`, { replace: !after });
    review.note = null;
    history.replaceState(null, '', '#/review'); // a link to the note that was shown works again
    const { later } = (await this.app.refreshProject()).counts.states;
    const aside = later > 0 && h('p', null, `${counted(later, 'note')} set aside for later: choose “later” in the list of notes.`);
    fill(review.middle, h('div', { class: 'empty' }, h('h1', null, 'All notes are reviewed'), aside, h('p', null, h('a', { class: 'main', href: '#/export' }, 'Export the result'))));
    review.list.update([], null);
    await review.queue.load();
  }

  /** Three steps for people who see the page for the first time. */
  showHint(selected) {
    const { note } = this.review;
    this.hint.hidden = !this.app.project.demo || this.#over || !note;
    if (this.hint.hidden) return;
    const added = note.shown.some(({ status }) => status === 'added');
    const steps = [['select the missed name', selected || added], ['press 1', added], ['press Enter', false]];
    fill(this.hint, 'Try it: ', steps.map(([text, did], index) => h('span', { class: did ? 'did' : '' }, `${did ? '✓' : index + 1} ${text}`)));
  }
}
