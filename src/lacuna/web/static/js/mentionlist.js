// The list of mentions: the same as the marks in the text, for people who listen or use the keyboard.
// Buttons in a row are for the mouse alone (an option holds nothing that can be focused): keys a and x.

import { h, keyed, set } from './dom.js';
import { percent } from './widgets.js';

const MOST = 500; // more mentions than this: only those around what is in view
const AROUND = 200;
export const UNSURE = 0.8; // suggestions below this probability are looked at first

/** Whether somebody should look: not taken out and not sure, or suggested and not sure. */
export const isUnsure = ({ status, probability }) => status === 'doubt' || (status === 'suggested' && probability < UNSURE);

const STATUS = { suggested: 'suggested', doubt: 'not marked, not sure', given: 'imported', accepted: 'accepted', added: 'added' };

export class MentionList {
  constructor(pane, { onFocus, onDo }) {
    this.pane = pane;
    this.unsure = h('div', { role: 'group', 'aria-label': 'To look at' });
    this.sure = h('div', { role: 'group', 'aria-label': 'Other mentions' });
    this.element = h('div', { id: 'mentions', role: 'listbox', 'aria-label': 'Mentions' }, this.unsure, this.sure);
    this.element.addEventListener('click', ({ target }) => {
      const uid = target.closest('[role=option]')?.dataset.uid;
      const wanted = target.closest('[data-do]')?.dataset.do;
      if (uid) onFocus(uid);
      if (uid && wanted) onDo(wanted);
    });
    this.element.addEventListener('keydown', (event) => {
      const all = [...this.element.querySelectorAll('[role=option]')];
      const at = all.indexOf(event.target.closest('[role=option]'));
      const to = { ArrowDown: at + 1, ArrowUp: Math.max(at - 1, 0), Home: 0, End: all.length - 1 }[event.key];
      if (to === undefined || event.shiftKey || event.ctrlKey) return;
      event.preventDefault();
      event.stopPropagation();
      if (all[to]) onFocus(all[to].dataset.uid);
    });
    pane.element.addEventListener('scroll', () => this.shown?.length > MOST && this.#later());
  }

  get hasFocus() {
    return this.element.contains(document.activeElement);
  }

  update(shown, focused) {
    Object.assign(this, { shown, focused });
    const had = this.hasFocus;
    const overlaps = overlapping(shown);
    const items = this.#near().map((mention) => ({ mention, over: overlaps.get(mention.uid) ?? [] }));
    const [first] = items;
    const stop = items.some(({ mention }) => mention.uid === focused) ? focused : first?.mention.uid;
    for (const [group, wanted] of [[this.unsure, true], [this.sure, false]]) {
      const own = items.filter(({ mention }) => isUnsure(mention) === wanted);
      keyed(group, own, ({ mention }) => mention.uid, () => h('div', { role: 'option' }), (element, item) => this.#row(element, item, stop));
      group.dataset.head = wanted ? `⚠ ${own.length} to look at` : '';
      group.hidden = !own.length;
    }
    const option = this.element.querySelector('[aria-selected=true]');
    if (had && !this.hasFocus) (option ?? this.pane.element).focus({ preventScroll: true });
  }

  /** Move the selection; `take` the keyboard's focus along. */
  select(uid) {
    const had = this.hasFocus;
    this.update(this.shown, uid);
    const option = this.element.querySelector('[aria-selected=true]');
    option?.scrollIntoView({ block: 'nearest' });
    if (had) option?.focus({ preventScroll: true });
  }

  #later() {
    this.waiting ??= requestAnimationFrame(() => {
      this.waiting = null;
      this.update(this.shown, this.focused);
    });
  }

  #near() {
    const { shown, pane } = this;
    if (shown.length <= MOST) return shown;
    const { left, top } = pane.element.getBoundingClientRect();
    const point = pane.offsets.toPoint(pane.pieces.unitFrom(left + 40, top + 10) ?? 0);
    const at = shown.findIndex(({ spans }) => spans[0][0] >= point);
    const middle = at < 0 ? shown.length : at;
    const near = shown.slice(Math.max(0, middle - AROUND), middle + AROUND);
    const focused = shown.find(({ uid }) => uid === this.focused);
    return !focused || near.includes(focused) ? near : [focused, ...near];
  }

  #row(element, { mention, over }, stop) {
    const { uid, label, status, probability, spans } = mention;
    element.tabIndex = uid === stop ? 0 : -1;
    element.setAttribute('aria-selected', uid === this.focused);
    const said = [label, status, probability, spans, over].join();
    if (element.said === said) return;
    const text = this.pane.textOf(spans);
    const open = status === 'suggested' || status === 'doubt';
    const chance = open && probability !== null ? `${percent(probability)} ` : '';
    const name = [label, text, chance && `${chance}percent`, STATUS[status], over.length && `overlaps ${over.join(', ')}`];
    Object.assign(element, { said, className: this.pane.records.get(uid)?.kind ?? '' });
    element.dataset.uid = uid;
    set(element, 'aria-label', name.filter(Boolean).join(', '));
    const act = (wanted, sign, title) => h('i', { dataset: { do: wanted }, title }, sign);
    element.replaceChildren(
      h('b', null, label),
      h('span', null, text),
      h('small', null, chance ? `${chance}%` : status === 'given' ? '' : '✓'),
      h('span', { class: 'acts', 'aria-hidden': 'true' }, open || status === 'given' ? act('accept', '✓', 'Accept (a)') : '', act('remove', '✕', 'Reject or remove (x)')),
    );
  }
}

/** Labels of the mentions that overlap each, by uid; `shown` is in the order of the text. */
function overlapping(shown) {
  const found = new Map();
  let open = [];
  for (const one of shown) {
    open = open.filter(({ spans }) => spans.at(-1)[1] > one.spans[0][0]);
    for (const other of open) {
      if (!one.spans.some(([s, e]) => other.spans.some(([from, to]) => s < to && from < e))) continue;
      for (const [here, there] of [[one, other], [other, one]]) found.set(here.uid, [...(found.get(here.uid) ?? []), there.label]);
    }
    open.push(one);
  }
  return found;
}
