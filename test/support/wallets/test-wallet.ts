import { Writable } from 'node:stream';
import { pino, type Logger } from 'pino';
import type { Hash } from '../../../src/monero/crypto/types.js';
import { isPrimary } from '../../../src/monero/cryptonote/subaddress-keys.js';
import type { SubaddressIndex } from '../../../src/monero/cryptonote/types.js';
import type { Daemon, DaemonInfo } from '../../../src/daemon/daemon.js';
import type { TextRecords } from '../../../src/net/dns/resolver.js';
import { Accounts } from '../../../src/services/accounts/accounts.js';
import { Annotations } from '../../../src/services/accounts/notes.js';
import { AddressCache } from '../../../src/services/context/address-cache.js';
import type { DaemonAccess } from '../../../src/services/context/daemon-access.js';
import type { Keystore } from '../../../src/services/context/keystore.js';
import { OpenAlias } from '../../../src/services/context/openalias.js';
import { type WalletEvents, WalletLocks } from '../../../src/services/context/wallet-context.js';
import { TimeBounds } from '../../../src/services/context/time-bounds.js';
import { fillNewStore } from '../../../src/services/manager/wallet-files.js';
import { LostPayments } from '../../../src/services/sync/lost-payments.js';
import { MempoolTracker } from '../../../src/services/sync/mempool-tracker.js';
import { PaymentRelay } from '../../../src/services/sync/payment-relay.js';
import { PlacedKeyImages } from '../../../src/services/sync/placed-key-images.js';
import { SignedSets } from '../../../src/services/sync/signed-sets.js';
import { WalletSync } from '../../../src/services/sync/wallet-sync.js';
import { WalletStore } from '../../../src/store/wallet-store.js';
import { toHex } from '../../../src/util/bytes.js';
import type { BackgroundSyncType } from '../../../src/model/background-sync-mode.js';
import type { BlockRef, ReplacedBlocks } from '../../../src/monero/wallet/scan/findings.js';
import { faultOf as expectedFault, WalletError } from '../../../src/model/wallet-error.js';
import { FakeRefresher } from '../fakes/fake-refresher.js';
import { keystoreOf, namedKeys } from './keystores.js';

export interface TestWalletOptions {
  /** Fixes the keys. */
  readonly name?: string;
  readonly viewOnly?: boolean;
  readonly backgroundSync?: BackgroundSyncType;
  /** File of the store; absent: in memory. */
  readonly path?: string;
  /** The file exists. */
  readonly isOld?: boolean;
  /** Undefined: to be found by the daemon's block timestamps. */
  readonly restoreHeight?: number | undefined;
}

/** State of a daemon with a newest block; absent: a daemon without blocks. */
export const infoOf = (tip?: BlockRef): DaemonInfo => ({
  height: (tip?.height ?? -1) + 1,
  targetHeight: 0,
  topBlockHash: tip?.hash ?? (new Uint8Array(32) as Hash),
  ...{ network: 'mainnet', synchronized: true, blockWeightLimit: 600_000 },
});

/**
 * Resources of an open wallet for tests of its services: store, keystore, addresses and locks are real. Daemon, DNS,
 * time and refresh thread are the test's.
 */
export class TestWallet {
  readonly name = 'test';
  readonly keys: ReturnType<typeof namedKeys>;
  readonly store: WalletStore;
  readonly keystore: Keystore;
  readonly addresses: AddressCache;
  readonly openAlias: OpenAlias;
  readonly log: Logger;
  readonly locks = new WalletLocks();
  readonly refresher = new FakeRefresher();
  /** Calls that the daemon answers; any other is a TypeError. By default its newest block is the wallet's. */
  answers: Partial<Daemon> = { getInfo: () => Promise.resolve(infoOf(this.store.shortHistory()[0])) };
  trusted = true;
  /** Hashes of the transactions in the daemon's pool. */
  pool: readonly Hash[] = [];
  /** TXT records by host. */
  readonly records = new Map<string, TextRecords>();
  /** Every line of the log. */
  readonly lines: Record<string, unknown>[] = [];
  /** Hashes in hex that were reported as incoming. */
  readonly incoming: string[] = [];
  /** Heights that were reported, each with the daemon's. */
  readonly progress: (readonly [height: number, daemonHeight: number])[] = [];
  readonly eventRetentionMs = 90 * 86_400_000;
  /** Unix time [s]. */
  time = 1_700_000_000;
  readonly #services = new Map<string, unknown>();
  #isOpen = true;

