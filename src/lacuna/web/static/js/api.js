// Calls of the server. Nothing of a note ever stands in an address: keys alone do.

/** The server refused; `title` and `detail` are its words. */
export class ApiError extends Error {
  constructor(status, body) {
    super(body?.detail ?? body?.title ?? `The server answered ${status}.`);
    Object.assign(this, { status, body, title: body?.title ?? '', detail: body?.detail ?? '' });
  }
}

/** The server did not answer. */
export class Offline extends Error {
  constructor() {
    super('lacuna does not answer. Is it still running?');
  }
}

/**
 * Ask the server; `{ status, body, etag }`.
 *
 * A body is sent as JSON, a `Blob` as it is. `body` of the answer is null where there is none (204, 304).
 */
export async function request(method, path, body, { headers = {}, signal } = {}) {
  const raw = body instanceof Blob;
  const type = body === undefined ? {} : { 'Content-Type': raw ? 'application/octet-stream' : 'application/json' };
  const options = { method, headers: { Accept: 'application/json', ...type, ...headers }, signal, cache: 'no-store' };
  if (body !== undefined) options.body = raw ? body : JSON.stringify(body);
  let answer, text;
  try {
    answer = await fetch(`/api${path}`, options);
    text = await answer.text();
  } catch {
    throw new Offline();
  }
  const json = /json/.test(answer.headers.get('Content-Type') ?? '');
  const found = text && json ? JSON.parse(text) : text || null;
  if (!answer.ok && answer.status !== 304) throw new ApiError(answer.status, json ? found : null);
  return { status: answer.status, body: found, etag: answer.headers.get('ETag') };
}

export const api = {
  request,
  get: (path, headers) => request('GET', path, undefined, { headers }),
  post: (path, body = {}, headers) => request('POST', path, body, { headers }),
  patch: (path, body, headers) => request('PATCH', path, body, { headers }),
  delete: (path) => request('DELETE', path),
};
