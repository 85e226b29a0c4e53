// The review screen: the notes that wait, the text with its marks, the list of mentions. Every key of
// keys.js and every button ends in `perform`.

import { After } from './beforeafter.js';
import { accepting, adding, changing, rejecting } from './decisions.js';
import { fill, h } from './dom.js';
import { Flow } from './flow.js';
import { actionOf } from './keys.js';
import { findLabel, LabelBar, labelOf } from './labels.js';
import { isUnsure, MentionList } from './mentionlist.js';
import { History, NoteHead } from './notehead.js';
import { Popover } from './popover.js';
import { QueuePane } from './queuepane.js';
import { Notes } from './state.js';
import { TextPane } from './textpane.js';
import { button, counted } from './widgets.js';

export const reviewScreen = (app) => new Review(app);

export class Review {
  note = null;
  #selected = null;
  #brush = null;
  #arming = false; // `b` was pressed, a label follows
  #drawing = null;

  constructor(app) {
    this.app = app;
    this.notes = new Notes(app.api, { onStatus: app.saved, onTold: (text) => app.say(text, 'error') });
    this.pane = new TextPane(h('div', { id: 'pane', 'aria-label': 'Note' }), {
      onSelect: (selected) => this.#select(selected),
      onFocus: ({ uid }) => this.focus(uid, { open: true, scroll: false }),
      onChange: ({ uid, spans }) => this.#change(this.#find(uid), { spans }, 'changed'),
      onTokens: () => this.#tokens(),
    });
    this.pane.text.addEventListener('click', ({ target }) => !target.closest('[data-m]') && !this.#selected && this.focus(null));
    this.queue = new QueuePane(app, this.perform);
    this.queue.onload = () => this.#search();
    this.list = new MentionList(this.pane, { onFocus: (uid) => this.focus(uid), onDo: (action) => this.#decide(action, false) });
    this.bar = new LabelBar(this.label);
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
    this.element = h('div', { class: 'review' }, side('queue-side', 'Notes', this.queue.element), this.middle, side('mention-side', ['Mentions ', this.count], right), this.popover.element);
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
    this.wanted = key;
    const note = await this.notes.get(key);
    if (this.wanted !== key) return;
    this.flow.came(key);
    if (this.note) this.note.onchange = () => {};
    note.onchange = () => (this.#drawing ??= requestAnimationFrame(() => this.draw()));
    this.note = note;
    this.#selected = null;
    this.head.say('');
    this.popover.close();
    fill(this.middle, this.flow.hint, this.head.element, this.columns, this.bar.element);
    const { text, shown, tokens } = note;
    this.pane.show({ text, labels: this.app.project.labels, mentions: shown, tokens: tokens && decoded(tokens) });
    this.draw();
    this.after.load();
    this.history.show(note);
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
    if (this.perform(action, 'key')) event.preventDefault();
  };

  #keyup = ({ key }) => key.toLowerCase() === 'h' && this.pane.hide(false);

  /** Do what a key or button stands for; false if there is nothing like that. */
  perform = (action, by = 'button') => {
    const label = labelOf(action, this.app.project.labels);
    if (label) this.label(label, by);
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
    'find-label': () => this.#findLabel(),
    brush: () => {
      this.#arming = true;
      this.tell('Brush: press the key of a label');
    },
    clear: () => this.#clear(),
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

  #find(uid) {
    return this.note.shown.find((mention) => mention.uid === uid) ?? null;
  }

  /** Focus a mention; `open`: with the small window. */
  focus(uid, { open = false, scroll = true } = {}) {
    this.popover.close();
    this.pane.focus(uid, { scroll });
    this.list.select(this.pane.focused);
    this.bar.update(this.app.project.labels, this.#brush, this.pane.mention?.label);
    this.after.focus(this.pane.mention);
    if (open && this.pane.mention) this.popover.show(this.pane.mention, this.#around(this.pane.mention.spans));
  }

  #around(spans) {
    return this.note.shown.filter((one) => one.spans.some(([s, e]) => spans.some(([from, to]) => s < to && from < e)));
  }

  /** The mention in focus, or a word about what to do first. */
  #focused() {
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
    const mention = this.#focused();
    if (!mention) return;
    const { labels } = this.app.project;
    if (action === 'accept' && mention.status === 'doubt' && !labels.some(({ name }) => name === mention.label)) return this.#findLabel();
    const operations = (action === 'accept' ? accepting : rejecting)(this.note, mention);
    const [start] = mention.spans[0];
    if (!this.edit(operations, action === 'accept' ? 'accepted' : mention.status === 'added' ? 'removed' : 'rejected')) return;
    this.popover.close();
    const open = ({ status }) => status === 'suggested' || status === 'doubt';
    const next = onward && this.note.shown.find((one) => open(one) && one.spans[0][0] >= start && one.uid !== mention.uid);
    this.focus(next ? next.uid : this.#find(mention.uid) && mention.uid);
  }

  #acceptAll() {
    const open = this.note.undecided;
    this.edit(open.flatMap((one) => accepting(this.note, one)), `${counted(open.length, 'mention')} accepted`);
  }

  #change(mention, to, what) {
    if (!mention || !this.edit(changing(this.note, mention, to), what)) return;
    this.focus(mention.uid, { scroll: false });
  }

  /** Give the selection or the mention in focus a label; with neither, the label is a brush. */
  label = (name, by = 'button') => {
    const { spans } = this.#selected ?? {};
    if (this.#arming || (!spans && !this.pane.mention && by === 'button')) {
      this.#brush = this.#brush === name && !this.#arming ? null : name;
      this.#arming = false;
      this.draw();
      return this.tell(this.#brush ? `Brush ${name}: every selection with the mouse gets this label. Esc ends` : 'Brush ended');
    }
    if (!spans) return this.pane.mention ? this.#change(this.pane.mention, { label: name }, name) : this.tell('Select words first');
    const operations = adding(this.note, name, spans);
    if (!this.edit(operations, `${name} marked`)) return;
    this.pane.perform('clear');
    this.focus(operations[0].uid, { scroll: false });
  };

  async #findLabel() {
    if (!this.#selected && !this.#focused()) return;
    const name = await findLabel(this.app.project.labels);
    if (!name) return;
    this.label(name);
    if (this.app.project.labels.some((label) => label.name === name)) return;
    await this.note.settled();
    await this.app.refreshProject(); // it has a colour and a key now
  }

  #select(selected) {
    this.#selected = selected;
    this.popover.close();
    if (this.#brush && selected?.by === 'mouse' && this.pane.tokens) this.label(this.#brush);
    else this.flow.showHint(selected);
  }

  async #tokens() {
    const { note } = this;
    if (note.tokens || note.asked) return;
    note.asked = true;
    note.tokens = (await this.app.api.get(`${note.path}/tokens`)).body;
    if (this.note === note) this.pane.setTokens(decoded(note.tokens));
  }

  #clear() {
    const had = this.#brush || this.#arming;
    if (this.popover.close() || this.pane.perform('clear')) return;
    this.#brush = null;
    this.#arming = false;
    if (had) this.tell('Brush ended');
    else this.focus(null);
    this.draw();
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
    const mention = this.#focused();
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
    this.bar.update(labels, this.#brush, pane.mention?.label);
    this.count.textContent = note.shown.filter(({ status }) => status !== 'doubt').length;
    this.all.disabled = !note.undecided.length;
    this.head.update(note);
    this.flow.showHint(this.#selected);
    if (!note.queue.length && this.seen !== note.base) {
      this.seen = note.base; // saved: the output and the history are others
      this.after.load();
      this.history.show(note);
    }
  }

  /** Mark the words that were searched for. */
  #search() {
    const { pane, note, queue } = this;
    const words = queue.words.toLowerCase();
    const text = note && words ? note.text.toLowerCase() : '';
    const found = [];
    for (let at = text.indexOf(words); at >= 0 && text && found.length < 50; at = text.indexOf(words, at + 1)) found.push([at, at + words.length]);
    if (note) pane.markUnits('search', found);
  }
}

/** A column at the side, which narrow windows fold. */
function side(name, title, inside) {
  const fold = h('button', { type: 'button', class: 'fold', 'aria-expanded': 'false', onclick: () => fold.setAttribute('aria-expanded', element.classList.toggle('open')) }, title);
  const element = h('aside', { class: `side ${name}`, 'aria-label': name === 'queue-side' ? 'Notes' : 'Mentions' }, h('h2', null, fold), inside);
  return element;
}

/** Starts and ends from differences of starts and lengths. */
function decoded({ starts, lengths }) {
  let at = 0;
  const start = starts.map((by) => (at += by));
  return { start, end: start.map((from, index) => from + lengths[index]) };
}
