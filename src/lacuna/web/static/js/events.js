// What the server tells by itself. A browser allows six connections to a server, and a stream takes
// one of them for good; so one tab of all listens (it holds a lock) and tells the others.

const TYPES = ['document', 'queue', 'project', 'import', 'filling', 'teaching', 'model', 'finish', 'deid'];
const AGAIN = 3000; // ms until a refused stream is asked for again

export class Events {
  #handlers = new Map();
  #channel = new BroadcastChannel('lacuna-events');
  #waiting = null; // AbortController while visible

  on(type, handler) {
    if (!this.#handlers.has(type)) this.#handlers.set(type, new Set());
    this.#handlers.get(type).add(handler);
    return () => this.#handlers.get(type).delete(handler);
  }

  emit(type, data) {
    for (const handler of this.#handlers.get(type) ?? []) handler(data);
  }

  /** Listen as long as the tab is seen; 'resume' says that something may have been missed. */
  open() {
    this.#channel.onmessage = ({ data: [type, data] }) => !document.hidden && this.emit(type, data);
    const follow = () => {
      if (document.hidden) this.#waiting?.abort();
      else this.#lead();
    };
    document.addEventListener('visibilitychange', () => {
      follow();
      if (!document.hidden) this.emit('resume', {});
    });
    follow();
  }

  #lead() {
    this.#waiting = new AbortController();
    const { signal } = this.#waiting;
    const lead = () => new Promise((done) => this.#listen(signal, done));
    navigator.locks.request('lacuna-events', { signal }, lead).catch(() => {}); // given up before it was our turn
  }

  #listen(signal, done) {
    if (signal.aborted) return done();
    const source = new EventSource('/api/events');
    let began = false;
    source.onopen = () => {
      if (began) this.#tell('resume', {});
      began = true;
    };
    for (const type of TYPES) source.addEventListener(type, (event) => this.#tell(type, JSON.parse(event.data)));
    const end = () => {
      source.close();
      done();
    };
    source.onerror = () => {
      if (source.readyState !== EventSource.CLOSED) return; // it tries again by itself
      signal.removeEventListener('abort', end);
      setTimeout(() => this.#listen(signal, done), AGAIN);
    };
    signal.addEventListener('abort', end, { once: true });
  }

  #tell(type, data) {
    this.emit(type, data);
    this.#channel.postMessage([type, data]);
  }
}
