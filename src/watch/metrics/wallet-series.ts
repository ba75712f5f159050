import { REQUEST_STATES } from '../../model/payment-request.js';
import { workSlices } from '../../util/event-loop.js';
import type { WalletFacts } from '../wallet-facts.js';
import { escapedLabel } from './labels.js';

/** A gauge with one series per wallet. */
interface WalletGauge {
  readonly name: string;
  readonly help: string;
  readonly value: (facts: WalletFacts) => number | undefined;
}

const WALLET_GAUGES: readonly WalletGauge[] = [
  {
    name: 'wallet_rpc_wallet_height_blocks',
    help: 'Number of blocks that the wallet knows.',
    value: ({ height }) => height,
  },
  {
    name: 'wallet_rpc_wallet_lag_blocks',
    help: 'Number of blocks of the daemon that the wallet lacks; absent while unknown.',
    value: ({ blocks, daemonHeight }) => (daemonHeight === undefined ? undefined : blocks),
  },
  {
    name: 'wallet_rpc_wallet_damaged',
    help: '1 if a damaged page was found in the store, otherwise 0.',
    value: ({ isDamaged }) => Number(isDamaged),
  },
  {
    name: 'wallet_rpc_wallet_pending_payments',
    help: 'Own payments that are not mined.',
    value: ({ pendingPayments }) => pendingPayments,
  },
  {
    name: 'wallet_rpc_wallet_held_payments',
    help: 'Pending payments that wait for the listed daemon they were sent to, which does not serve.',
    value: ({ heldPayments }) => heldPayments,
  },
  {
    name: 'wallet_rpc_wallet_failed_payments',
    help: 'Own payments that failed, of all time.',
    value: ({ failedPayments }) => failedPayments,
  },
  {
    name: 'wallet_rpc_wallet_low_accounts',
    help: 'Accounts whose balance is below the low_water of their policy.',
    value: ({ lowAccounts }) => lowAccounts,
  },
  {
    name: 'wallet_rpc_wallet_webhook_backlog_events',
    help: 'Events that wait for their first attempt, summed over enabled webhooks, counted up to 1000 each.',
    value: ({ webhookEvents }) => webhookEvents,
  },
  {
    name: 'wallet_rpc_wallet_webhook_retries',
    help: 'Webhook deliveries that wait for another attempt.',
    value: ({ webhookRetries }) => webhookRetries,
  },
  {
    name: 'wallet_rpc_wallet_store_bytes',
    help: 'Size of the store without its write-ahead log.',
    value: ({ storeBytes }) => storeBytes,
  },
  {
    name: 'wallet_rpc_wallet_wal_bytes',
    help: 'Size of the write-ahead log of the store.',
    value: ({ logBytes }) => logBytes,
  },
];

const REQUESTS = 'wallet_rpc_payment_requests';

/** Writes one series for each state of payment requests; writes no series for a wallet without requests. */
const requestLines = ({ requests }: WalletFacts, wallet: string): string =>
  requests.size === 0
    ? ''
    : REQUEST_STATES.map(
        (state) => `${REQUESTS}{wallet="${wallet}",state="${state}"} ${requests.get(state) ?? 0}\n`,
      ).join('');

/**
 * Writes the gauges of wallets in the text format of Prometheus. Yields to the event loop between wallets, while
 * prom-client would write the series of a thousand wallets in one step. Source: Prometheus documentation, exposition
 * formats.
 */
export async function walletSeries(wallets: readonly WalletFacts[]): Promise<string> {
  const names = await workSlices.map(wallets, ({ name }) => escapedLabel(name));
  const texts: string[] = [];
  for (const { name, help, value } of WALLET_GAUGES) {
    const lines = await workSlices.map(wallets, (facts, i) => {
      const number = value(facts);
      return number === undefined ? '' : `${name}{wallet="${names[i] ?? ''}"} ${number}\n`;
    });
    texts.push(`# HELP ${name} ${help}\n# TYPE ${name} gauge\n${lines.join('')}`);
  }
  const requests = await workSlices.map(wallets, (facts, i) => requestLines(facts, names[i] ?? ''));
  texts.push(`# HELP ${REQUESTS} Payment requests by state.\n# TYPE ${REQUESTS} gauge\n${requests.join('')}`);
  return texts.join('');
}
