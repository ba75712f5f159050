import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import type { Hash, SecretKey } from '../../../src/monero/crypto/types.js';
import type { Daemon, RelayOutcome } from '../../../src/daemon/daemon.js';
import type { DaemonAccess, OtherDaemon } from '../../../src/services/context/daemon-access.js';
import { TimeBounds } from '../../../src/services/context/time-bounds.js';
import { PaymentLedger } from '../../../src/services/payments/payment-ledger.js';
import { SpendGuard } from '../../../src/services/payments/spend-guard.js';
import type { TxFacts } from '../../../src/services/payments/tx-facts.js';
import { LostPayments } from '../../../src/services/sync/lost-payments.js';
import { PaymentRelay } from '../../../src/services/sync/payment-relay.js';
import { openDatabase } from '../../../src/store/file/database.js';
import type { SqlDatabase } from '../../../src/util/sql-database.js';
import { NEW_CIPHER } from '../../../src/store/file/store-cipher.js';
import { WalletStore } from '../../../src/store/wallet-store.js';
import { amount } from '../../../src/util/amount.js';
import { toHex } from '../../../src/util/bytes.js';
import type { WalletEvent } from '../../../src/model/events.js';
import type { BlockRef } from '../../../src/monero/wallet/scan/findings.js';
import type { OutgoingState } from '../../../src/monero/wallet/build/outgoing-tx.js';
import type { SignedPayment } from '../../../src/monero/wallet/build/signed-payment.js';
import { bytes, output, page, received } from '../../store/fixtures.js';
import { infoOf } from './test-wallet.js';

const KEY = new Uint8Array(32).fill(9);

export const TAKEN: RelayOutcome = { accepted: true, notRelayed: false, reason: '' };
export const REFUSED: RelayOutcome = { accepted: false, notRelayed: false, reason: 'double spend' };

/** Store of a wallet with ten outputs of 50, and a daemon, a clock and a chain that the test controls. */
export class PaymentHome {
  readonly store: WalletStore;
  readonly relay: PaymentRelay;
  readonly log;
  /** Log lines. */
  readonly lines: Record<string, unknown>[] = [];
  /** Number of searches for payments that were lost. */
  searches = 0;
  /** First byte of each sent transaction. */
  readonly sent: (number | undefined)[] = [];
  /** Answers to the next transactions; the last one repeats. */
  answers: ((blob: Uint8Array) => Promise<RelayOutcome>)[] = [() => Promise.resolve(TAKEN)];
  /** Transactions that the daemon holds, by hash in hex. */
  held: ReadonlySet<string> = new Set();
  /** Name of the daemon that serves. */
  daemonName = 'home:1';
  /** Other listed daemons by name. */
  readonly others = new Map<string, OtherDaemon>();
  /** Newest block of the daemon; absent: that of the wallet. */
  daemonTip?: BlockRef;
  time = 1_000_000;
  /** Difference of the clock to the time [s]. */
  clockError = 0;
  blocks = 100;
  /** Time of the newest block [Unix s]; undefined: not known. */
  blockTime: number | undefined;
  readonly #directory = mkdtempSync(join(tmpdir(), 'payments-'));

