// The frame of the page: session, header, screens by the address, messages. A screen is the module
// of that name: its `element`, `show(key)` and, if it has something to end, `hide()`.

import { ApiError, api } from './api.js';
import { fill, h, set } from './dom.js';
import { Events } from './events.js';
import { p, press } from './widgets.js';

const SAVED = { saved: 'saved ✓', saving: 'saving …', failing: 'not saved, trying again' };

const TOKEN = /^#k=(.+)$/;

const find = (selector) => document.querySelector(selector);
const links = [...document.querySelectorAll('nav a')];
const events = new Events();
let current = null;

/** What screens may use. `settings` are for this visit alone. */
export const app = {
  project: null,
  get screen() {
    return current;
  },
  settings: { letters: true, accepts: null },
  /** Say something to people who listen; nothing is seen. */
  announce(text) {
    const live = find('#live');
    live.textContent = live.textContent === text ? `${text} ` : text; // the same again is said again
  },
  /** Show a message for a while, or an error until it is closed. */
  say(text) {
    const failed = text instanceof Error;
    const close = press('×', () => toast.remove(), { 'aria-label': 'Close' });
    const toast = h('div', { class: `toast ${failed ? 'error' : ''}`, role: failed ? 'alert' : 'status' }, p(failed ? text.message : text), close);
    find('#toasts').append(toast);
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
    const project = (await api.get('/project')).body;
    const { counts, filling } = project;
    const { done } = counts.states;
    app.project = project;
    find('.project').textContent = project.name;
    find('#top progress').value = counts.documents ? done / counts.documents : 0;
    find('.counted').textContent = filling ? `reading notes: ${filling.done} of ${filling.of}` : `${done} of ${counts.documents} reviewed`;
    find('#top').hidden = false;
    events.emit('refreshed');
    return project;
  },
  labelNamed: (wanted) => app.project.labels.find(({ name }) => name === wanted),
  /** Listen to the server: document, queue, project, import, filling, teaching, model, finish, deid; 'refreshed' follows a new `project`. */
  on: (type, handler) => events.on(type, handler),
  /** 'saved', 'saving' or 'failing'. */
  saved(state) {
    Object.assign(find('#saved'), { textContent: SAVED[state] }).dataset.state = state;
  },
  async help() {
    await (await import('./help.js')).showHelp();
    events.emit('refreshed'); // switches may have changed
  },
};

/** Show what the address says. */
async function show() {
  const { hash } = location;
  unfold(false);
  let [route, ...keys] = hash.split('/').slice(1);
  if (route === 'review' && !app.project.counts.documents && !(await app.refreshProject()).counts.documents) route = 'import'; // the start of an empty project
  const link = links.find((one) => one.hash === `#/${route}`);
  if (!link) return app.go('review', { replace: true });
  for (const one of links) set(one, 'aria-current', one === link && 'page');
  document.title = `${link.textContent} – lacuna`;
  try {
    const next = await import(`./${route}.js`);
    if (location.hash !== hash) return; // somebody went on while it was loading
    if (current !== next) {
      current?.hide?.();
      fill(find('#screen'), next.element);
      current = next;
    }
    await next.show(...keys.map(Number).filter(Number.isInteger));
  } catch (error) {
    failed(error);
  }
}

/** In narrow windows the links to the screens are folded. */
const unfold = (open) => find('#menu').setAttribute('aria-expanded', open);

/** Errors of calls that nobody caught; others are mistakes of ours and go to the console. */
function failed(error) {
  if (!(error instanceof ApiError)) throw error;
  if (error.status === 401) locked();
  else app.say(error);
}

function locked() {
  const text = 'Open the link that lacuna printed when it was started. It holds the key to this page.';
  fill(find('#screen'), h('section', { class: 'empty' }, h('h1', null, 'This page is locked'), p(text)));
}

async function start() {
  const token = TOKEN.exec(location.hash)?.[1];
  if (token) {
    history.replaceState(null, '', location.pathname);
    await api.post('/session', { token });
  } else if (!(await api.get('/health')).body.version) return locked(); // without a session: no error to provoke
  await app.refreshProject();
  find('#help').onclick = app.help;
  find('#menu').onclick = ({ target }) => unfold(target.ariaExpanded === 'false');
  addEventListener('hashchange', () => (TOKEN.test(location.hash) ? location.reload() : show())); // the link of a server that was started again
  addEventListener('unhandledrejection', (event) => {
    if (!(event.reason instanceof ApiError)) return;
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
