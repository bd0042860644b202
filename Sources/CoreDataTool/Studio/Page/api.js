// Asks the server. `document.body.dataset.busy` says whether something is under way.

/** An answer that is an error, or none at all. */
export class StudioError extends Error {
  constructor(status, body) {
    const error = body.error || {};
    super(error.message || `The server answered with status ${status}.`);
    this.status = status;
    this.details = error.details || [];
    this.position = error.position ?? null;
    this.length = error.length ?? null;
    this.key = error.key ?? null;
    this.body = body;
  }
}

let underWay = 0;

/** Notes that something is under way; what it returns notes the end, once. */
export function begin() {
  underWay += 1;
  document.body.dataset.busy = 'true';
  let isOver = false;
  return () => {
    if (isOver) return;
    isOver = true;
    underWay -= 1;
    // Work that follows an answer begins before the page is called idle.
    setTimeout(() => { if (underWay === 0) document.body.dataset.busy = 'false'; }, 0);
  };
}

export function url(path, params = {}) {
  const query = Object.entries(params)
    .filter(([, value]) => value !== undefined && value !== null && value !== '')
    .map(([key, value]) => `${key}=${encodeURIComponent(value)}`).join('&');
  return `/api/${path}${query ? `?${query}` : ''}`;
}

async function ask(address, options) {
  const end = begin();
  try {
    const response = await fetch(address, { credentials: 'same-origin', cache: 'no-store', ...options });
    const text = await response.text();
    let body = {};
    try {
      body = text ? JSON.parse(text) : {};
    } catch {
      if (response.ok) throw new StudioError(response.status, { error: { message: 'The answer cannot be read.' } });
    }
    if (response.ok) return body;
    const error = new StudioError(response.status, body);
    if (response.status === 401) document.dispatchEvent(new CustomEvent('studio-end', { detail: error.message }));
    throw error;
  } catch (error) {
    if (error.name === 'AbortError' || error instanceof StudioError) throw error;
    throw new StudioError(0, { error: {
      message: 'The studio does not answer.',
      details: ['Check whether the command still runs. Then load the page again by the address that it prints.'],
    } });
  } finally {
    end();
  }
}

export function get(path, params, signal) {
  return ask(url(path, params), { signal });
}

export function post(path, body = {}) {
  return ask(`/api/${path}`, {
    method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body),
  });
}

export function isAbort(error) {
  return error.name === 'AbortError';
}

/** Calls after a pause in the calls; a wait counts as something under way. */
export function afterPause(milliseconds, act) {
  let timer = null;
  let end = null;
  const call = (...values) => {
    call.cancel();
    end = begin();
    timer = setTimeout(() => {
      const over = end;
      timer = null;
      end = null;
      try {
        act(...values);
      } finally {
        over();
      }
    }, milliseconds);
  };
  call.cancel = () => {
    clearTimeout(timer);
    if (end) end();
    end = null;
  };
  return call;
}
