import { renderSVG } from 'uqr';
import { REQUEST_STATES } from '../../model/payment-request.js';
import type { EventJson } from '../../services/events/event-json.js';
import type { WorkStatus } from '../../services/work/work-verification.js';
import type { DaemonStatus } from '../../services/failover/daemon-failover.js';
import {
  durationText,
  grouped,
  percentage,
  counted,
  eventText,
  openRequests,
  REQUEST_NAMES,
  eventTitle,
  reasonText,
  spentText,
  coinsText,
} from './words.js';
import type { PaymentSums } from '../../services/history/payment-sums.js';
import type { UnopenedWallet } from '../readiness.js';
import { html, Html } from '../html.js';
import { badge, fact, liveSection, nameOf, time } from './page-parts.js';
import { payoutSearchSection, payoutSection } from './payout-section.js';
import type { PayoutSearch } from './payout-view.js';
import type { ReceivingAddress } from './receiving.js';
import type { ClusterView, DaemonView, ListedWallet, StatusView } from './status-view.js';

/** Sign of an amount that left a wallet. */
const MINUS = '\u2212';

/** Content of the page that depends on the request. */
export interface Extras {
  /** Name of the wallet that is selected in the form. */
  readonly wallet?: string | undefined;
  readonly address?: ReceivingAddress | undefined;
  /** Reason why no address was created. */
  readonly error?: string | undefined;
  /** Payouts that were searched. */
  readonly search?: PayoutSearch | undefined;
}

/** Width of the quiet zone around a QR code [modules]. Source: ISO/IEC 18004, 4 modules. */
const QUIET_ZONE = 4;

const state = ({ reasons, uptime, names }: StatusView): Html =>
  liveSection(
    'state',
    'Server',
    html`<p>
        ${reasons.length === 0 ? badge('good', 'Ready') : badge('bad', 'Not ready')}
        ${reasons.map(reasonText).join('; ')}
      </p>
      <dl>${fact('Open wallets', grouped(names.length))} ${fact('Running for', durationText(uptime))}</dl>`,
  );

function daemonState({ address, hasAnswered, outage, synchronized }: DaemonView): Html {
  if (address === undefined) return badge('plain', 'Offline');
  if (!hasAnswered) return badge('bad', 'No answer yet');
  if (outage > 0) return badge('bad', `No answer for ${durationText(outage)}`);
  return synchronized === false ? badge('bad', 'Syncing') : badge('good', 'Answers');
}

/** Writes the position of the serving daemon, and the state of each other listed daemon. */
const listedDaemons = (listed: readonly DaemonStatus[]): Html[] => [
  fact('In use', `${listed.findIndex(({ serves }) => serves) + 1} of ${listed.length} listed`),
  ...listed
    .filter(({ serves }) => !serves)
    .map(({ name, height, problem, twins }) => {
      const state = problem ?? `${grouped(height ?? 0)} blocks`;
      return fact(name, twins === undefined ? state : `${state}; ${twins}`);
    }),
];

const daemon = (view: DaemonView): Html =>
  liveSection(
    'daemon',
    'Daemon',
    html`<p>${daemonState(view)}</p>
      <dl>
        ${view.address === undefined ? undefined : fact('Address', view.address)}
        ${view.height === undefined ? undefined : fact('Blocks', grouped(view.height))}
        ${view.listed.length > 1 ? listedDaemons(view.listed) : undefined}
      </dl>`,
  );

const work = ({ height, knownHeight, problem, process }: WorkStatus): Html =>
  liveSection(
    'work',
    'Proof of work',
    html`<p>
        ${
          problem === undefined
            ? badge('good', height < knownHeight ? 'Verifying' : 'Verified')
            : html`${badge('bad', 'Not verified')} ${problem}`
        }
      </p>
      <dl>
        ${fact('Verified blocks', grouped(height + 1))}
        ${height < knownHeight ? fact('Blocks to verify', grouped(knownHeight - height)) : undefined}
        ${fact('Process', PROCESS_TEXTS[process.state])}
        ${process.memory === undefined ? undefined : fact('Its memory', `${grouped(Math.round(process.memory / 2 ** 20))} MiB`)}
        ${process.hashMs === undefined ? undefined : fact('Time of a hash', `${grouped(Math.round(process.hashMs))} ms`)}
      </dl>`,
  );

const PROCESS_TEXTS: Readonly<Record<WorkStatus['process']['state'], string>> = {
  ...{ stopped: 'not needed so far', starting: 'starting', ready: 'ready', failed: 'cannot run' },
};

