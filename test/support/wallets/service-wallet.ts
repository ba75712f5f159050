import { inspect } from 'node:util';
import { expect } from '@jest/globals';
import { Writable } from 'node:stream';
import { pino, type Logger } from 'pino';
import { publicKeyOf } from '../../../src/monero/crypto/derivation.js';
import { subaddressKeys } from '../../../src/monero/cryptonote/subaddress-keys.js';
import type { SubaddressIndex } from '../../../src/monero/cryptonote/types.js';
import { addressKeysOf } from '../../../src/monero/wallet/scan/subaddress-table.js';
import type { Daemon } from '../../../src/daemon/daemon.js';
import { DaemonError } from '../../../src/daemon/errors.js';
import { Accounts } from '../../../src/services/accounts/accounts.js';
import { AddressCache } from '../../../src/services/context/address-cache.js';
import type { DaemonAccess } from '../../../src/services/context/daemon-access.js';
import type { ExportCipher } from '../../../src/services/context/export-cipher.js';
import type { Keystore } from '../../../src/services/context/keystore.js';
import { OpenAlias } from '../../../src/services/context/openalias.js';
import { TimeBounds } from '../../../src/services/context/time-bounds.js';
import { WalletLocks } from '../../../src/services/context/wallet-context.js';
import { fillNewStore } from '../../../src/services/manager/wallet-files.js';
import type { WalletSync } from '../../../src/services/sync/wallet-sync.js';
import type { KeysFile } from '../../../src/store/keys/keys-file.js';
import { WalletStore } from '../../../src/store/wallet-store.js';
import { toHex } from '../../../src/util/bytes.js';
import { Secret } from '../../../src/util/secret.js';
import { openExport, sealExport } from '../../../src/monero/wallet/exchange/export-blob.js';
import type { WalletKeys } from '../../../src/monero/wallet/keys.js';
import type { ImportedKeyImage } from '../../../src/monero/wallet/scan/key-images.js';
import type { OwnedOutput, ReceivedTx } from '../../../src/monero/wallet/scan/findings.js';
import type { SubaddressKey } from '../../../src/monero/wallet/scan/packed-subaddresses.js';
import type { MultisigAccount } from '../../../src/monero/wallet/multisig/account.js';
import { faultOf, WalletError } from '../../../src/model/wallet-error.js';
import { page, received } from '../../store/fixtures.js';
import { inlineWorkers } from '../fakes/inline-workers.js';
import { keystoreOf } from './keystores.js';
import { seededRng } from '../fakes/seeded-rng.js';
import type { Holder } from '../../monero/wallet/fixtures.js';

/** Secret of a test key, copied: a wallet wipes its keys. */
const secretOf = <K extends Uint8Array>(key: K): Secret<K> => new Secret(Uint8Array.from(key) as K);

/** Keys that a test wallet is opened with. */
export interface ServiceKeys {
  readonly keys: WalletKeys;
  readonly keysFile: KeysFile;
}

const FACTS = {
  seedLanguage: 'English',
  network: 'mainnet' as const,
  refreshHeight: 0,
  creationTimestamp: 1_700_000_000,
  other: {},
};

/** Keys of a wallet of one owner. @param viewOnly leaves the spend key out. */
export function ownKeys({ viewSecret, spendSecret, spendPublicKey }: Holder, viewOnly = false): ServiceKeys {
  const viewPublicKey = publicKeyOf(viewSecret);
  return {
    keys: {
      ...{ network: 'mainnet', spendPublicKey, viewPublicKey },
      viewSecret: secretOf(viewSecret),
      ...(viewOnly ? {} : { spendSecret: secretOf(spendSecret) }),
    },
    keysFile: {
      ...{ ...FACTS, spendPublicKey, viewPublicKey, viewSecret, watchOnly: viewOnly },
      ...(viewOnly ? {} : { spendSecret }),
    },
  };
}

