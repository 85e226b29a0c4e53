// The pane alone: shows the document a test gives, writes down the events, acts on the keys.
import * as dom from '/static/js/dom.js';
import * as keys from '/static/js/keys.js';
import * as lanes from '/static/js/lanes.js';
import * as offsets from '/static/js/offsets.js';
import { TextPane } from '/static/js/textpane.js';

const events = [];
const note = (name) => (value) => events.push([name, value ?? null]);
const pane = new TextPane(document.getElementById('pane'), {
  onSelect: note('select'),
  onFocus: note('focus'),
  onChange: note('change'),
  onTokens: note('tokens'),
});
const violations = [];
document.addEventListener('securitypolicyviolation', (event) => violations.push(event.violatedDirective));
document.addEventListener('keydown', (event) => {
  const action = keys.actionOf(event);
  if (action && pane.perform(action)) event.preventDefault();
});
Object.assign(window, { pane, events, violations, dom, keys, lanes, offsets });
document.body.dataset.ready = 'yes';
