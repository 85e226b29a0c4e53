// Elements without markup. Text reaches the page as text alone, so a note can never become HTML;
// the Content-Security-Policy (Trusted Types) refuses everything else anyway.

const REFUSED = ['innerHTML', 'outerHTML', 'srcdoc', 'style'];
const PROPERTIES = /^(value|checked|disabled|selected)$/; // everything else is an attribute

/**
 * Make an element. Attributes that are null or false are not there; `dataset` is an object.
 * Children: elements, strings, numbers, arrays of these; null and false are skipped.
 */
export const h = (tag, props, ...children) => made(document.createElement(tag), props, children);

export const svg = (tag, props, ...children) => made(document.createElementNS('http://www.w3.org/2000/svg', tag), props, children);

function made(element, props, children) {
  for (const [name, value] of Object.entries(props ?? {})) set(element, name, value);
  return fill(element, children);
}

/** Set one prop of an element, as `h` does. */
export function set(element, name, value) {
  if (REFUSED.includes(name)) throw new TypeError(`${name} is not a prop`);
  if (name.startsWith('on')) value && element.addEventListener(name.slice(2), value); // as a property, false would stop links
  else if (name === 'dataset') Object.assign(element.dataset, value);
  else if (PROPERTIES.test(name)) element[name] = value;
  else if (isNothing(value)) element.removeAttribute(name);
  else element.setAttribute(name, value === true ? '' : value);
}

/** Replace what an element holds. */
export function fill(element, ...children) {
  element.replaceChildren(...children.flat(Infinity).filter((child) => !isNothing(child)));
  return element;
}

const isNothing = (value) => value === null || value === undefined || value === false;

/**
 * Make the children of `parent` those of `items`, one each, keeping elements by key.
 *
 * `update(element, item)` is called for every one, new or kept. Elements that stay are moved only
 * where the order changed, so focus and scroll position survive.
 */
export function keyed(parent, items, keyOf, make, update) {
  const before = KEPT.get(parent);
  const after = new Map(items.map((item) => [keyOf(item), before?.get(keyOf(item)) ?? make(item)]));
  const kept = new Set(after.values());
  for (const element of [...parent.children]) if (!kept.has(element)) element.remove();
  let place = parent.firstElementChild;
  for (const element of kept) {
    if (element === place) place = place.nextElementSibling;
    else parent.insertBefore(element, place);
  }
  for (const item of items) update(after.get(keyOf(item)), item);
  KEPT.set(parent, after);
}

const KEPT = new WeakMap(); // parent → elements by key
