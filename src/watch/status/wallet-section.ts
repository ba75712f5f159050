import { html, type Html, type HtmlValue } from '../html.js';
import { badge, nameOf, walletLink } from './page-parts.js';
import { openPayouts } from './payout-view.js';
import type { ListedWallet, StatusView } from './status-content.js';
import { SORTS, walletParams, type WalletFilter, type WalletQuery, type WalletSort } from './wallet-table.js';
import type { UnopenedWallet } from '../readiness.js';
import { counted, durationText, grouped, openRequests, percentage, sizeText } from './words.js';

/** A column of the table of wallets. */
interface Column {
  readonly title: string;
  /** Order by this column; undefined: the table cannot be sorted by it. */
  readonly sort: WalletSort | undefined;
  readonly isNumber: boolean;
  cell(wallet: ListedWallet): HtmlValue;
}

const number = (title: string, sort: WalletSort, value: (wallet: ListedWallet) => number): Column => ({
  ...{ title, sort, isNumber: true },
  cell: (wallet) => (value(wallet) === 0 ? '\u2013' : grouped(value(wallet))),
});

const COLUMNS: readonly Column[] = [
  { title: 'Wallet', sort: 'name', isNumber: false, cell: ({ name }) => walletLink(name) },
  { title: 'State', sort: 'state', isNumber: false, cell: stateOf },
  number('Open requests', 'requests', ({ requests }) => openRequests(requests)),
  number('Open payouts', 'payouts', openPayouts),
  number('In no block', 'payments', ({ pendingPayments }) => pendingPayments),
  number('To webhooks', 'webhooks', ({ webhookEvents, webhookRetries }) => webhookEvents + webhookRetries),
  {
    ...{ title: 'Store', sort: 'store', isNumber: true },
    cell: ({ storeBytes, logBytes }) => sizeText(storeBytes + logBytes),
  },
];

/** Writes an amount in XMR, rounded down to four places: the page of the wallet has all of them. */
function plainCoins(value: bigint): string {
  const rounded = value / ROUNDING;
  return `${grouped(Number(rounded / 10_000n))}.${String(rounded % 10_000n).padStart(4, '0')}`;
}

/** Step to which balances of the table are rounded down [atomic units]. */
const ROUNDING = 100_000_000n;

/** Columns of clients that may see money. */
const MONEY: readonly Column[] = [
  {
    ...{ title: 'Balance [XMR]', sort: undefined, isNumber: true },
    cell: ({ money }) => (money === undefined ? '' : plainCoins(money.total)),
  },
  {
    ...{ title: 'Unlocked [XMR]', sort: undefined, isNumber: true },
    cell: ({ money }) => (money === undefined ? '' : plainCoins(money.unlocked)),
  },
];

/** Writes the state of a wallet, and the progress of one that is behind. */
function stateOf(wallet: ListedWallet): Html {
  const { daemonHeight, blocks, blocksAgain } = wallet;
  const kind =
    daemonHeight === undefined
      ? badge('plain', 'Not refreshed yet')
      : blocks > 0
        ? badge('plain', `${counted(blocks, 'block')} behind`)
        : badge('good', 'Up to date');
  return html`${wallet.isDamaged ? badge('bad', 'Store damaged') : undefined}
  ${wallet.newerBlock === undefined ? undefined : badge('bad', 'Update needed')} ${kind}
  ${blocksAgain > 0 ? badge('plain', `${counted(blocksAgain, 'block')} to read again`) : undefined}
  ${wallet.heldPayments > 0 ? badge('bad', `${counted(wallet.heldPayments, 'payment')} held by another node`) : undefined}
  ${wallet.lowAccounts > 0 ? badge('bad', 'Balance low') : undefined}
  ${wallet.disabledWebhooks > 0 ? badge('bad', 'Webhook disabled') : undefined}
  ${wallet.webhookRetries > 0 ? badge('bad', 'Webhook fails') : undefined}
  ${blocks > 0 ? progressOf(wallet) : undefined}`;
}

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
    <span class="small">${grouped(height)} of ${grouped(daemonHeight)} blocks, ${left.join(', ')}</span>`;
}

const addressOf = (query: WalletQuery): string => `/status${walletParams(query)}#wallets`;