  constructor() {
    this.store = WalletStore.create(join(this.#directory, 'w'), KEY);
    const numbers = Array.from({ length: 10 }, (_, i) => i + 1);
    this.store.write((w) =>
      w.applyPage(
        page(0, 3, {
          received: numbers.map((n) => received(n, 2)),
          outputs: numbers.map((n) => output(n, 2, 50n)),
        }),
      ),
    );
    const { lines } = this;
    const stream = new Writable({
      write(chunk: Buffer, _, done) {
        lines.push(JSON.parse(chunk.toString('utf8')) as Record<string, unknown>);
        done();
      },
    });
    this.log = pino({ level: 'info' }, stream);
    this.relay = new PaymentRelay(this.#context());
  }

  /** Records of the payments. @param spentBy finds what a payment of a client with limits takes from the wallet. */
  ledger(
    spentBy: TxFacts['spentBy'] = () => {
      throw new Error('no client with limits pays');
    },
  ): PaymentLedger {
    return new PaymentLedger(this.#context(), {
      relay: this.relay,
      mempool: { reserveLost: (): void => void (this.searches += 1) },
      spending: this.spending(),
      txFacts: { spentBy },
    });
  }

  /** Limits of clients. */
  spending(): SpendGuard {
    return new SpendGuard(this.#context());
  }

  lostPayments(): LostPayments {
    return new LostPayments(this.#context(), { relay: this.relay });
  }

  #context() {
    const sendRawTransaction = (blob: Uint8Array): Promise<RelayOutcome> => {
      this.sent.push(blob[0]);
      const [answer = () => Promise.resolve(TAKEN)] =
        this.answers.length > 1 ? this.answers.splice(0, 1) : this.answers;
      return answer(blob);
    };
    const getTransactions = (hashes: readonly Hash[]) => {
      const held = hashes.filter((hash) => this.held.has(toHex(hash)));
      return Promise.resolve({ transactions: held.map((hash) => ({ hash })) });
    };
    const getInfo = () => Promise.resolve(infoOf(this.daemonTip ?? this.store.shortHistory()[0]));
    const client = { sendRawTransaction, getTransactions, getInfo } as unknown as Daemon;
    this.store.height = () => this.blocks;
    this.store.lastBlockTime = () => this.blockTime;
    const clock = { now: () => 1000 * (this.time + this.clockError) };
    return {
      store: this.store,
      log: this.log,
      daemon: this.#daemonAccess(client),
      clock,
      timeBounds: new TimeBounds({ store: this.store, clock, monotonic: () => 1000 * this.time }),
      // It stays open.
      assertOpen: () => undefined,
    };
  }

  #daemonAccess(client: Daemon): DaemonAccess {
    const nameOf = (): string => this.daemonName;
    return {
      ...{ client: () => client, admit: () => undefined },
      get name() {
        return nameOf();
      },
      other: (name: string) => (name === nameOf() ? undefined : this.others.get(name)),
    } as Partial<DaemonAccess> as DaemonAccess;
  }

  /** Opens another connection that holds the write lock until it is closed. */
  lockStore(): SqlDatabase {
    const db = openDatabase(join(this.#directory, 'w'), { key: KEY, cipher: NEW_CIPHER });
    db.exec('BEGIN IMMEDIATE');
    return db;
  }

  state(n: number): OutgoingState | undefined {
    return this.store.read((r) => r.outgoing.byHash(bytes<Hash>(100 + n)))?.state;
  }

  balance(): bigint {
    return this.store
      .read((r) => r.balances.ofAddresses({ strict: false }))
      .reduce((sum, { total }) => sum + total, 0n);
  }

  /** Events of the transfers, without their ids and times. */
  transferEvents(): Pick<WalletEvent, 'type' | 'data'>[] {
    return this.store
      .read((r) => r.events.after(0, 100))
      .filter(({ type }) => type.startsWith('transfer.'))
      .map(({ type, data }) => ({ type, data }) as Pick<WalletEvent, 'type' | 'data'>);
  }

  keysOf(n: number): SecretKey[] | undefined {
    return this.store.read((r) => r.txKeys.get(bytes<Hash>(100 + n)));
  }

  close(): void {
    this.store.close();
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

/** Payment that spends the n-th output. */
export const payment = (n: number): SignedPayment => ({
  blob: new Uint8Array([n]),
  txHash: bytes<Hash>(100 + n),
  account: 0,
  inputs: [output(n, 2, 50n)],
  fee: amount(2n),
  change: amount(8n),
  unlockTime: 0n,
  destinations: [{ address: 'an address', amount: amount(40n) }],
  txSecretKeys: [bytes<SecretKey>(n)],
});
