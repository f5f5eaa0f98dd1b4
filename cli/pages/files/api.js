// api.js - reads rows from the API, and reports changes of them

const base = '/api/v1';

// Returns {rows, total}. The browser keeps the answer and asks only whether it changed.
export async function rows(path, parameters = {}) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters))
    if (value !== '' && value !== null && value !== undefined) query.set(name, value);
  const text = query.toString();
  const answer = await request(base + path + (text ? '?' + text : ''));
  const body = await answer.json();
  return { rows: body.rows, total: Number(answer.headers.get('Muster-Rows') ?? body.rows.length) };
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

let listener = null;

// Sets the function that is called when rows may have changed; the page on screen has one.
export function onChange(fn) {
  listener = fn;
}

// Opens the stream of changes. `show` gets true while the stream is open.
export function openChanges(show) {
  const stream = new EventSource(base + '/changes');
  let running = false, again = false;

  async function refresh() {
    if (running) { // one refresh at a time; changes meanwhile cause one more
      again = true;
      return;
    }
    running = true;
    do {
      again = false;
      if (listener && !document.hidden) await listener();
    } while (again);
    running = false;
  }
  stream.addEventListener('open', () => show(true));
  stream.addEventListener('error', () => show(false));
  stream.addEventListener('change', refresh);
  document.addEventListener('visibilitychange', refresh);
}
