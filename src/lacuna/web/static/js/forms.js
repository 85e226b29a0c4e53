// What the screens around the review share.

import { ApiError, Offline } from './api.js';
import { fill, h } from './dom.js';

export const field = (name, control) => h('label', { class: 'field' }, name, control);

/** A checkbox or radio button, its words after it. */
export const tick = (words, props) => h('label', { class: 'tick' }, h('input', { type: 'checkbox', ...props }), words);

/** Options of a select: values, or `[value, words]`. */
export const options = (all) => all.map((one) => h('option', { value: [one].flat()[0] }, [one].flat().at(-1)));

/** A field for text, which the browser neither remembers nor sends away to check its spelling. */
export const line = (props) => h('input', { autocomplete: 'off', spellcheck: 'false', ...props });

export const p = (...children) => h('p', null, ...children);

export const table = (columns, body, props) =>
  h('table', props, h('thead', null, h('tr', null, columns.map((name) => h('th', { scope: 'col' }, name)))), body);

export const when = (at) => at && new Date(at).toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' });

export const errorPlace = () => h('p', { class: 'error', role: 'alert' });

/** The body of an answer; if there is none, null, and `place` says why. */
export async function tried(place, work) {
  fill(place);
  try {
    return (await work()).body;
  } catch (error) {
    if (!(error instanceof Offline || (error instanceof ApiError && error.status !== 401))) throw error;
    fill(place, error.message);
    return null;
  }
}
