// Calls of the server. Nothing of a note ever stands in an address: keys alone do.

/** The server refused; status 0: it did not answer. */
export class ApiError extends Error {
  constructor(status, body) {
    super(body?.detail ?? body?.title ?? `The server answered ${status}.`);
    Object.assign(this, { status, body });
  }
}

export class Offline extends ApiError {
  constructor() {
    super(0, { detail: 'lacuna does not answer. Is it still running?' });
  }
}

/** Ask the server. A body is sent as JSON, a `Blob` as it is; that of the answer is null where there is none. */
export async function request(method, path, body, { headers, signal } = {}) {
  const raw = body instanceof Blob;
  const type = body && { 'Content-Type': raw ? 'application/octet-stream' : 'application/json' };
  const options = { method, headers: { Accept: 'application/json', ...type, ...headers }, signal, cache: 'no-store' };
  let answer, text;
  try {
    answer = await fetch(`/api${path}`, { ...options, body: raw ? body : JSON.stringify(body) });
    text = await answer.text();
  } catch {
    throw new Offline();
  }
  const { status } = answer;
  const found = text && /json/.test(answer.headers.get('Content-Type')) ? JSON.parse(text) : null;
  if (!answer.ok && status !== 304) throw new ApiError(status, found);
  return { status, body: found, etag: answer.headers.get('ETag') };
}

export const api = {
  request,
  get: (path, headers) => request('GET', path, undefined, { headers }),
  post: (path, body = {}, headers) => request('POST', path, body, { headers }),
  delete: (path) => request('DELETE', path),
};
