import { EVENT_TYPES } from '../../model/events.js';
import { REQUEST_STATES } from '../../model/payment-request.js';
import type { EventJson } from '../../services/events/event-json.js';
import type { WorkStatus } from '../../services/work/work-verification.js';
import type { DaemonStatus } from '../../services/failover/daemon-failover.js';
import { html, type Html } from '../html.js';
import type { Concern } from './status-content.js';
import { badge, fact, framed, itemLink, liveSection, nameOf, time, timeAt } from './page-parts.js';
import { payoutCounts, waitingPayouts } from './payout-section.js';
import { receiveSection, type ReceiveExtras } from './receive-section.js';
import type { ClusterView, DaemonView, StatusView } from './status-content.js';
import { walletSection } from './wallet-section.js';
import { walletParams } from './wallet-table.js';
import {
  coinsText,
  counted,
  durationText,
  eventText,
  eventTitle,
  grouped,
  itemOf,
  openRequests,
  REQUEST_NAMES,
  sizeText,
  spentText,
} from './words.js';

/** Sign of an amount that left a wallet. */
const MINUS = '\u2212';

/** Content of the page that depends on the request. */
export interface Extras extends ReceiveExtras {
  /** True if the client may see amounts. */
  readonly seesSums: boolean;
}

const state = ({ reasons, uptime, names, build, disk, storeBytes }: StatusView): Html =>
  liveSection(
    'state',
    'Server',
    html`<p>${reasons.length === 0 ? badge('good', 'Ready') : badge('bad', 'Not ready')}</p>
      <dl>
        ${fact('Open wallets', grouped(names.length))}
        ${disk === undefined ? undefined : fact('Disk free', `${Math.floor((100 * disk.free) / disk.total)} %, ${sizeText(disk.free)}`)}
        ${fact('Stores', sizeText(storeBytes))} ${fact('Running for', durationText(uptime))}
        ${fact('Version', `${build.version}, ${build.node}`)} ${fact('Network', build.network)}
        ${fact('API', build.api)}
      </dl>`,
  );

/** Writes what somebody should look at. */
const attention = ({ concerns }: StatusView): Html =>
  liveSection(
    'attention',
    'Needs attention',
    concerns.length === 0
      ? html`<p>${badge('good', 'Nothing')}</p>`
      : html`<ul>
          ${concerns.map(concernItem)}
        </ul>`,
  );

function concernItem({ isUrgent, text, item, isInTable = false }: Concern): Html {
  const link =
    item === undefined
      ? undefined
      : html` ${itemLink(item, item.kind === 'wallet' ? nameOf(item.wallet) : 'Show it')}`;
  const table = isInTable ? html` <a href="/status?show=trouble#wallets">Show the wallets</a>` : undefined;
  return html`<li class="row concern">
    ${isUrgent ? badge('bad', 'Now') : badge('plain', 'Soon')}
    <span><bdi>${text}</bdi>${link}${table}</span>
  </li>`;
}

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

const NOT_TOLD = 'not told';

const daemon = (view: DaemonView): Html =>
  liveSection(
    'daemon',
    'Node',
    html`<p>${daemonState(view)}</p>
      <dl>
        ${view.address === undefined ? undefined : fact('Address', view.address)}
        ${view.height === undefined ? undefined : daemonFacts(view, view.height)}
        ${view.listed.length > 1 ? listedDaemons(view.listed) : undefined}
      </dl>`,
  );

const daemonFacts = (
  { lag, sinceNewBlock, software, peers, nextFork, forks }: DaemonView,
  height: number,
): (Html | undefined)[] => [
  fact('Blocks', grouped(height)),
  fact('Behind peers', lag === undefined || lag === 0 ? 'no' : counted(lag, 'block')),
  fact('Newest block', `${durationText(sinceNewBlock)} ago`),
  fact(
    'Peers',
    peers === undefined ? NOT_TOLD : `${grouped(peers.outgoing)} out, ${grouped(peers.incoming)} in`,
  ),
  fact('Version', software ?? NOT_TOLD),
  fact(
    'Next fork',
    nextFork === undefined ? 'none known' : `${nextFork.version} at ${grouped(nextFork.height)}`,
  ),
  ...forks.map(({ version, blocks, when }) =>
    fact(`Fork ${version}`, blocks > 0 ? when : `past, since ${when}`),
  ),
];

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

const today = ({ today: sums }: StatusView): Html | undefined =>
  sums &&
  liveSection(
    'today',
    'Today',
    html`<dl>
        ${fact('Received', coinsText(sums.received))}
        ${fact('For payment requests', coinsText(sums.requested))} ${fact('Sent', coinsText(sums.sent))}
      </dl>
      <p class="small">Since 00:00 UTC. Received: in blocks. Sent: with fees, also pending.</p>`,
  );