/** Keys of one participant of a multisig group. */
export function groupKeys(account: MultisigAccount): ServiceKeys {
  const { spendPublicKey, commonSecret, signerSecret, shares, roundKeys, ...group } = account;
  const viewPublicKey = publicKeyOf(commonSecret);
  return {
    keys: {
      ...{ network: 'mainnet', spendPublicKey, viewPublicKey },
      viewSecret: secretOf(commonSecret),
      multisig: {
        ...{ group, signerSecret: secretOf(signerSecret) },
        shares: shares.map(secretOf),
        roundKeys: roundKeys.map(secretOf),
      },
    },
    keysFile: {
      ...{ ...FACTS, spendPublicKey, viewPublicKey, watchOnly: false },
      ...{ viewSecret: commonSecret, spendSecret: signerSecret },
      multisig: { ...group, shares, roundKeys },
    },
  };
}

/** Sibling service that records its calls in place of reading blocks. */
export class FakeSync {
  /** Names of the calls, in their order. */
  readonly calls: string[] = [];
  readonly learned: ImportedKeyImage[] = [];
  /** Answer of the next refreshes. */
  refreshing: () => Promise<void> = () => Promise.resolve();
  readonly #wallet: ServiceWallet;

  constructor(wallet: ServiceWallet) {
    this.#wallet = wallet;
  }

  async refresh(): Promise<void> {
    this.calls.push('refresh');
    await this.refreshing();
  }

  runExclusive<T>(task: () => Promise<T>): Promise<T> {
    return this.#wallet.locks.exclusive(() => {
      this.#wallet.assertOpen();
      return task();
    });
  }

  cancelAndRun(task: () => Promise<void>): Promise<void> {
    this.calls.push('cancelAndRun');
    return this.runExclusive(task);
  }

  watchKeyImages(news: readonly ImportedKeyImage[]): void {
    this.learned.push(...news);
  }

  restartScan(): void {
    this.calls.push('restartScan');
  }

  expandTo(): void {
    this.calls.push('expandTo');
  }

  readonly watched = {
    derive: (): Promise<void> => {
      this.calls.push('deriveLookahead');
      return Promise.resolve();
    },
    add: (subaddresses: readonly SubaddressIndex[]): Promise<void> => this.#watch(subaddresses),
  };

  /** Adds the keys of these addresses alone. */
  #watch(subaddresses: readonly SubaddressIndex[]): Promise<void> {
    this.calls.push('watch');
    const { keys } = this.#wallet.keystore;
    const found = addressKeysOf(keys.spendPublicKey, keys.viewSecret.expose(), subaddresses);
    const known = found.map(({ spendPublicKey }, i) => ({
      index: subaddresses[i] ?? { major: 0, minor: 0 },
      spendPublicKey,
    }));
    this.#wallet.store.write((w) => w.subaddresses.add(known));
    return Promise.resolve();
  }
}

/** Accounts, and addresses of each, that the store of a {@link ServiceWallet} recognises. */
const LOOKAHEAD = 3;

const derived = new Map<string, SubaddressKey[]>();

/** Subaddresses of a wallet, derived once for all tests of a file. */
function subaddressesOf({ spendPublicKey, viewSecret }: WalletKeys): SubaddressKey[] {
  const name = toHex(spendPublicKey);
  const known =
    derived.get(name) ??
    Array.from({ length: LOOKAHEAD ** 2 - 1 }, (_, i) => {
      const index = { major: Math.floor((i + 1) / LOOKAHEAD), minor: (i + 1) % LOOKAHEAD };
      return { index, ...subaddressKeys(spendPublicKey, viewSecret.expose(), index) };
    });
  derived.set(name, known);
  return known;
}

/** Context of one wallet in memory: real store, keystore and addresses; daemon, clock, threads and log of the test. */
export class ServiceWallet {
  readonly name = 'w';
  readonly store: WalletStore;
  readonly keystore: Keystore;
  readonly addresses: AddressCache;
  readonly exports: ExportCipher;
  readonly exportFormat: 'current' | '0.18.0' = 'current';
  readonly openAlias = new OpenAlias();
  readonly workers = inlineWorkers();
  readonly rng = seededRng('service wallet');
  readonly log: Logger;
  readonly locks = new WalletLocks();
  /** Every line of the log. */
  readonly lines: Record<string, unknown>[] = [];
  /** Calls of the daemon that the test answers; any other fails as offline. */
  answers: Partial<Daemon> = {};
  trusted = true;
  /** Unix time [s]. */
  time = 1_700_000_000;
  readonly clock = { now: (): number => 1000 * this.time };
  readonly timeBounds: TimeBounds;
  readonly daemon: DaemonAccess;
  readonly fakeSync: FakeSync;
  readonly sync: WalletSync;
  readonly accounts: Accounts;
  isOpen = true;

