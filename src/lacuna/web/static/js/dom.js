// Elements without markup. Text reaches the page by textContent alone, so a note can never become
// HTML; the Content-Security-Policy (Trusted Types) refuses everything else anyway.

const SVG = 'http://www.w3.org/2000/svg';
const REFUSED = new Set(['innerHTML', 'outerHTML', 'srcdoc', 'style']);

/**
 * Make an element.
 *
 * Props: `class`, `dataset` (object), `onclick` and the like (functions), `true`/`false`/`null`
 * for attributes that are there or not; properties such as `value`, `checked` and `disabled` are
 * set as such; everything else is an attribute. Children: elements, strings, numbers, arrays of
 * these; `null` and `false` are skipped.
 */
export function h(tag, props, ...children) {
  return filled(document.createElement(tag), props, children);
}

/** The same for SVG. */
export function svg(tag, props, ...children) {
  return filled(document.createElementNS(SVG, tag), props, children);
}

function filled(element, props, children) {
  for (const [name, value] of Object.entries(props ?? {})) set(element, name, value);
  append(element, children);
  return element;
}

/** Set one prop of an element, as `h` does. */
export function set(element, name, value) {
  if (REFUSED.has(name)) throw new TypeError(`${name} is not a prop`);
  if (name === 'dataset') Object.assign(element.dataset, value);
  else if (name.startsWith('on')) listen(element, name.slice(2), value);
  else if (PROPERTIES.has(name)) element[name] = value;
  else if (value === null || value === undefined || value === false) element.removeAttribute(name);
  else element.setAttribute(name, value === true ? '' : String(value));
}

const PROPERTIES = new Set(['value', 'checked', 'disabled', 'selected', 'textContent', 'indeterminate']);

function listen(element, type, handler) {
  if (typeof handler !== 'function') throw new TypeError(`on${type} takes a function`);
  element.addEventListener(type, handler);
}

/** Append children as `h` does. */
export function append(element, children) {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    if (Array.isArray(child)) append(element, child);
    else element.append(child instanceof Node ? child : String(child));
  }
}

/** Replace what an element holds. */
export function fill(element, ...children) {
  element.replaceChildren();
  append(element, children);
  return element;
}

/**
 * Make the children of `parent` those of `items`, one each, keeping elements by key.
 *
 * `make(item)` gives a new element; `update(element, item)` is called for every one, new or kept.
 * Elements that stay are moved only where the order changed, so focus and scroll position survive.
 */
export function keyed(parent, items, keyOf, make, update = () => {}) {
  const before = KEPT.get(parent) ?? new Map();
  const after = new Map();
  for (const item of items) {
    const key = keyOf(item);
    if (after.has(key)) throw new Error('two items have the same key');
    after.set(key, before.get(key) ?? make(item));
  }
  for (const [key, element] of before) if (!after.has(key)) element.remove();
  let place = parent.firstElementChild;
  for (const element of after.values()) {
    if (element === place) place = place.nextElementSibling;
    else parent.insertBefore(element, place);
  }
  for (const item of items) update(after.get(keyOf(item)), item);
  KEPT.set(parent, after);
}

const KEPT = new WeakMap(); // parent → elements by key
