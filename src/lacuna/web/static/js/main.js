// The frame of the page: session, header, screens by the address, messages.

import { ApiError, api, Offline } from './api.js';
import { fill, h } from './dom.js';
import { Events } from './events.js';

const SCREENS = {
  review: ['./review.js', 'reviewScreen', 'Review'],
  documents: ['./documents.js', 'documentsScreen', 'Notes'],
  teach: ['./teaching.js', 'teachScreen', 'Teach'],
  model: ['./modelpage.js', 'modelScreen', 'Model'],
  finish: ['./finish.js', 'finishScreen', 'Finish'],
  deid: ['./deidrun.js', 'deidScreen', 'De-identify'],
  export: ['./exporting.js', 'exportScreen', 'Export'],
  import: ['./importing.js', 'importScreen', 'Import'],
  history: ['./history.js', 'historyScreen', 'History'],
};

const place = (id) => document.getElementById(id);
const events = new Events();
const screens = new Map();
let current = null;

/** What screens may use. `settings` are for this visit alone. */
export const app = {
  api,
  project: null,
  get screen() {
    return current;
  },
  settings: { letters: true, accepts: null },
  /** Say something to people who listen; nothing is seen. */
  announce(text) {
    const live = place('live');
    live.textContent = live.textContent === text ? `${text} ` : text; // the same again is said again
  },
  /** Show a message for a while; kind 'error' stays until it is closed. Any `Error` may be given. */
  say(text, kind = 'info') {
    const failed = kind === 'error' || text instanceof Error;
    const close = h('button', { type: 'button', 'aria-label': 'Close', onclick: () => toast.remove() }, '×');
    const toast = h('div', { class: `toast ${failed ? 'error' : kind}`, role: failed ? 'alert' : 'status' }, h('p', null, text.message ?? text), close);
    place('toasts').append(toast);
    if (!failed) setTimeout(() => toast.remove(), 6000);
  },
  /** Go to a screen, e.g. 'review/12'; with `replace` the one before is not gone back to. */
  go(route, { replace = false } = {}) {
    if (!replace) location.hash = `#/${route}`;
    else {
      history.replaceState(null, '', `#/${route}`);
      show();
    }
  },
  async refreshProject() {
    app.project = (await api.get('/project')).body;
    header();
    events.emit('refreshed', app.project);
    return app.project;
  },
  /** Listen to the server: document, queue, project, import, filling; 'refreshed' follows a new `project`. */
  on: (type, handler) => events.on(type, handler),
  /** 'saved', 'saving' or 'failing'. */
  saved(state) {
    const words = { saved: 'saved ✓', saving: 'saving …', failing: 'not saved, trying again' };
    place('saved').textContent = words[state];
    place('saved').dataset.state = state;
  },
};

// ── header ───────────────────────────────────────────────────────────────────────────────────

const saved = h('span', { id: 'saved', role: 'status', dataset: { state: 'saved' } }, 'saved ✓');
const progress = h('progress', { 'aria-label': 'Reviewed notes', max: 1 });
const counted = h('span', { class: 'counted' });
const name = h('span', { class: 'project' });
const links = Object.entries(SCREENS).map(([route, [, , title]]) => h('a', { href: `#/${route}` }, title));
const help = h('button', { type: 'button', id: 'help', 'aria-label': 'Help and keys', onclick: openHelp }, h('kbd', null, '?'));

async function openHelp() {
  await (await import('./help.js')).showHelp(app);
  events.emit('refreshed', app.project); // switches may have changed
}
app.help = openHelp;

function header() {
  const { project } = app;
  const { documents, states } = project.counts;
  name.textContent = project.name;
  progress.value = documents ? states.done / documents : 0;
  counted.textContent = project.filling
    ? `reading notes: ${project.filling.done} of ${project.filling.of}`
    : `${states.done} of ${documents} reviewed`;
  if (!name.isConnected) {
    const brand = h('a', { class: 'brand', href: '#/review' }, 'lacuna');
    const nav = h('nav', { 'aria-label': 'Screens' }, links);
    fill(place('top'), brand, name, nav, h('div', { class: 'progress' }, progress, counted), saved, help);
  }
}

// ── screens ──────────────────────────────────────────────────────────────────────────────────

/** Show what the address says. */
async function show() {
  const { hash } = location;
  let [route, ...keys] = hash.replace(/^#\/?/, '').split('/').filter(Boolean);
  if (!SCREENS[route]) route = 'review';
  if (route === 'review' && !app.project.counts.documents && !(await app.refreshProject()).counts.documents) route = 'import'; // the start of an empty project
  for (const link of links) {
    if (link.getAttribute('href') === `#/${route}`) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  document.title = `${SCREENS[route][2]} – lacuna`;
  try {
    if (!screens.has(route)) {
      const [path, make] = SCREENS[route];
      const module = await import(path);
      if (location.hash !== hash) return; // somebody went on while it was loading
      if (!screens.has(route)) screens.set(route, module[make](app));
    }
    const next = screens.get(route);
    if (current !== next) {
      current?.hide();
      fill(place('screen'), next.element);
      current = next;
    }
    await next.show(...keys.map(Number).filter(Number.isInteger));
  } catch (error) {
    failed(error);
  }
}

/** Errors of calls that nobody caught; others are mistakes of ours and go to the console. */
function failed(error) {
  if (error instanceof ApiError && error.status === 401) locked();
  else if (error instanceof ApiError || error instanceof Offline) app.say(error);
  else throw error;
}

function locked() {
  const text = 'Open the link that lacuna printed when it was started. It holds the key to this page.';
  fill(place('screen'), h('section', { class: 'empty' }, h('h1', null, 'This page is locked'), h('p', null, text)));
}

async function start() {
  const token = /^#k=(.+)$/.exec(location.hash)?.[1];
  if (token) {
    history.replaceState(null, '', location.pathname);
    await api.post('/session', { token });
  } else if (!(await api.get('/health')).body.version) return locked(); // without a session: no error to provoke
  await app.refreshProject();
  window.addEventListener('hashchange', show);
  window.addEventListener('unhandledrejection', (event) => {
    if (!(event.reason instanceof ApiError || event.reason instanceof Offline)) return;
    event.preventDefault();
    failed(event.reason);
  });
  events.open();
  let waiting = null;
  for (const type of ['project', 'queue', 'filling', 'resume']) {
    events.on(type, () => (waiting ??= setTimeout(() => ((waiting = null), app.refreshProject()), 300)));
  }
  await show();
}

start().catch(failed);