/** Writes each process of the cluster with its wallets. */
const cluster = ({ isReachable, members, orphans }: ClusterView): Html =>
  liveSection(
    'cluster',
    'Cluster',
    html`<p>
        ${isReachable ? badge('good', 'Database answers') : badge('bad', 'Database does not answer')}
        ${orphans.length > 0 ? badge('bad', `${counted(orphans.length, 'wallet')} without a holder`) : undefined}
      </p>
      <dl>
        ${members.map(({ url, isAlive, isSelf, wallets: held, count }) =>
          fact(
            isSelf ? `${url} (this process)` : url,
            isAlive
              ? `${counted(count, 'wallet')}${count > 0 ? `: ${held.join(', ')}` : ''}`
              : 'does not answer',
          ),
        )}
        ${orphans.length > 0 ? fact('Without a holder', orphans.join(', ')) : undefined}
      </dl>`,
  );

function progressOf({ name, height, daemonHeight = height, progress }: ListedWallet): Html {
  const left = [
    percentage(daemonHeight === 0 ? 1 : Math.min(1, height / daemonHeight)),
    ...(progress?.rate === undefined ? [] : [`${grouped(Math.round(progress.rate))} blocks/s`]),
    ...(progress?.secondsLeft === undefined ? [] : [`${durationText(progress.secondsLeft)} left`]),
  ];
  return html`<progress
      max="${daemonHeight}"
      value="${Math.min(height, daemonHeight)}"
      aria-label="Blocks of ${nameOf(name)}"
    ></progress>
    <p class="small">${grouped(height)} of ${grouped(daemonHeight)} blocks, ${left.join(', ')}</p>`;
}

/** Writes the sums of the day of a wallet; an empty text if there were no payments. */
function todayOf({ received, requested, sent }: PaymentSums): Html | undefined {
  if (received === 0n && sent === 0n) return undefined;
  const share = requested === 0n ? '' : ` (${coinsText(requested)} for payment requests)`;
  return html`<p class="small">Today: +${coinsText(received)}${share}, ${MINUS}${coinsText(sent)}</p>`;
}

/**
 * Writes the list item of a wallet. The script updates the page sooner while an item has the attribute `data-behind`.
 */
function walletItem(wallet: ListedWallet): Html {
  const isBehind = wallet.blocks > 0;
  return html`<li ${isBehind || wallet.blocksAgain > 0 ? html`data-behind` : undefined}>
    <p class="row">
      <strong>${nameOf(wallet.name)}</strong>
      ${wallet.isDamaged ? badge('bad', 'Store damaged') : undefined}
      ${
        wallet.daemonHeight === undefined
          ? badge('plain', 'Not refreshed yet')
          : isBehind
            ? badge('plain', `${counted(wallet.blocks, 'block')} behind`)
            : badge('good', 'Up to date')
      }
      ${wallet.blocksAgain > 0 ? badge('plain', `${counted(wallet.blocksAgain, 'block')} to read again`) : undefined}
      ${wallet.pendingPayments > 0 ? badge('plain', counted(wallet.pendingPayments, 'pending payment')) : undefined}
      ${wallet.heldPayments > 0 ? badge('bad', `${counted(wallet.heldPayments, 'payment')} held by another daemon`) : undefined}
      ${wallet.failedPayments > 0 ? badge('bad', counted(wallet.failedPayments, 'failed payment')) : undefined}
      ${
        wallet.webhookEvents + wallet.webhookRetries > 0
          ? badge('plain', `${wallet.webhookEvents + wallet.webhookRetries} webhook deliveries wait`)
          : undefined
      }
      ${
        openRequests(wallet.requests) > 0
          ? badge('plain', counted(openRequests(wallet.requests), 'open payment request'))
          : undefined
      }
    </p>
    ${progressOf(wallet)} ${todayOf(wallet.today)}
  </li>`;
}

const unopenedItem = ({ name, reason }: UnopenedWallet): Html =>
  html`<li>
    <p class="row"><strong>${nameOf(name)}</strong> ${badge('bad', 'Not opened')}</p>
    <p class="small">${reason}</p>
  </li>`;

function wallets({ wallets: listed, unopened, names }: StatusView): Html {
  const hidden = names.length - listed.length;
  return liveSection(
    'wallets',
    'Wallets',
    listed.length + unopened.length === 0
      ? html`<p>No wallet is open.</p>`
      : html`<ul>
            ${unopened.map(unopenedItem)} ${listed.map(walletItem)}
          </ul>
          ${hidden > 0 ? html`<p>${grouped(hidden)} other wallets lack no more blocks than these.</p>` : undefined}`,
  );
}

