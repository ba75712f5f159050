/*
 * Keeps the pay page current by the stream of its changes, writes the time left, copies amount and address, leads back to
 * the shop, and reports to the page of a shop that shows it in a frame. Without this script the page reloads itself.
 */

/** Time until a page whose stream was refused is read again [ms]. */
const POLL_MS = 15_000;
/** Time for which a button says that it has copied [ms]. */
const COPIED_MS = 2_000;
/** Time after the end of a countdown at which the page is read again [ms]: the server records the end then. */
const END_MS = 2_000;
/** Time after which a hidden page is read again when it is shown [ms]: its stream may have ended unnoticed. */
const HIDDEN_MS = 60_000;

const [MINUTE, HOUR, DAY] = [60, 3600, 86_400];
/** Time from which the time left is written in days and hours [s]. */
const DAYS_FROM = 2 * DAY;

const element = (id) => document.getElementById(id);
const timerOf = (page) => page.querySelector('[role=timer]');
/** Language with the digits of amounts. */
const LOCALE = `${document.documentElement.lang}-u-nu-latn`;

/** Time at which the countdown ends [Unix ms]; undefined: there is none. */
let end;
let timer;

const unitText = (unit, value) =>
  new Intl.NumberFormat(LOCALE, { style: 'unit', unit, unitDisplay: 'long' }).format(value);

/** Writes the time left in the words of the server (src/watch/pay/pay-texts.ts), and seconds in the last minute. */
function timeText(seconds) {
  if (seconds < MINUTE) return unitText('second', seconds);
  const isLong = seconds >= DAYS_FROM;
  const [large, unit, part, small] = isLong ? ['day', HOUR, 'hour', 24] : ['hour', MINUTE, 'minute', 60];
  const count = isLong ? Math.round(seconds / unit) : Math.ceil(seconds / unit);
  const texts = [];
  if (count >= small) texts.push(unitText(large, Math.floor(count / small)));
  if (count % small > 0) texts.push(unitText(part, count % small));
  return new Intl.ListFormat(LOCALE, { type: 'unit' }).format(texts);
}

function tick() {
  clearTimeout(timer);
  if (end === undefined) return;
  const ms = Math.max(0, end - Date.now());
  timerOf(document).textContent = timeText(Math.ceil(ms / 1000));
  if (ms > 0) timer = setTimeout(tick, ms % 1000 || 1000);
  else timer = setTimeout(() => void readPage(), END_MS);
}

/** Shows the time left. @param left time [s]; null: none. */
function showTime(left) {
  element('time').hidden = left === null;
  end = left === null ? undefined : Date.now() + 1000 * left;
  tick();
}

const parsed = (text) => new DOMParser().parseFromString(text, 'text/html');

let shownStatus = element('status').innerHTML;

/** Replaces the content of an element by HTML, unless it is the same. */
function replaceContent(id, html) {
  const fresh = parsed(html).body;
  if (element(id).innerHTML !== fresh.innerHTML) element(id).replaceChildren(...fresh.childNodes);
}

/** Replaces the state, which screen readers announce then. */
function showState(state, html, receipt) {
  const before = document.body.dataset.state;
  document.body.dataset.state = state;
  const fresh = parsed(html).body;
  if (fresh.innerHTML !== shownStatus) {
    shownStatus = fresh.innerHTML;
    element('status').replaceChildren(...fresh.childNodes);
  }
  replaceContent('receipt', receipt);
  if (state === before) return;
  report();
  if (isPaid(state) && !isPaid(before)) goBackSoon();
  else if (!isPaid(state)) stay();
}

const isPaid = (state) => state === 'paid' || state === 'overpaid';

/* The way back to the shop. */

let backTimer;

/**
 * Leads back to the shop after some seconds, in which the visitor can stop it. Neither a visitor who asked for less motion
 * nor a page in a frame is moved: the page around it decides.
 */
function goBackSoon() {
  if (element('auto') === null || isEmbedded || matchMedia('(prefers-reduced-motion: reduce)').matches)
    return;
  element('auto').hidden = false;
  element('auto-text').textContent = element('auto-text').dataset.text;
  clearTimeout(backTimer);
  backTimer = setTimeout(() => location.assign(element('back').href), 1000 * element('auto').dataset.seconds);
}

/** Keeps the page, which was about to lead back. */
function stay() {
  clearTimeout(backTimer);
  const auto = element('auto');
  if (auto === null || auto.hidden) return;
  if (auto.contains(document.activeElement)) element('back').focus();
  auto.hidden = true;
  element('auto-text').textContent = '';
}

/* The page of a shop that shows this one in a frame (pages/embed.js). */

const isEmbedded = window.parent !== window;
const MESSAGES = 'wallet-rpc-pay';
/** Origins of pages that may learn the state. */
const EMBED_ORIGINS = new Set(
  (document.body.dataset.embed ?? '').split(' ').filter((origin) => origin !== ''),
);
/** Origin of the page around this one, once it has greeted. */
let shopOrigin;

const tell = (message) => {
  if (shopOrigin !== undefined) window.parent.postMessage({ source: MESSAGES, ...message }, shopOrigin);
};
const report = () => tell({ type: 'state', state: document.body.dataset.state });

window.addEventListener('message', ({ data, origin, source }) => {
  if (!isEmbedded || source !== window.parent || !EMBED_ORIGINS.has(origin)) return;
  if (data?.source !== MESSAGES || data.type !== 'hello') return;
  shopOrigin = origin;
  report();
});

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
  const htmlOf = (id) => page.getElementById(id).innerHTML;
  showState(page.body.dataset.state, htmlOf('status'), htmlOf('receipt'));
  if (page.getElementById('pay').dataset.uri !== element('pay').dataset.uri)
    showPayment(page.getElementById('pay'));
  const { left } = timerOf(page).dataset;
  showTime(left === '' ? null : Number(left));
}

function show({ title, state, status, receipt, uri, left }) {
  document.title = title;
  showState(state, status, receipt);
  showTime(left);
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
document.documentElement.classList.toggle('embedded', isEmbedded);
document.addEventListener('click', ({ target }) => {
  const button = target.closest('[data-copy]');
  if (button !== null) void copy(button);
  if (target.closest('#stay') !== null) stay();
  if (target.closest('#print') === null) return;
  stay();
  window.print();
});
document.addEventListener('keydown', ({ key }) => {
  if (key !== 'Escape') return;
  stay();
  tell({ type: 'close' });
});

let hiddenSince;
document.addEventListener('visibilitychange', () => {
  const wasHidden = hiddenSince;
  hiddenSince = document.hidden ? Date.now() : undefined;
  if (wasHidden === undefined) return;
  // A browser stops the timers of a hidden page.
  tick();
  if (Date.now() - wasHidden > HIDDEN_MS) void readPage();
});

const { left: leftAtStart } = timerOf(document).dataset;
if (leftAtStart !== '') showTime(Number(leftAtStart));
listen();
