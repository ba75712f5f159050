/*
 * Keeps the sections of the status page current: reads the page again when the server reports events, and every few
 * seconds while a wallet is behind. Without this script the page shows the state at its loading.
 */

/** Shortest time between two readings, and the longest one with and without a wallet that is behind [ms]. */
const INTERVALS = { least: 500, behind: 2_000, idle: 15_000 };

const live = document.getElementById('live');

/** Parameters that choose wallets in the table. */
const { query } = document.querySelector('main').dataset;

function say(text) {
  if (live.textContent !== text) live.textContent = text;
}

/** Replaces the sections that have changed, so that what is read or selected elsewhere stays. */
function replaceSections(page) {
  for (const fresh of page.querySelectorAll('[data-live]')) {
    const shown = document.getElementById(fresh.id);
    if (shown !== null && shown.innerHTML !== fresh.innerHTML) shown.replaceWith(fresh);
  }
}

let timer;

function readSoon(ms) {
  clearTimeout(timer);
  timer = setTimeout(() => void read(), ms);
}

async function read() {
  try {
    const reply = await fetch(`/status${query}`, { cache: 'no-store' });
    if (!reply.ok) throw new Error(String(reply.status));
    replaceSections(new DOMParser().parseFromString(await reply.text(), 'text/html'));
    say('Live');
  } catch {
    say('The server does not answer; the figures are old.');
  }
  readSoon(document.querySelector('[data-behind]') === null ? INTERVALS.idle : INTERVALS.behind);
}

const events = new EventSource(`/events?after=${live.dataset.after}`);
for (const type of live.dataset.types.split(' '))
  events.addEventListener(type, () => readSoon(INTERVALS.least));
say('Live');
readSoon(INTERVALS.behind);
