import type { Hash } from '../../../src/monero/crypto/types.js';
import type { WalletEvent } from '../../../src/model/events.js';
import type { OwnedOutput, PageFindings, PoolTx } from '../../../src/monero/wallet/scan/findings.js';
import { EventIds } from '../../../src/store/file/event-ids.js';
import { IN_MEMORY } from '../../../src/store/file/database.js';
import type { NewRequest } from '../../../src/store/tables/payment-requests.js';
import type { TrackedRequest } from '../../../src/store/tables/request-row.js';
import type { WalletReader } from '../../../src/store/wallet-reader.js';
import { WalletStore } from '../../../src/store/wallet-store.js';
import { amount, ZERO } from '../../../src/util/amount.js';
import { toHex } from '../../../src/util/bytes.js';
import { bytes, output, page, received } from '../../store/fixtures.js';
import { clearChain } from '../chain/cleared-chain.js';

const KEY = new Uint8Array(32);

/** Time at which the clock of {@link StoredRequests} begins, and requests are created [Unix s]. */
export const CREATED = 1_700_000_000;

/** Returns the id of the request to the address with a minor index. */
export const idOf = (minor: number): string => toHex(new Uint8Array(16).fill(minor));

/** Returns a request for 100 units to an address of account 0. */
export const newRequest = (minor: number, more: Partial<NewRequest> = {}): NewRequest => ({
  requestId: idOf(minor),
  token: new Uint8Array(16).fill(minor),
  subaddress: { major: 0, minor },
  amount: amount(100n),
  tolerance: ZERO,
  confirmations: 3,
  created: CREATED,
  firstHeight: 0,
  ...more,
});

/** Returns an open request. */
export function openRequest(minor: number, more: Partial<NewRequest> = {}): NewRequest {
  const { amount: _, ...open } = newRequest(minor, more);
  return open;
}

/** Returns all requests with the states that their events have reported, latest first. */
export const trackedRequests = ({ requests }: WalletReader): TrackedRequest[] =>
  requests
    .inStates([], Number.MAX_SAFE_INTEGER, 10_000)
    .flatMap(({ requestId }) => requests.byId(requestId) ?? []);

/** A payment in a block: number of its transaction, minor index, amount, and facts of its output. */
export type Paid = readonly [tx: number, minor: number, value: bigint, more?: Partial<OwnedOutput>];

/** A store with payment requests, whose blocks, mempool and clock are the test's. */
export class StoredRequests {
  /** Unix time [s]. */
  time = CREATED;
  /** True while the wallet has all blocks and the mempool up to the moment before each of them. */
  isFollowing = true;
  store: WalletStore;
  readonly #path: string;
  readonly #txs = new Map<number, PoolTx>();

  /** @param path file of the store; absent: in memory. */
  constructor(path = IN_MEMORY) {
    this.#path = path;
    this.store = WalletStore.create(path, KEY, (w) => w.accounts.create(), undefined, this.#events);
    this.store.addPage(page(0, 10));
  }

  get #events() {
    return { ids: new EventIds({ clock: { now: () => 1000 * this.time } }), confirmations: [1, 10] };
  }

  reopen(): void {
    this.store.close();
    this.store = WalletStore.open(this.#path, KEY, undefined, this.#events);
  }

  add(...requests: readonly NewRequest[]): void {
    this.store.write((w) => {
      for (const request of requests) {
        w.requests.add(request);
        w.events.beginRequest(request.subaddress);
      }
    });
  }

  get tip(): number {
    return this.store.height() - 1;
  }

  /** Adds a block with payments. @param at height; blocks at and above it are replaced. */
  mine(payments: readonly Paid[] = [], at = this.tip + 1): void {
    this.#follow();
    this.store.write((w) => w.applyPage(this.block(payments, at)));
  }

  /** Adds blocks without payments. */
  grow(blocks: number): void {
    this.store.write((w) => w.applyPage(page(this.tip + 1, blocks)));
  }

  /** Returns a block with payments; its time is the clock's. */
  block(payments: readonly Paid[], at: number): PageFindings {
    const txs = [...new Map(payments.map(([tx, , , more]) => [tx, more])).entries()];
    return page(at, 1, {
      received: txs.map(([tx, more]) => ({
        ...{ ...received(tx, at), timestamp: this.time, unlockTime: more?.unlockTime ?? 0n },
        coinbase: more?.coinbase ?? false,
      })),
      outputs: payments.map(([tx, minor, value, more], i) =>
        output(tx, at, value, {
          ...{ outputIndex: i, globalIndex: 1000 * tx + i, publicKey: bytes(10_000 + 100 * tx + i) },
          ...{ keyImage: bytes(20_000 + 100 * tx + i), subaddress: { major: 0, minor }, ...more },
        }),
      ),
      hashes: [bytes<Hash>(5000 + at)],
    });
  }

  /** Adds a transaction to the mempool, and reads it. */
  see(tx: number, minor: number, value: bigint, more: Partial<PoolTx> = {}): void {
    this.#txs.set(tx, {
      ...{
        txHash: bytes<Hash>(tx),
        timestamp: this.time,
        unlockTime: 0n,
        fee: amount(1n),
        doubleSpendSeen: false,
      },
      outputs: [
        {
          ...{ outputIndex: 0, amount: amount(value), subaddress: { major: 0, minor } },
          publicKey: bytes(10_000 + 100 * tx),
        },
      ],
      ...more,
    });
    this.readPool();
  }

  /** Removes a transaction from the mempool, and reads it. */
  drop(tx: number): void {
    this.#txs.delete(tx);
    this.readPool();
  }

  /** Notes a complete read, which would end a rescan. */
  #follow(): void {
    const isRescanning = this.store.read((r) => r.meta.get('rescan_to')) !== undefined;
    if (this.isFollowing && !isRescanning) this.store.noteCompleteRead(this.time);
  }

  /** Reads the whole mempool. */
  readPool(): void {
    this.#follow();
    this.store.write((w) => {
      w.pool.clear();
      for (const tx of this.#txs.values()) if (!w.payments.has(tx.txHash)) w.pool.add(tx);
      w.events.poolRead();
    });
  }

  /** Deletes everything that came from the chain, as a rescan does before it scans. */
  clear(): void {
    this.store.write((w) => clearChain(w, { hard: false }));
  }

  /** Records the passed expiries. */
  expire(): void {
    this.store.write((w) => {
      for (const request of w.requests.expiring(this.time, 1000)) {
        w.requests.end(request.sequence);
        w.events.reviseRequest({ ...request, ended: true });
      }
    });
  }

  request(minor: number): TrackedRequest {
    const found = this.store.read((r) => r.requests.byId(idOf(minor)));
    if (found === undefined) throw new Error(`no request ${minor}`);
    return found;
  }

  /** Events of requests after a cursor. */
  events(after = 0): Extract<WalletEvent, { readonly type: `request.${string}` }>[] {
    return this.store
      .read((r) => r.events.after(after, 10_000))
      .flatMap((event) => (event.type.startsWith('request.') ? [event as never] : []));
  }

  /** Types of the events of requests after a cursor, without the prefix. */
  types(after = 0): string[] {
    return this.events(after).map(({ type }) => type.slice('request.'.length));
  }

  get last(): number {
    return this.store.read((r) => r.events.last());
  }

  close(): void {
    this.store.close();
  }
}
