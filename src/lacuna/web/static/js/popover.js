// The small window at the mention in focus: what it is, what can be done, and which other mentions
// are in the same place. It does not take the focus from the text unless it is asked to (Space, o).

import { api } from './api.js';
import { isOpen } from './decisions.js';
import { fill, h } from './dom.js';
import { chip } from './labels.js';
import { app } from './main.js';
import * as marking from './marking.js';
import { focus, note, pane } from './review.js';
import { button, counted, p, percent, press, roving, select } from './widgets.js';

export const element = h('div', { id: 'mention', popover: 'manual', role: 'dialog', 'aria-label': 'Mention', onkeydown: (event) => {
  if (event.key === 'Escape') event.stopPropagation(), close();
} });
roving(element, 'button, select');

const isShown = () => element.matches(':popover-open');

/** Close it; false if it was not open. */
export function close() {
  if (!isShown()) return false;
  const had = element.contains(document.activeElement);
  element.hidePopover();
  pane.mark('change', []);
  if (had) pane.element.focus({ preventScroll: true });
  return true;
}

const line = (...children) => h('div', { class: 'line' }, ...children);

/** Show what is known of the mention in focus; `all` are those in its place. */
export function show({ uid, label, status, probability, spans }, all, { take = false } = {}) {
  const others = all.filter((one) => one.uid !== uid);
  const open = isOpen({ status });
  const doubt = status === 'doubt';
  const labels = app.project.labels.filter(({ name }) => name !== label).slice(0, 6);
  const other = (one) => press(`${one.label}: ${short(one)}`, () => focus(one.uid, { open: true }), { class: `tag m h${app.labelNamed(one.label)?.hue ?? 0} s2` });
  fill(element,
    p(h('b', { class: `m ${pane.records.get(uid).kind}` }, label), ' ', short({ spans })),
    open && h('p', { class: 'soft' }, doubt ? `Not marked. Chance that it is one: ${percent(probability)} %` : `Suggested, ${percent(probability ?? 1)} % sure`),
    line(
      open && button('accept', doubt ? 'Mark it' : 'Accept'),
      button('remove', status === 'added' ? 'Remove' : 'Reject'),
      button('everywhere', 'Everywhere …'),
      !open && button('remove-everywhere', 'Remove everywhere …')),
    line(labels.map((one) => chip(one, marking.label)), button('find-label', 'Other …')),
    others.length > 0 && h('div', { class: 'line', role: 'group', 'aria-label': 'In the same place' }, h('span', { class: 'soft' }, 'Also here:'), others.map(other)));
  appear(take && (others.length ? '[role=group] button' : 'button'));
}

/** The same words in other places: first shown, then done as one step. */
export async function everywhere({ label, spans }, remove) {
  const mine = note;
  const scope = select([['patient', mine.patient ? 'in all notes of this patient' : 'in notes of this patient'], ['document', 'in this note']], { 'aria-label': 'Where', onchange: look });
  const found = h('p', { role: 'status' }, 'Looking …');
  const apply = press('Apply', done, { class: 'main', disabled: true });
  const ask = (dry) => ({ label, spans, scope: scope.value, remove, dry });
  const where = ({ places, documents }) => `${counted(places, 'place')} in ${counted(documents, 'note')}`;
  async function look() {
    await mine.settled();
    const { body } = await api.post(`${mine.path}/everywhere`, { request: 'dry', ...ask(true) });
    const { places, kept, here } = body;
    found.textContent = `${where(body)}${kept ? `; ${kept} with another label stay` : ''}`;
    fill(apply, remove ? `Remove ${places}` : `Mark ${places}`);
    apply.disabled = !places;
    pane.mark('change', here.slice(0, 50).flat());
    if (places) apply.focus();
  }
  async function done() {
    close();
    const answer = await mine.ask('everywhere', ask(false));
    if (answer) app.say(`${remove ? 'Removed' : 'Marked'} ${where(answer)}. Undo takes all of it back.`);
  }
  fill(element, p(h('b', null, `${remove ? 'Remove' : 'Mark'} the same words as ${label}`)), scope, found, line(apply, press('Cancel', close)));
  appear('select');
  await look();
}

function appear(focus) {
  if (!isShown()) element.showPopover();
  follow();
  if (focus) element.querySelector(focus)?.focus();
}

/** Stay below the mention, or above it where there is no room. */
export function follow() {
  if (!isShown()) return;
  if (!pane.record) return close();
  const [rect] = pane.pieces.rects(pane.record.spans[0]);
  const { offsetWidth: width, offsetHeight: height, style } = element;
  const below = rect.bottom + 12;
  const top = below + height < innerHeight ? below : Math.max(4, rect.top - height - 12);
  style.setProperty('left', `${Math.max(4, Math.min(rect.left, innerWidth - width - 8))}px`);
  style.setProperty('top', `${top}px`);
}

function short({ spans }) {
  const text = pane.textOf(spans);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
