import { setTimeout as sleep } from 'node:timers/promises';
import { keccak } from '../src/monero/crypto/keccak.js';
import { accountKeysOf, spendSecretFromSeed } from '../src/monero/cryptonote/account-keys.js';
import { formatAddress } from '../src/monero/cryptonote/address.js';
import { utf8 } from '../src/util/bytes.js';
import type { Loose, Reply } from '../test/support/network/json-rpc.js';
import type { Monerod } from '../test/support/processes/monerod.js';
import type { WalletRpc } from '../test/support/processes/wallet-rpc.js';
import { cpuSeconds, pidOf } from './usage.js';

/** Number of outputs of each paying wallet, each the reward of a block. */
export const OUTPUTS = 100;
/** Number of blocks after which a reward can be spent. */
const UNLOCK_BLOCKS = 60;
/** Time between two blocks [ms]. A minute of a real chain takes a second. */
const BLOCK_MS = 2000;
/** Time between two looks at the last payout [ms]. */
const POLL_MS = 100;
/** Interval of the queue [s], on the same scale: the default is a minute. */
export const QUEUE_ARGS = ['--payout-interval=1'];
/** Amount of each payout [atomic units], so that one reward pays many. */
const AMOUNT = 10_000_000_000;
const PAYEES_A_TRANSACTION = 15;
/** Codes of the reference while money is locked. */
const LOCKED_CODES: ReadonlySet<number | undefined> = new Set([-17, -37]);

/** Rate at which payees were paid. */
export interface Rate {
  readonly payees: number;
  readonly seconds: number;
  /** Processor time of the wallet server [s]. */
  readonly cpu: number;
}

/** Returns the address of a payee; each name gives another address. */
export function payeeAddress(name: string): string {
  const { spendPublicKey, viewPublicKey } = accountKeysOf(spendSecretFromSeed(keccak(utf8(name))));
  return formatAddress({ network: 'mainnet', kind: 'standard', spendPublicKey, viewPublicKey });
}

/** Returns the addresses of a number of payees. */
export const payeesOf = (name: string, count: number): string[] =>
  Array.from({ length: count }, (_, i) => payeeAddress(`${name} ${i}`));

/** Returns payouts as a client requests them. */
export const payoutsTo = (name: string, addresses: readonly string[]): Loose[] =>
  addresses.map((address, i) => ({ payout_id: `${name}-${i}`, address, amount: AMOUNT }));

/** Mines outputs for wallets, until they can be spent, and has the wallets read them. */
export async function fund(daemon: Monerod, wallets: readonly WalletRpc[]): Promise<void> {
  for (const wallet of wallets) {
    const { address } = await wallet.rpc('get_address', { account_index: 0 });
    await daemon.generate(address as string, OUTPUTS);
  }
  await daemon.generate(payeeAddress('miner'), UNLOCK_BLOCKS);
  for (const wallet of wallets) await wallet.rpc('refresh');
}

/** Runs a task while blocks are mined at an even pace. */
async function whileMining<T>(daemon: Monerod, task: () => Promise<T>): Promise<T> {
  const stop = new AbortController();
  const mining = (async () => {
    while (!stop.signal.aborted) {
      await sleep(BLOCK_MS, undefined, { signal: stop.signal }).catch(() => undefined);
      if (!stop.signal.aborted) await daemon.generate(payeeAddress('miner'), 1);
    }
  })();
  try {
    return await task();
  } finally {
    stop.abort();
    await mining;
  }
}

/** Measures a task that pays payees by a wallet while blocks are mined. */
async function measure(
  { daemon, wallet }: { readonly daemon: Monerod; readonly wallet: WalletRpc },
  payees: number,
  task: () => Promise<void>,
): Promise<Rate> {
  const cpu = cpuSeconds(pidOf(wallet));
  const started = performance.now();
  await whileMining(daemon, task);
  const seconds = (performance.now() - started) / 1000;
  return { payees, seconds, cpu: cpuSeconds(pidOf(wallet)) - cpu };
}

/** Measures the queue of our server, from the call that creates payouts until the last one is sent. */
export async function queueRate(
  daemon: Monerod,
  wallet: WalletRpc,
  name: string,
  addresses: readonly string[],
): Promise<Rate> {
  const payouts = payoutsTo(name, addresses);
  const last = `${name}-${addresses.length - 1}`;
  const rate = await measure({ daemon, wallet }, addresses.length, async () => {
    await wallet.rpc('create_payouts', { payouts });
    for (;;) {
      // All have one priority, so that the last one leaves last.
      const { state } = await wallet.rpc('get_payout', { payout_id: last });
      if (!['queued', 'sending'].includes(state as string)) break;
      await sleep(POLL_MS);
    }
  });
  const { payouts: left } = await wallet.rpc('list_payouts', { states: ['queued', 'sending'], limit: 1 });
  if (left.length > 0) throw new Error(`the last payout has overtaken others: ${JSON.stringify(left)}`);
  return rate;
}

/** Makes a transfer of the reference, as soon as enough of its money is unlocked. */
async function transferWhenUnlocked(wallet: WalletRpc, addresses: readonly string[]): Promise<void> {
  const destinations = addresses.map((address) => ({ address, amount: AMOUNT }));
  for (;;) {
    const { error }: Reply = await wallet.call('transfer', { destinations });
    if (error === undefined) return;
    if (!LOCKED_CODES.has(error.code)) throw new Error(`transfer: ${error.message}`);
    await sleep(100);
    await wallet.rpc('refresh');
  }
}

/** Measures transfers of the reference, one after the other. @param together number of payees of each. */
export function transferRate(
  daemon: Monerod,
  wallet: WalletRpc,
  addresses: readonly string[],
  together: 1 | typeof PAYEES_A_TRANSACTION,
): Promise<Rate> {
  return measure({ daemon, wallet }, addresses.length, async () => {
    for (let start = 0; start < addresses.length; start += together)
      await transferWhenUnlocked(wallet, addresses.slice(start, start + together));
  });
}
