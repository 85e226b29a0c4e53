// The review screen: the notes that wait, the text with its marks, the list of mentions. Every key of
// keys.js and every button ends in `perform`.

import { After } from './beforeafter.js';
import { accepting, changing, rejecting } from './decisions.js';
import { fill, h } from './dom.js';
import { Flow } from './flow.js';
import { actionOf } from './keys.js';
import { LabelBar, labelOf } from './labels.js';
import { decoded, Marking } from './marking.js';
import { isUnsure, MentionList } from './mentionlist.js';
import { History, NoteHead } from './notehead.js';
import { Popover } from './popover.js';
import { QueuePane } from './queuepane.js';
import { Notes } from './state.js';
import { TextPane } from './textpane.js';
import { button, counted, side } from './widgets.js';

const SLOW = 'Opening … The first note can take a minute, while lacuna prepares itself for this machine.';

export const reviewScreen = (app) => new Review(app);

export class Review {
  note = null;
  #drawing = null;
  #wanted = null;

  constructor(app) {
    this.app = app;
    this.notes = new Notes(app.api, { onStatus: app.saved, onTold: (text) => app.say(text, 'error') });
    this.pane = new TextPane(h('div', { id: 'pane', 'aria-label': 'Note' }), {
      onSelect: (selected) => this.marking.select(selected),
      onFocus: ({ uid }) => this.focus(uid, { open: true, scroll: false }),
      onChange: ({ uid, spans }) => this.change(this.find(uid), { spans }, 'changed'),
      onTokens: () => this.marking.tokens(),
    });
    this.pane.text.addEventListener('click', ({ target }) => !target.closest('[data-m]') && !this.marking.selected && this.focus(null));
    this.queue = new QueuePane(app, this.perform);
    this.queue.onload = () => this.note && this.pane.markUnits('search', this.queue.hits(this.note.text));
    this.list = new MentionList(this.pane, { onFocus: (uid) => this.focus(uid), onDo: (action) => this.#decide(action, false) });
    this.marking = new Marking(this);
    this.bar = new LabelBar(this.marking.label, this.perform);
    this.popover = new Popover(this);
    this.after = new After(this);
    this.head = new NoteHead(this);
    this.history = new History(app);
    this.flow = new Flow(this);
    this.count = h('span');
    this.columns = h('div', { class: 'columns' }, this.pane.element, this.after.element);
    this.middle = h('section', { class: 'note', 'aria-label': 'Note' }, this.flow.hint, this.head.element, this.columns, this.bar.element);
    this.all = button('accept-all', this.perform, 'Accept all');
    const right = h('div', { class: 'inside' }, h('div', { class: 'line' }, this.all), this.list.element, this.history.element);
    this.element = h('div', { class: 'review' }, side('queue-side', 'Notes', 'Notes', this.queue.element), this.middle, side('mention-side', 'Mentions', ['Mentions ', this.count], right), this.popover.element);
    // a click on a button leaves the focus in the text, where the keys are
    this.element.addEventListener('mousedown', (event) => event.target.closest('button') && event.preventDefault());
    app.on('document', ({ key, version }) => this.notes.open.get(key)?.heard(version));
    app.on('resume', () => this.note?.refresh().catch(() => {}));
    app.on('queue', () => this.element.isConnected && this.queue.load());
    app.on('refreshed', () => this.note && this.draw());
    addEventListener('beforeunload', (event) => this.notes.pending && event.preventDefault());
  }

  async show(key) {
    document.addEventListener('keydown', this.#keydown);
    document.addEventListener('keyup', this.#keyup);
    if (!key) return this.flow.next(null);
    this.#wanted = key; // until it is there, keys do not change the one before
    this.flow.came(key);
    const slow = setTimeout(() => this.head.say(SLOW), 800);
    const note = await this.notes.get(key).finally(() => {
      clearTimeout(slow);
      if (this.#wanted === key) this.#wanted = null;
    });
    if (this.#wanted) return;
    if (this.note) this.note.onchange = () => {};
    note.onchange = () => (this.#drawing ??= requestAnimationFrame(() => this.draw()));
    this.note = note;
    this.marking.selected = null;
    this.head.say('');
    this.popover.close();
    fill(this.middle, this.flow.hint, this.head.element, this.columns, this.bar.element);
    const { text, shown, tokens } = note;
    this.pane.show({ text, labels: this.app.project.labels, mentions: shown, tokens: tokens && decoded(tokens) });
    this.seen = null;
    this.draw();
    if (!document.activeElement?.closest('.queue-side input, select')) this.pane.element.focus({ preventScroll: true });
    this.app.announce(`Note ${note.id}, ${counted(shown.length, 'mention')}`);
    this.queue.current = key;
    await this.queue.load();
  }

  hide() {
    document.removeEventListener('keydown', this.#keydown);
    document.removeEventListener('keyup', this.#keyup);
    this.popover.close();
  }

  // ── keys ─────────────────────────────────────────────────────────────────────────────────

  #keydown = (event) => {
    if (/^(Enter| )$/.test(event.key) && event.target.closest?.('button, a, summary')) return; // they are pressed
    const action = actionOf(event, this.app.settings);
    if (!action || !this.note || (event.repeat && action === 'done')) return;
    if (this.#wanted && action !== 'back') return;
    if (this.perform(action, 'key')) event.preventDefault();
  };

  #keyup = ({ key }) => key.toLowerCase() === 'h' && this.pane.hide(false);

  /** Do what a key or button stands for; false if there is nothing like that. */
  perform = (action, by = 'button') => {
    const label = labelOf(action, this.app.project.labels);
    if (label) this.marking.label(label, by);
    else if (this.#actions[action]) this.#actions[action](by);
    else return this.pane.perform(action) || action.startsWith('label-');
    return true;
  };

  #actions = {
    'next-mention': () => this.#step(1, () => true),
    'previous-mention': () => this.#step(-1, () => true),
    'next-uncertain': () => this.#step(1, isUnsure),
    'previous-uncertain': () => this.#step(-1, isUnsure),
    accept: (by) => this.#decide('accept', by === 'key'),
    remove: (by) => this.#decide('remove', by === 'key'),
    'accept-all': () => this.#acceptAll(),
    'find-label': () => this.marking.find(),
    brush: () => this.marking.arm(),
    clear: () => this.popover.close() || this.pane.perform('clear') || this.marking.end() || this.focus(null),
    'list-here': () => this.#listHere(),
    everywhere: () => this.#everywhere(false),
    'remove-everywhere': () => this.#everywhere(true),
    undo: () => this.flow.undo('undo', 'undone'),
    redo: () => this.flow.undo('redo', 'done again'),
    done: () => this.flow.done(),
    back: () => this.flow.back(),
    later: () => this.flow.later(),
    flag: () => this.flow.flag(),
    comment: () => this.flow.comment(),
    'hide-marks': (by) => this.pane.hide(by === 'key' || !this.pane.element.classList.contains('plain')),
    'before-after': () => this.draw(this.after.toggle()),
    search: () => (this.element.querySelector('.queue-side').classList.add('open'), this.queue.field.focus()),
    help: () => this.app.help(),
  };

  // ── mentions ─────────────────────────────────────────────────────────────────────────────

  find(uid) {
    return this.note.shown.find((mention) => mention.uid === uid) ?? null;
  }

  /** Focus a mention; `open`: with the small window. */
  focus(uid, { open = false, scroll = true } = {}) {
    this.popover.close();
    this.pane.focus(uid, { scroll });
    this.list.select(this.pane.focused);
    this.bar.update(this.app.project.labels, this.marking.brush, this.pane.mention?.label);
    this.after.focus(this.pane.mention);
    if (open && this.pane.mention) this.popover.show(this.pane.mention, this.#around(this.pane.mention.spans));
  }

  #around(spans) {
    return this.note.shown.filter((one) => one.spans.some(([s, e]) => spans.some(([from, to]) => s < to && from < e)));
  }

  /** The mention in focus, or a word about what to do first. */
  focused() {
    if (!this.pane.mention) this.tell('Choose a mention first: click it, or press j');
    return this.pane.mention;
  }

  #step(by, wanted) {
    const { shown } = this.note;
    const at = shown.findIndex(({ uid }) => uid === this.pane.focused);
    const from = at < 0 && by < 0 ? shown.length : at;
    for (let index = from + by; index >= 0 && index < shown.length; index += by) {
      if (!wanted(shown[index])) continue;
      this.focus(shown[index].uid);
      const { label, spans } = shown[index];
      return this.app.announce(`${label}, ${this.pane.textOf(spans)}`);
    }
    this.tell(by > 0 ? 'No further one' : 'No earlier one');
  }

  /** Make an edit and say what it did; false if it is not possible. */
  edit(operations, what) {
    if (operations.length && !this.note.edit(operations)) {
      this.tell('There is such a mention already');
      return false;
    }
    this.draw();
    this.tell(`${what}; ${this.note.undecided.length} left`);
    return true;
  }

  #decide(action, onward) {
    const mention = this.focused();
    if (!mention) return;
    const { labels } = this.app.project;
    if (action === 'accept' && mention.status === 'doubt' && !labels.some(({ name }) => name === mention.label)) return this.marking.find();
    const operations = (action === 'accept' ? accepting : rejecting)(this.note, mention);
    const [start] = mention.spans[0];
    if (!this.edit(operations, action === 'accept' ? 'accepted' : mention.status === 'added' ? 'removed' : 'rejected')) return;
    this.popover.close();
    const open = ({ status }) => status === 'suggested' || status === 'doubt';
    const next = onward && this.note.shown.find((one) => open(one) && one.spans[0][0] >= start && one.uid !== mention.uid);
    this.focus(next ? next.uid : this.find(mention.uid) && mention.uid);
  }

  #acceptAll() {
    const open = this.note.undecided;
    this.edit(open.flatMap((one) => accepting(this.note, one)), `${counted(open.length, 'mention')} accepted`);
  }

  change(mention, to, what) {
    if (!mention || !this.edit(changing(this.note, mention, to), what)) return;
    this.focus(mention.uid, { scroll: false });
  }

  #listHere() {
    const { head } = this.pane.selection;
    const here = head && this.pane.offsets.toPoints([[head[0], Math.max(head[1], head[0] + 1)]]);
    const all = this.#around(this.pane.mention?.spans ?? here ?? []);
    if (!all.length) return this.tell('No mention here');
    if (!this.pane.mention) this.focus(all.at(-1).uid);
    this.popover.show(this.pane.mention, all, { take: true });
  }

  #everywhere(remove) {
    const mention = this.focused();
    if (mention) this.popover.everywhere(mention, remove);
  }

  // ── what is seen ─────────────────────────────────────────────────────────────────────────

  tell(text) {
    this.app.announce(text);
    this.head.say(text);
  }

  draw() {
    cancelAnimationFrame(this.#drawing);
    this.#drawing = null;
    const { note, pane, app } = this;
    if (!note) return;
    const { labels } = app.project;
    pane.labels = new Map(labels.map((label) => [label.name, label]));
    pane.update(note.shown);
    this.list.update(note.shown, pane.focused);
    this.bar.update(labels, this.marking.brush, pane.mention?.label);
    this.count.textContent = note.shown.filter(({ status }) => status !== 'doubt').length;
    this.all.disabled = !note.undecided.length;
    this.head.update(note);
    this.flow.showHint(this.marking.selected);
    const version = `${note.key} ${note.base.version}`;
    if (!note.queue.length && this.seen !== version) {
      this.seen = version; // saved: the output and the history are others
      this.after.load();
      this.history.show(note);
    }
  }
}
