/*
 * Keeps the pay page current by the stream of its changes, counts down the time left, and copies amount and address.
 * Without this script the page reloads itself.
 */

/** Time until a page whose stream was refused is read again [ms]. */
const POLL_MS = 15_000;
/** Time for which a button says that it has copied [ms]. */
const COPIED_MS = 2_000;
/** Time from which the server writes the time left, in days [s]. */
const DAYS_FROM = 2 * 86_400;
/** Time after the end of a countdown at which the page is read again [ms]: the server records the end then. */
const END_MS = 2_000;

const element = (id) => document.getElementById(id);

/** Time at which the countdown ends [ms of performance.now]; undefined: there is none. */
let end;
let timer;

const two = (number) => String(number).padStart(2, '0');

/** Writes the time left as h:mm:ss or mm:ss. */
function timeText(seconds) {
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  return hours === 0
    ? `${minutes}:${two(seconds % 60)}`
    : `${hours}:${two(minutes % 60)}:${two(seconds % 60)}`;
}

function tick() {
  clearTimeout(timer);
  if (end === undefined) return;
  const ms = Math.max(0, end - performance.now());
  const seconds = Math.ceil(ms / 1000);
  if (seconds < DAYS_FROM) element('time').querySelector('[role=timer]').textContent = timeText(seconds);
  if (ms > 0) timer = setTimeout(tick, ms % 1000 || 1000);
  else timer = setTimeout(() => void readPage(), END_MS);
}

/** Shows the time left. @param left time [s]; null: none. @param text time as the server writes it. */
function showTime(left, text) {
  element('time').hidden = left === null;
  if (left !== null) element('time').querySelector('[role=timer]').textContent = text;
  end = left === null ? undefined : performance.now() + 1000 * left;
  tick();
}

const parsed = (text) => new DOMParser().parseFromString(text, 'text/html');

let shownStatus = element('status').innerHTML;

/** Replaces the state, which screen readers announce then. */
function showStatus(state, html) {
  document.body.dataset.state = state;
  const fresh = parsed(html).body;
  if (fresh.innerHTML === shownStatus) return;
  shownStatus = fresh.innerHTML;
  element('status').replaceChildren(...fresh.childNodes);
}

/** Replaces the section of the payment, and keeps the focus on the control that had it. */
function showPayment(fresh) {
  const shown = element('pay');
  const focused = shown.contains(document.activeElement) ? document.activeElement.id : undefined;
  shown.replaceWith(fresh);
  if (focused !== undefined) element(focused)?.focus();
}

/** Reads the page again. A page that is gone shows its answer. */
async function readPage() {
  let reply;
  try {
    reply = await fetch(location.pathname, { cache: 'no-store', credentials: 'omit' });
  } catch {
    return;
  }
  if (reply.status === 404) location.reload();
  if (!reply.ok) return;
  const page = parsed(await reply.text());
  document.title = page.title;
  showStatus(page.body.dataset.state, page.getElementById('status').innerHTML);
  if (page.getElementById('pay').dataset.uri !== element('pay').dataset.uri)
    showPayment(page.getElementById('pay'));
  const time = page.querySelector('[role=timer]');
  showTime(time.dataset.left === '' ? null : Number(time.dataset.left), time.textContent);
}

function show({ gone, title, state, status, uri, left, time }) {
  if (gone) return location.reload();
  document.title = title;
  showStatus(state, status);
  showTime(left, time);
  if ((uri ?? '') === element('pay').dataset.uri) return undefined;
  if (uri !== null) return readPage();
  const empty = element('pay').cloneNode(false);
  empty.dataset.uri = '';
  return showPayment(empty);
}

function listen() {
  const events = new EventSource(`${location.pathname}/events`);
  events.addEventListener('update', ({ data }) => void show(JSON.parse(data)));
  events.addEventListener('open', () => (element('offline').hidden = true));
  events.addEventListener('error', () => {
    element('offline').hidden = false;
    // The browser connects again, unless the answer was no stream.
    if (events.readyState !== EventSource.CLOSED) return;
    setTimeout(() => void readPage().then(listen), POLL_MS);
  });
}

/** Copies a text; where the browser refuses, the text of the field is selected instead. */
async function copy(button) {
  try {
    await navigator.clipboard.writeText(button.dataset.copy);
  } catch {
    getSelection().selectAllChildren(button.parentElement.querySelector('.value'));
    return;
  }
  const [action, done] = button.children;
  action.hidden = true;
  done.hidden = false;
  element('said').textContent = done.textContent;
  setTimeout(() => {
    action.hidden = false;
    done.hidden = true;
    element('said').textContent = '';
  }, COPIED_MS);
}

document.documentElement.classList.add('has-script');
document.addEventListener('click', ({ target }) => {
  const button = target.closest('[data-copy]');
  if (button !== null) void copy(button);
});
const { left } = element('time').querySelector('[role=timer]').dataset;
if (left !== '') showTime(Number(left), element('time').querySelector('[role=timer]').textContent);
listen();