function headCell({ title, sort, isNumber }: Column, query: WalletQuery): Html {
  const isSorted = sort !== undefined && sort === query.sort;
  return html`<th
    scope="col"
    ${isNumber ? html`class="number"` : undefined}
    ${isSorted ? html`aria-sort="${sort === 'name' ? 'ascending' : 'descending'}"` : undefined}
  >
    ${sort === undefined ? title : html`<a href="${addressOf({ ...query, sort, page: 1 })}">${title}</a>`}
  </th>`;
}

/**
 * Writes the row of a wallet. The script updates the page sooner while a row has the attribute `data-behind`.
 */
const row = (wallet: ListedWallet, [first, ...others]: readonly Column[]): Html =>
  html`<tr ${wallet.blocks > 0 || wallet.blocksAgain > 0 ? html`data-behind` : undefined}>
    <th scope="row">${first?.cell(wallet)}</th>
    ${others.map(
      (column) =>
        html`<td data-label="${column.title}" ${column.isNumber ? html`class="number"` : undefined}>
          ${column.cell(wallet)}
        </td>`,
    )}
  </tr>`;

const FILTER_NAMES: Readonly<Record<WalletFilter, string>> = {
  ...{ all: 'All', trouble: 'In trouble', behind: 'Behind', waiting: 'With something on its way' },
};

/** Writes the fields that choose wallets. */
const chooser = ({ table: { query, counts } }: StatusView): Html =>
  html`<form class="inline choose" method="get" action="/status#wallets">
    <label for="wallets-text">Name</label>
    <input
      id="wallets-text"
      name="wallets"
      type="search"
      maxlength="200"
      autocomplete="off"
      value="${query.text}"
    />
    <label for="wallets-show">Show</label>
    <select id="wallets-show" name="show">
      ${Object.entries(FILTER_NAMES).map(
        ([filter, name]) =>
          html`<option value="${filter}" ${filter === query.filter ? html`selected` : undefined}>
            ${name} (${grouped(counts[filter as WalletFilter])})
          </option>`,
      )}
    </select>
    ${query.sort === SORTS[0] ? undefined : html`<input type="hidden" name="sort" value="${query.sort}" />`}
    <button>Filter</button>
  </form>`;

const pageLink = (query: WalletQuery, page: number, text: string): Html =>
  html`<a class="button" href="${addressOf({ ...query, page })}">${text}</a>`;

/** Writes the links to the other pages of the table. */
function pager({ table: { query, pages, count }, names }: StatusView): Html {
  const { page } = query;
  return html`<p class="row pager small">
    <span>${counted(count, 'wallet')}${count === names.length ? '' : ` of ${grouped(names.length)}`}</span>
    ${
      pages === 1
        ? undefined
        : html`<span>page ${grouped(page)} of ${grouped(pages)}</span>
            ${page > 1 ? pageLink(query, page - 1, 'Previous') : undefined}
            ${page < pages ? pageLink(query, page + 1, 'Next') : undefined}`
    }
  </p>`;
}

const unopenedItem = ({ name, reason }: UnopenedWallet): Html =>
  html`<li>
    <p class="row"><strong>${nameOf(name)}</strong> ${badge('bad', 'Not opened')}</p>
    <p class="small">${reason}</p>
  </li>`;

function table(view: StatusView, seesSums: boolean): Html {
  const columns = seesSums ? [...COLUMNS, ...MONEY] : COLUMNS;
  return html`<table class="stacks wallets">
    <thead>
      <tr>
        ${columns.map((column) => headCell(column, view.table.query))}
      </tr>
    </thead>
    <tbody>
      ${view.wallets.map((wallet) => row(wallet, columns))}
    </tbody>
  </table>`;
}

/** Writes the section of wallets: those that are not open, the fields that choose some, and a page of the table. */
export const walletSection = (view: StatusView, seesSums: boolean): Html =>
  html`<section aria-labelledby="wallets-heading">
    <h2 id="wallets-heading">Wallets</h2>
    ${view.names.length > 1 ? chooser(view) : undefined}
    <div id="wallets" data-live>
      ${
        view.unopened.length === 0
          ? undefined
          : html`<ul>
              ${view.unopened.map(unopenedItem)}
            </ul>`
      }
      ${
        view.wallets.length > 0
          ? html`${table(view, seesSums)} ${pager(view)}`
          : html`<p>${view.names.length === 0 ? 'No wallet is open.' : 'No wallet matches.'}</p>`
      }
    </div>
  </section>`;
