// api.js - reads rows from the API, and reports changes of them

const base = '/api/v1';

// Returns {rows, total}. The browser keeps the answer and asks only whether it changed.
export async function rows(path, parameters = {}) {
  const { answer, total } = await readWithTotal(path, parameters);
  return { rows: answer.rows, total, answer };
}

// Returns an answer as it is.
export async function readDocument(path, parameters = {}) {
  return (await readWithTotal(path, parameters)).answer;
}

export async function readWithTotal(path, parameters = {}) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters))
    if (value !== '' && value !== null && value !== undefined) query.set(name, value);
  const text = query.toString();
  const answer = await request(base + path + (text ? '?' + text : ''));
  const body = await answer.json();
  if (body.state === 'running') { // a command computes the answer
    await new Promise(done => setTimeout(done, 300));
    return readWithTotal(path, parameters);
  }
  return { answer: body, total: Number(answer.headers.get('Muster-Rows')) };
}

// Returns a function that reads like `read`. When it is called again before an answer came,
// the older call returns the answer of the newer one: a page that was left is not drawn.
export function newestOf(read) {
  let newest = null;

  async function settle(own) {
    try {
      const answer = await own;
      if (own === newest) return answer;
    } catch (error) {
      if (own === newest) throw error;
    }
    return settle(newest);
  }
  return (...parameters) => settle(newest = read(...parameters));
}

async function request(address) {
  let answer;
  try {
    answer = await fetch(address, { headers: { Accept: 'application/json' } });
  } catch {
    throw new Error('The server does not answer; is "muster serve" still running?');
  }
  if (answer.ok) return answer;
  let text = `${answer.status} ${answer.statusText}`;
  try {
    text = (await answer.json()).error;
  } catch {
    // the answer has no text of its own
  }
  throw new Error(text);
}

let source = null;

// Returns true when the server reads a coordinator, which has workers; a store has none.
export async function readsCoordinator() {
  source ??= (await rows('/source')).rows[0].source;
  return source === 'coordinator';
}

let listener = null;

// Sets the function that is called when rows may have changed; the page on screen has one.
export function onChange(fn) {
  listener = fn;
}

// Opens the stream of changes while the page is visible: a browser has only six connections
// to a server, for all its tabs. `show` gets true while the stream is open.
export function openChanges(show) {
  let stream = null, running = false, again = false;

  async function refresh() {
    if (running) { // one refresh at a time; changes meanwhile cause one more
      again = true;
      return;
    }
    running = true;
    do {
      again = false;
      if (listener) await listener();
    } while (again);
    running = false;
  }

  function open() {
    if (stream) return;
    stream = new EventSource(base + '/changes');
    stream.addEventListener('open', () => show(true));
    stream.addEventListener('error', () => show(false));
    stream.addEventListener('change', refresh);
  }

  function close() {
    stream?.close();
    stream = null;
  }

  addEventListener('pagehide', close);
  addEventListener('pageshow', open);
  document.addEventListener('visibilitychange', () => document.hidden ? close() : open());
  if (!document.hidden) open();
}
