// Above the text: which note it is and what can be done with it. And what was done to it.

import { fill, h } from './dom.js';
import { button, counted } from './widgets.js';

const STATES = { new: '', open: '', done: 'reviewed ✓', later: 'later' };

export class NoteHead {
  constructor({ perform, app }) {
    this.app = app;
    this.name = h('h1');
    this.patient = h('span', { class: 'patient' });
    this.state = h('span', { class: 'soft' });
    this.said = h('span', { class: 'said', 'aria-hidden': 'true' }); // the live region says it too
    this.comment = h('p', { class: 'comment' });
    const texts = { undo: 'Undo', redo: 'Redo', flag: 'Flag', comment: 'Comment', 'hide-marks': 'Hide marks', 'before-after': 'Before/after', later: 'Later', done: 'Done' };
    this.buttons = Object.fromEntries(Object.entries(texts).map(([action, text]) => [action, button(action, perform, text)]));
    const { later, done, ...others } = this.buttons;
    const tools = Object.values(others);
    done.classList.add('main');
    this.newer = h('button', { type: 'button', hidden: true }, 'New suggestions: show');
    this.element = h('header', { class: 'notehead' }, h('div', { class: 'line' }, this.name, this.patient, this.state, this.newer, h('span', { class: 'line ends' }, later, done)), h('div', { class: 'line tools' }, tools, this.said), this.comment);
    this.newer.addEventListener('click', () => this.note.renew());
  }

  say(text) {
    this.said.textContent = text;
  }

  update(note) {
    const { view, undecided, patient } = note;
    const { undo, redo, flag, comment, done, later } = this.buttons;
    if (this.note !== note) {
      this.note = note;
      this.name.textContent = note.id;
      const { keys = [], number, of } = patient ?? {};
      const link = (key, sign, says) => key && h('a', { href: `#/review/${key}`, 'aria-label': says, title: says }, sign);
      fill(this.patient, patient && [`patient ${note.group} (${number} of ${of})`, link(keys[number - 2], '‹', 'Note before of this patient'), link(keys[number], '›', 'Next note of this patient')]);
    }
    this.newer.hidden = !note.newer;
    this.state.textContent = [STATES[view.state], view.flag && '⚑ flagged'].filter(Boolean).join(' · ');
    undo.disabled = !view.undo;
    redo.disabled = !view.redo;
    flag.setAttribute('aria-pressed', view.flag);
    later.setAttribute('aria-pressed', view.state === 'later');
    comment.classList.toggle('on', Boolean(view.comment));
    this.comment.textContent = view.comment;
    const open = undecided.length;
    done.firstChild.textContent = !open ? 'Done' : this.app.settings.accepts === false ? `Look at ${open}` : `Done (accepts ${open})`;
  }
}

const DID = { add: 'added', change: 'changed', remove: 'removed', accept: 'accepted', reject: 'rejected' };

/** The last edits of a note. */
export class History {
  constructor(app) {
    this.app = app;
    this.list = h('ol');
    this.link = h('a', null, 'All of it');
    this.element = h('details', { class: 'history', ontoggle: () => this.show(this.note) }, h('summary', null, 'History'), this.list, this.link);
  }

  async show(note) {
    this.note = note;
    if (!this.element.open || !note) return;
    this.link.href = `#/history/${note.key}`;
    const { body } = await this.app.api.get(`${note.path}/history?newest=true&limit=8`);
    if (this.note === note) fill(this.list, body.edits.map((edit) => h('li', null, `${new Date(edit.at).toLocaleTimeString([], { timeStyle: 'short' })} ${edit.who}: ${did(edit)}`)));
  }
}

function did({ operations, undoes }) {
  if (undoes) return 'undone';
  const counts = new Map();
  for (const { op, state, flag } of operations) {
    const what = op !== 'state' ? DID[op] : (state ?? (flag === undefined ? 'comment' : flag ? 'flagged' : 'flag removed'));
    counts.set(what, (counts.get(what) ?? 0) + 1);
  }
  return [...counts].map(([what, count]) => (count > 1 ? `${what} ${counted(count, 'mention')}` : what)).join(', ');
}