  constructor(options: TestWalletOptions = {}) {
    const { name = 'test wallet', viewOnly = false, backgroundSync = 'off', path = ':memory:' } = options;
    this.keys = namedKeys(name, viewOnly);
    const { spendPublicKey } = this.keys;
    const storeKey = new Uint8Array(32).fill(7);
    const { isOld = false } = options;
    this.store = isOld
      ? WalletStore.open(path, storeKey)
      : WalletStore.create(path, storeKey, (w) =>
          fillNewStore(w, {
            restoreHeight: 'restoreHeight' in options ? options.restoreHeight : 0,
            createdAt: this.time,
            spendPublicKey,
          }),
        );
    this.keystore = keystoreOf(this.keys, { backgroundSync });
    this.addresses = new AddressCache(() => {
      this.assertOpen();
      return this.keystore.keys;
    });
    this.openAlias = new OpenAlias({
      texts: (host) => Promise.resolve(this.records.get(host) ?? { texts: [], authenticated: true }),
    });
    const { lines } = this;
    this.log = pino(
      { level: 'info' },
      new Writable({
        write(chunk: Buffer, _, done) {
          lines.push(JSON.parse(chunk.toString('utf8')) as Record<string, unknown>);
          done();
        },
      }),
    );
  }

  readonly clock = { now: (): number => 1000 * this.time };

  get timeBounds(): TimeBounds {
    const { store, clock } = this;
    return this.#once('timeBounds', () => new TimeBounds({ store, clock, monotonic: clock.now }));
  }

  readonly assertOpen = (): void => {
    if (!this.#isOpen) throw new WalletError({ kind: 'no_wallet' });
  };

  readonly events: WalletEvents = {
    onIncoming: (_, txHashes: readonly Hash[]) => void this.incoming.push(...txHashes.map(toHex)),
    onProgress: (_, height, daemonHeight) => void this.progress.push([height, daemonHeight]),
    onReorganised: (_, blocks) => void this.reorganised.push(blocks),
    onClosed: () => undefined,
  };
  readonly reorganised: ReplacedBlocks[] = [];

  get daemon(): DaemonAccess {
    return Object.assign(this.#daemon, { trusted: this.trusted });
  }

  readonly #daemon = this.#daemonAccess();

  #daemonAccess(): DaemonAccess {
    const client = (): Daemon => this.answers as Daemon;
    const address = 'daemon:18081';
    const poolHashes = (): Promise<readonly Hash[]> => Promise.resolve(this.pool);
    const other = (): undefined => undefined;
    return {
      ...{ client, poolHashes, other, admit: () => undefined },
      ...{ address, name: address },
    } as unknown as DaemonAccess;
  }

  get relay(): PaymentRelay {
    return this.#once('relay', () => new PaymentRelay(this));
  }

  get mempool(): MempoolTracker {
    return this.#once('mempool', () => new MempoolTracker(this));
  }

  get lostPayments(): LostPayments {
    return this.#once('lostPayments', () => new LostPayments(this, { relay: this.relay }));
  }

  get sync(): WalletSync {
    const { mempool, lostPayments, refresher } = this;
    return this.#once(
      'sync',
      () =>
        new WalletSync(this, {
          ...{ refresher: refresher.asRefresher, mempool, lostPayments },
          placedKeyImages: new PlacedKeyImages(this),
          signedSets: new SignedSets(this),
        }),
    );
  }

  get accounts(): Accounts {
    return this.#once('accounts', () => new Accounts(this, { sync: this.sync }));
  }

  get annotations(): Annotations {
    return this.#once('annotations', () => new Annotations(this));
  }

  #once<T>(name: string, create: () => T): T {
    const known = this.#services.get(name) ?? create();
    this.#services.set(name, known);
    return known as T;
  }

  /** Stores subaddress keys of accounts and addresses below these, as the lookahead does. */
  watch(accounts: number, addresses: number): void {
    const indices = Array.from({ length: accounts }, (_, major) =>
      Array.from({ length: addresses }, (__, minor): SubaddressIndex => ({ major, minor })),
    )
      .flat()
      .filter((index) => !isPrimary(index));
    const keys = this.addresses.keysOf(indices);
    this.store.write((w) =>
      w.subaddresses.add(
        indices.flatMap((index, i) => {
          const own = keys[i];
          return own === undefined ? [] : [{ index, spendPublicKey: own.spendPublicKey }];
        }),
      ),
    );
  }

  /** Puts the spend key away. */
  hide(): void {
    this.keystore.dropSpendKey();
  }

  close(): void {
    this.#isOpen = false;
    this.store.close();
  }
}

/** Facts of the fault that an action is refused with. */
export async function faultOf(action: () => unknown): Promise<unknown> {
  try {
    await action();
  } catch (error) {
    const fault = expectedFault(error);
    if (fault !== undefined) return fault;
    throw error;
  }
  return undefined;
}
