// What the screens around the review share.

import { ApiError, Offline } from './api.js';
import { fill, h } from './dom.js';

/** A field with its name above it. */
export const field = (name, control) => h('label', { class: 'field' }, name, control);

/** A checkbox (or radio button) with its words after it. */
export const tick = (words, props) => h('label', { class: 'tick' }, h('input', { type: 'checkbox', ...props }), words);

/** A select of `[value, words]`. */
export const select = (options, props) => h('select', props, listed(options));

export const listed = (options) => options.map(([value, words]) => h('option', { value }, words));

/** A field for text, which the browser neither remembers nor sends away to check its spelling. */
export const line = (props) => h('input', { autocomplete: 'off', spellcheck: 'false', ...props });

export const button = (words, onclick, props) => h('button', { type: 'button', onclick, ...props }, words);

export const counted = (number, word) => `${number.toLocaleString('en')} ${word}${number === 1 ? '' : 's'}`;

export const when = (at) => at && h('time', { datetime: at }, new Date(at).toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' }));

/** Where errors of a screen are said. */
export const errorPlace = () => h('p', { class: 'error', role: 'alert' });

/** The body of an answer; if there is none, `place` says why, and null is returned. */
export async function tried(place, work) {
  fill(place);
  try {
    return (await work()).body;
  } catch (error) {
    if (!(error instanceof Offline || error instanceof ApiError)) throw error;
    fill(place, error.status ? error.detail || error.title : 'lacuna does not answer. Is it still running?');
    return null;
  }
}