const requests = ({ requests: counts }: StatusView): Html | undefined =>
  counts &&
  liveSection(
    'requests',
    'Payment requests',
    counts.size === 0
      ? html`<p>There is none.</p>`
      : html`<p>${counted(openRequests(counts), 'open payment request')}</p>
          <dl>
            ${REQUEST_STATES.filter((name) => counts.has(name)).map((name) =>
              fact(REQUEST_NAMES[name], grouped(counts.get(name) ?? 0)),
            )}
          </dl>`,
  );

const webhooks = ({
  webhooks: { enabled, disabled, events: backlog, retries },
}: StatusView): Html | undefined =>
  enabled + disabled === 0
    ? html`<section id="webhooks" data-live hidden></section>`
    : liveSection(
        'webhooks',
        'Webhooks',
        html`<p>
            ${
              disabled + retries > 0
                ? badge('bad', 'Deliveries fail')
                : backlog > 0
                  ? badge('plain', 'Being sent')
                  : badge('good', 'All sent')
            }
          </p>
          <dl>
            ${fact('Enabled', grouped(enabled))}
            ${disabled === 0 ? undefined : fact('Disabled', grouped(disabled))}
            ${fact('Not sent yet', counted(backlog, 'event'))} ${fact('To be tried again', grouped(retries))}
          </dl>`,
      );

/** Writes the payments that are in no block, with their orders and payouts. */
const waiting = ({ waiting: payments }: StatusView): Html =>
  payments.length === 0
    ? html`<section id="waiting" data-live hidden></section>`
    : liveSection(
        'waiting',
        'Payments in no block',
        html`<ul>
          ${payments.map(
            ({ wallet, txHash, made, order, payouts }) =>
              html`<li>
                <p class="row">
                  ${
                    order === undefined
                      ? itemLink(
                          { kind: 'transaction', wallet, id: txHash },
                          payouts > 0
                            ? `A batch of ${counted(payouts, 'payout')}`
                            : `${txHash.slice(0, 16)}\u2026`,
                        )
                      : html`Order ${itemLink({ kind: 'order', wallet, id: order }, order)}`
                  }
                  ${nameOf(wallet)}
                </p>
                <p class="small">made ${timeAt(made)}</p>
              </li>`,
          )}
        </ul>`,
      );

function eventItem(event: EventJson, text: Html | string): Html {
  const item = itemOf(event);
  const title = eventTitle(event);
  return html`<li>
    <p class="row">${item === undefined ? html`<strong>${title}</strong>` : itemLink(item, title)} ${text}</p>
    <p class="small">${time(event.timestamp)}, ${nameOf(event.wallet)}</p>
  </li>`;
}

function paymentItem(event: EventJson, seesSums: boolean): Html {
  const isIncoming = event.type.startsWith('payment.');
  const amount = isIncoming ? coinsText(event.data['amount']) : spentText(event);
  return eventItem(event, seesSums ? html`<strong>${isIncoming ? '+' : MINUS}${amount}</strong>` : '');
}

const payments = (view: StatusView, seesSums: boolean): Html =>
  liveSection(
    'payments',
    'Last payments',
    view.payments.length === 0
      ? html`<p>None is recorded.</p>`
      : html`<ul>
          ${view.payments.map((event) => paymentItem(event, seesSums))}
        </ul>`,
  );

const events = (view: StatusView, seesSums: boolean): Html =>
  liveSection(
    'events',
    'Events that matter',
    view.events.length === 0
      ? html`<p>None of late.</p>`
      : html`<ol>
          ${view.events.map((event) => eventItem(event, eventText(event, seesSums)))}
        </ol>`,
  );

/** Writes the status page. The page works without its script, which only updates the sections. */
export const statusPage = (view: StatusView, extras: Extras): string =>
  framed(
    {
      title: 'Wallet server',
      isLive: true,
      aside: html`<p
        id="live"
        class="small"
        role="status"
        data-after="${view.lastId}"
        data-types="${EVENT_TYPES.join(' ')}"
      >
        Reload the page for changes.
      </p>`,
    },
    html`<main class="board" data-query="${walletParams(view.table.query)}">
      <div class="strip">
        <div>${state(view)}</div>
        <div>${daemon(view.daemon)}</div>
        <div>${webhooks(view)}</div>
        <div>${requests(view)} ${payoutCounts(view.payouts)}</div>
        <div>${today(view)}</div>
      </div>
      <div>
        ${walletSection(view, extras.seesSums)} ${receiveSection(view, extras)}
        ${view.work === undefined ? undefined : work(view.work)}
        ${view.cluster === undefined ? undefined : cluster(view.cluster)}
      </div>
      <div>
        ${attention(view)} ${waitingPayouts(view.payouts, extras.seesSums)} ${waiting(view)}
        ${events(view, extras.seesSums)} ${payments(view, extras.seesSums)}
      </div>
    </main>`,
  );