  constructor(
    { keys, keysFile }: ServiceKeys,
    exportFormat: 'current' | '0.18.0' = 'current',
    path = ':memory:',
  ) {
    this.exportFormat = exportFormat;
    const { spendPublicKey } = keys;
    this.store = WalletStore.create(path, new Uint8Array(32), (w) => {
      fillNewStore(w, { restoreHeight: 0, createdAt: FACTS.creationTimestamp, spendPublicKey });
      w.subaddresses.add(subaddressesOf(keys));
    });
    const { store, clock } = this;
    this.timeBounds = new TimeBounds({ store, clock, monotonic: clock.now });
    this.keystore = keystoreOf(keys, { file: keysFile });
    this.addresses = new AddressCache(() => this.keystore.keys);
    const cipherKey = new Uint8Array(32).fill(7);
    const exportKeys = (): Parameters<typeof sealExport>[2] => ({
      cipherKey,
      viewSecret: this.keystore.keys.viewSecret.expose(),
    });
    this.exports = {
      seal: (kind: Parameters<typeof sealExport>[0], plain: Uint8Array) =>
        Promise.resolve(sealExport(kind, plain, exportKeys(), this.rng)),
      open: (kind: Parameters<typeof openExport>[0], blob: Uint8Array) =>
        Promise.resolve().then(() => openExport(kind, blob, exportKeys())),
    } as unknown as ExportCipher;
    this.log = pino(
      { level: 'trace', base: null },
      new Writable({
        write: (chunk: Buffer, _, done) => {
          this.lines.push(JSON.parse(chunk.toString('utf8')) as Record<string, unknown>);
          done();
        },
      }),
    );
    this.daemon = daemonAccess(
      () => this.answers,
      () => this.trusted,
    );
    this.fakeSync = new FakeSync(this);
    this.sync = this.fakeSync as unknown as WalletSync;
    this.accounts = new Accounts(this, { sync: this.sync });
  }

  readonly assertOpen = (): void => {
    if (!this.isOpen) throw new WalletError({ kind: 'no_wallet' });
  };

  /** Appends blocks that hold these outputs. @param height of the wallet afterwards. */
  receive(outputs: readonly OwnedOutput[], height: number): void {
    const start = this.store.read((r) => r.chain.tip()?.height ?? -1) + 1;
    const txs = new Map(
      outputs.map(({ txHash, height: at, unlockTime, coinbase }): [string, ReceivedTx] => [
        txHash.join(),
        { ...received(1, at), txHash, unlockTime, coinbase },
      ]),
    );
    this.store.write((w) =>
      w.applyPage(page(start, height - start, { received: [...txs.values()], outputs })),
    );
  }
}

/** Access to a daemon that answers the calls of a test, and is unreachable for every other call. */
export const daemonAccess = (
  answers: () => Partial<Daemon>,
  trusted: () => boolean = () => true,
): DaemonAccess =>
  ({
    get trusted() {
      return trusted();
    },
    address: '127.0.0.1:18081',
    admit: () => undefined,
    client: () => clientWith(answers()),
    outputDistribution: () => clientWith(answers()).getOutputDistribution(),
    ringOutputs: (indices: readonly number[]) => clientWith(answers()).getOutputs(indices),
  }) as unknown as DaemonAccess;

const clientWith = (answers: Partial<Daemon>): Daemon =>
  new Proxy(answers, {
    get: (calls, name) =>
      Reflect.get(calls, name) ??
      (() => Promise.reject(new DaemonError('unreachable', `no answer to ${String(name)}`))),
  }) as Daemon;

/** Expected error: one whose fault, as clients get it, has these facts. */
export const fault = (facts: object): object => ({
  asymmetricMatch(error: unknown) {
    const expected =
      'asymmetricMatch' in facts
        ? (facts as ReturnType<typeof expect.objectContaining>)
        : expect.objectContaining(facts);
    return expected.asymmetricMatch(faultOf(error));
  },
  toAsymmetricMatcher: () => `fault ${inspect(facts)}`,
});
