// Export: what to write, what the format cannot hold, and where it goes, before anything is written.

import { fill, h } from './dom.js';
import { button, counted, errorPlace, field, line, listed, select, tick, tried } from './forms.js';

const LOSSES = ['nothing', 'extras', 'mentions']; // what may be left out, each with those before it
const PAUSE = 300; // ms after the last change before the server is asked

export function exportScreen(app) {
  let turn = 0; // of the latest question; answers to earlier ones are dropped
  let timer;

  const radio = (name, value, checked) => tick('', { type: 'radio', name, value, checked });
  const which = { reviewed: radio('which', 'reviewed', true), all: radio('which', 'all'), selection: radio('which', 'selection') };
  const annotations = radio('content', 'annotations', true);
  const deidentified = radio('content', 'deidentified');
  annotations.append('Notes with their mentions');
  deidentified.append('De-identified notes: what was found is replaced');
  const suggestions = tick('Also what the model suggests, in notes that are not done');
  const policy = select([]);
  const policyField = field('Policy', policy);
  const format = select([]);
  const path = line({ placeholder: 'a new name in the exports of the project' });
  const plan = h('div', { class: 'plan', role: 'status' });
  const error = errorPlace();
  const write = button('Write', () => ask(false), { class: 'main' });
  const group = (name, ...fields) => h('fieldset', null, h('legend', null, name), ...fields);
  const element = h('section', { class: 'screen' }, h('h1', null, 'Export'),
    h('form', { oninput: later, onsubmit: (event) => event.preventDefault() },
      group('Which notes', ...Object.values(which)),
      group('What to write', annotations, deidentified, policyField, suggestions),
      group('Where', field('Format', format), field('File or folder', path))),
    plan, error, write);

  const isOn = (label) => label.firstChild.checked;

  function later() {
    turn += 1;
    clearTimeout(timer);
    write.disabled = true;
    policyField.hidden = !isOn(deidentified);
    timer = setTimeout(ask, PAUSE, true);
  }

  async function ask(dry) {
    const mine = ++turn;
    write.disabled = true;
    const asked = {
      format: format.value,
      documents: isOn(which.selection) ? app.selection : isOn(which.all) ? 'all' : 'reviewed',
      suggestions: isOn(suggestions),
      content: isOn(deidentified) ? 'deidentified' : 'annotations',
      policy: isOn(deidentified) ? policy.value : null,
      path: path.value || null,
      loss: dry ? 'mentions' : write.value,
      dry,
    };
    const answer = await tried(error, () => app.api.post('/exports', asked));
    if (mine !== turn) return;
    if (!answer || answer.refused) fill(plan, answer && `This cannot be written: ${answer.refused}`);
    else if (dry) propose(answer);
    else done(answer);
  }

  function propose({ documents, left_out, path: to }) {
    write.value = LOSSES[Math.max(0, ...left_out.map(({ level }) => LOSSES.indexOf(level)))];
    const lost = write.value === 'mentions';
    fill(plan,
      h('p', null, documents ? [counted(documents, 'note'), ' will be written to ', h('code', null, to)] : 'No note to write. Choose other notes above.'),
      left_out.length ? [h('p', null, `${format.value} cannot hold, and will leave out:`), lossList(left_out)] : documents > 0 && h('p', null, 'Nothing will be left out.'));
    write.disabled = !documents;
    fill(write, lost ? 'Write without these mentions' : 'Write');
  }

  function done({ documents, left_out, path: to }) {
    fill(plan, h('p', null, h('b', null, `${counted(documents, 'note')} written`), ' to ', h('code', null, to)), left_out.length > 0 && lossList(left_out, 'Left out: '));
    app.announce('Written');
  }

  function show() {
    const { counts, formats, policies, policy: usual } = app.project;
    const numbers = { reviewed: counts.states.done, all: counts.documents, selection: app.selection?.length ?? 0 };
    const names = { reviewed: 'Reviewed', all: 'All', selection: 'Selected in Documents' };
    for (const [name, label] of Object.entries(which)) fill(label, label.firstChild, `${names[name]} (${numbers[name].toLocaleString('en')})`);
    which.selection.hidden = !numbers.selection;
    if (numbers.selection) which.selection.firstChild.checked = true;
    const { value } = format;
    fill(format, listed(formats.filter(({ writes }) => writes).map(({ name, shape }) => [name, `${name} (${shape === 'file' ? 'one file' : 'a folder'})`])));
    format.value = value || format.options[0].value;
    fill(policy, listed(policies.map((name) => [name, name])));
    policy.value = usual;
    later();
  }

  return { element, show, hide: () => clearTimeout(timer) };
}

const lossList = (left_out) => h('ul', null, left_out.map(({ what, count, level }) => h('li', { class: level }, `${count.toLocaleString('en')} × ${what}`)));
