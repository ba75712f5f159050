import type { WalletLoad } from '../crash/wallet-load.js';
import { ask, type Callable } from '../crash/wallet-client.js';
import { EventLedger } from '../support/wallets/event-ledger.js';
import type { Loose } from '../support/network/json-rpc.js';
import { compareMoney, compareOrders, type Money } from './comparisons.js';
import type { SoakProcess } from './soak-process.js';
import { readWireEvent } from './wire-events.js';

/** Number of unknown payments that a fault describes. */
const MOST_EXPLAINED = 3;

const EVERYTHING = { in: true, out: true, pending: true, failed: true, pool: true, all_accounts: true };

/** Reads the money of a wallet, after a refresh. */
export async function readMoney(callable: Callable): Promise<Money> {
  await ask(callable, 'refresh');
  const { transfers = [] } = await ask(callable, 'incoming_transfers', { transfer_type: 'available' });
  const { balance } = await ask(callable, 'get_balance', { all_accounts: true });
  const listed = await ask(callable, 'get_transfers', EVERYTHING);
  const accounts = ((await ask(callable, 'get_accounts')).subaddress_accounts as Loose[]).map(
    ({ account_index }) => Number(account_index),
  );
  const others: Loose[] = [];
  for (const account_index of accounts.slice(1))
    others.push(
      ...(((await ask(callable, 'incoming_transfers', { transfer_type: 'available', account_index }))
        .transfers ?? []) as Loose[]),
    );
  const outputs = [...(transfers as Loose[]), ...others];
  const sum = (rows: readonly Loose[]): bigint =>
    rows.reduce((total, { amount }) => total + BigInt(amount), 0n);
  const hashes = (kind: string): string[] => [
    ...new Set(((listed[kind] ?? []) as Loose[]).map(({ txid }) => String(txid))),
  ];
  return {
    available: sum(outputs),
    frozen: sum(outputs.filter(({ frozen }) => frozen === true)),
    balance: BigInt(balance as number),
    pool: sum((listed.pool ?? []) as Loose[]),
    ...{
      in: hashes('in'),
      poolHashes: hashes('pool'),
      out: hashes('out'),
      pending: hashes('pending'),
      failed: hashes('failed'),
    },
  };
}

/**
 * Reads a value in several calls as of one moment: reads it again until its version is the same before and after.
 * @param version changes whenever the value may have changed.
 */
export async function readSteady<T>(read: () => Promise<T>, version: () => Promise<number>): Promise<T> {
  for (let before = await version(); ;) {
    const value = await read();
    const after = await version();
    if (after === before) return value;
    before = after;
  }
}

/** Wallet of the world, with its clients. */
export class SoakWallet {
  readonly name: string;
  readonly process: SoakProcess;
  readonly address: string;
  readonly seed: string;
  readonly load: WalletLoad;
  readonly #ledger = new EventLedger();
  readonly #onFault: (fault: string) => void;
  #entered = 0;

  constructor(
    { name, process, address, seed }: Pick<SoakWallet, 'name' | 'process' | 'address' | 'seed'>,
    load: WalletLoad,
    onFault: (fault: string) => void,
  ) {
    this.name = name;
    this.process = process;
    this.address = address;
    this.seed = seed;
    this.load = load;
    this.#onFault = onFault;
  }

  /** Enters the events that the reader got since the last call into the ledger. */
  enterEvents(): void {
    const texts = this.load.eventTexts;
    for (; this.#entered < texts.length; this.#entered++)
      try {
        this.#ledger.add(readWireEvent(texts[this.#entered] ?? ''));
      } catch (error) {
        this.#onFault(`${this.name}: ${String(error)}: ${texts[this.#entered]}`);
      }
  }

  /** Counts the payments that the events have, and neither a block nor the pool. @param pool hashes of its transactions. */
  async undecided(pool: ReadonlySet<string>): Promise<number> {
    await this.load.catchUp();
    this.enterEvents();
    return [...this.#ledger.payments].filter(
      ([key, { height }]) => height === undefined && !pool.has(key.slice(0, 64)),
    ).length;
  }

  #eventsOf(hash: string): string[] {
    return this.load.eventTexts.filter((text) => text.includes(hash));
  }

  /** Describes the payments of the events that the wallet does not list, with their latest events. */
  #explain({ in: listed, poolHashes }: Money): void {
    const known = new Set([...listed, ...poolHashes]);
    const unknown = [...this.#ledger.payments].filter(([key]) => !known.has(key.slice(0, 64)));
    for (const [key, { amount, height }] of unknown.slice(0, MOST_EXPLAINED)) {
      const told = this.#eventsOf(key.slice(0, 64));
      this.#onFault(
        `${this.name}: the events have the payment ${key} of ${amount}, ${height === undefined ? 'not mined' : `mined at ${height}`}: ${told.join(' ')}`,
      );
    }
  }

  /** Compares balance, events and orders with a wallet that was restored from the seed just now. */
  async compare(twin: Callable): Promise<void> {
    // Payments also change while nothing disturbs the wallet: they fail some time after a daemon has refused them.
    const ours = await readSteady(
      () => readMoney(this.load.patient),
      async () => {
        await this.load.catchUp();
        return this.load.events;
      },
    );
    this.enterEvents();
    const restored = await readMoney(twin);
    const faults = [
      ...compareMoney(ours, restored, this.#ledger),
      ...compareOrders(this.load.orders, await this.load.storedOrders(), restored.out),
    ];
    for (const fault of faults) this.#onFault(`${this.name}: ${fault}`);
    for (const hash of faults.length > 0 ? ours.pending : [])
      this.#onFault(`${this.name}: events of the pending ${hash}: ${this.#eventsOf(hash).join(' ')}`);
    if (faults.length > 0) this.#explain(ours);
  }
}