const today = ({ today: { received, requested, sent } }: StatusView): Html =>
  liveSection(
    'today',
    'Today',
    html`<dl>
        ${fact('Received', coinsText(received))} ${fact('For payment requests', coinsText(requested))}
        ${fact('Sent', coinsText(sent))}
      </dl>
      <p class="small">
        All open wallets, since 00:00 UTC. Received: in blocks. Sent: with fees, also pending.
      </p>`,
  );

const requests = ({ requests: counts }: StatusView): Html =>
  liveSection(
    'requests',
    'Payment requests',
    counts.size === 0
      ? html`<p>There is none.</p>`
      : html`<p>${counted(openRequests(counts), 'open payment request')}</p>
          <dl>
            ${REQUEST_STATES.map((state) => fact(REQUEST_NAMES[state], grouped(counts.get(state) ?? 0)))}
          </dl>`,
  );

function paymentItem(event: EventJson): Html {
  const isIncoming = event.type.startsWith('payment.');
  const amount = isIncoming ? coinsText(event.data['amount']) : spentText(event);
  return html`<li>
    <p class="row"><strong>${isIncoming ? '+' : MINUS}${amount}</strong> ${nameOf(event.wallet)}</p>
    <p>${eventTitle(event)}</p>
    <p class="hash">${String(event.data['tx_hash'])}</p>
    <p class="small">${time(event.timestamp)}</p>
  </li>`;
}

const payments = (view: StatusView): Html =>
  liveSection(
    'payments',
    'Last payments',
    view.payments.length === 0
      ? html`<p>None is recorded.</p>`
      : html`<ul>
          ${view.payments.map(paymentItem)}
        </ul>`,
  );

const events = (view: StatusView): Html =>
  liveSection(
    'events',
    'Events',
    view.events.length === 0
      ? html`<p>None is recorded.</p>`
      : html`<ol>
          ${view.events.map(
            (event) =>
              html`<li>
                <p class="row"><strong>${eventTitle(event)}</strong> ${nameOf(event.wallet)}</p>
                <p>${eventText(event)}</p>
                <p class="small">${time(event.timestamp)}</p>
              </li>`,
          )}
        </ol>`,
  );

function addressFigure({ wallet, index, address, used }: ReceivingAddress): Html {
  const code = renderSVG(`monero:${address}`, { border: QUIET_ZONE, pixelSize: 4 });
  return html`<figure>
    <div class="code" role="img" aria-label="QR code of the address">${Html.trusted(code)}</div>
    <figcaption>
      <p>
        Address ${grouped(index)} of ${nameOf(wallet)}
        ${used ? badge('bad', 'Used') : badge('good', 'Unused')}
      </p>
      <p class="hash">${address}</p>
    </figcaption>
  </figure>`;
}

const receive = ({ names }: StatusView, { wallet, address, error }: Extras): Html =>
  html`<section id="receive" aria-labelledby="receive-title">
    <h2 id="receive-title">Receive</h2>
    ${error === undefined ? undefined : html`<p role="alert">No address was created: ${error}</p>`}
    ${address === undefined ? undefined : addressFigure(address)}
    ${
      names.length === 0
        ? html`<p>Open a wallet to create an address.</p>`
        : html`<form method="post" action="/status/address">
            <label for="wallet">Wallet</label>
            <select id="wallet" name="wallet">
              ${names.map(
                (name) =>
                  html`<option value="${name}" ${name === wallet ? html`selected` : undefined}>
                    ${nameOf(name)}
                  </option>`,
              )}
            </select>
            <button>Create a receiving address</button>
          </form>`
    }
  </section>`;

/** Writes the field that finds payouts, if there are any. */
const payoutSearch = ({ payouts }: StatusView, { search }: Extras): Html | undefined =>
  payouts === undefined && search === undefined ? undefined : payoutSearchSection(search);

/** Writes the status page. The page works without its script, which only updates the sections. */
export const statusPage = (view: StatusView, extras: Extras): string =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>Wallet server</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href="/status/status.css" />
        <script src="/status/status.js" type="module"></script>
      </head>
      <body>
        <header>
          <h1>Wallet server</h1>
          <p id="live" class="small" role="status" data-after="${view.lastId}">
            Reload the page for changes.
          </p>
        </header>
        <main>
          <div>
            ${state(view)} ${daemon(view.daemon)} ${view.work === undefined ? undefined : work(view.work)}
            ${view.cluster === undefined ? undefined : cluster(view.cluster)} ${receive(view, extras)}
            ${payoutSearch(view, extras)}
          </div>
          <div>${wallets(view)} ${payoutSection(view.payouts)} ${events(view)}</div>
          <div>${today(view)} ${requests(view)} ${payments(view)}</div>
        </main>
      </body>
    </html> `.text;
