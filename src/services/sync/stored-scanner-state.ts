import type { SubaddressIndex } from '../../monero/cryptonote/types.js';
import { addressTierIn, balanceTierIn } from '../../monero/wallet/carrot-keys.js';
import type { ScannerState } from '../../refresh/scan/scanner-state.js';
import type { WalletReader } from '../../store/wallet-reader.js';
import { totalLength } from '../../util/bytes.js';
import { yieldToEventLoop } from '../../util/event-loop.js';
import { MAX_REORGANISATION } from '../../monero/wallet/scan/findings.js';
import type { PackedSubaddresses } from '../../monero/wallet/scan/packed-subaddresses.js';
import type { WalletContext } from '../context/wallet-context.js';

type Context = Pick<WalletContext, 'store' | 'keystore'>;

type Open = Pick<WalletContext, 'assertOpen' | 'store'>;

type Read = <T>(task: (r: WalletReader) => T) => T;

/** Watched addresses and outputs of a wallet, all read from one state of the store: see {@link readWatched}. */
type WatchedState = Pick<
  ScannerState,
  'subaddresses' | 'withKeyImage' | 'withoutKeyImage' | 'reused' | 'importedKeyImages'
> & { readonly blind: Uint8Array };

/**
 * Reads the state that a scanner starts with: secret keys, watched addresses, and outputs whose spends are recognised.
 * @param watched result of {@link readWatched}; absent: everything is read now.
 */
function scannerStateOf({ store, keystore }: Context, watched?: WatchedState): ScannerState {
  const { viewSecret, spendSecret, spendPublicKey, multisig, carrot } = keystore.keys;
  const balance = balanceTierIn(keystore.keys);
  const { blind, ...known } = watched ?? readAtOnce(store);
  store.releasePages();
  return {
    keys: {
      viewSecret: viewSecret.expose(),
      ...(spendSecret === undefined ? {} : { spendSecret: spendSecret.expose() }),
      ...(balance === undefined ? {} : { balance }),
    },
    spendPublicKey,
    ...(carrot === undefined ? {} : { addressTier: addressTierIn(keystore.keys, carrot) }),
    lookahead: keystore.lookahead,
    handedOut: lastCreatedAddresses(store),
    ...known,
    // Spends of outputs without a key image are recorded as ambiguous. Of the wallets with such outputs, only a
    // multisig wallet reads the pool.
    ...(keystore.background === undefined && multisig === undefined ? {} : { blind }),
    ...(keystore.background === undefined && multisig !== undefined ? { seesPool: true as const } : {}),
  };
}

/**
 * Reads all watched addresses and outputs, and yields to the event loop between parts. All parts show the same state of
 * the store, unless it is in memory, where it has no snapshots, and changes meanwhile. The scanner itself derives
 * addresses that are created meanwhile.
 * @throws WalletError `no_wallet` if the wallet is closed meanwhile.
 */
export async function readWatched(context: Open): Promise<WatchedState> {
  const { store } = context;
  if (store.isInMemory) return readInParts(context, (task) => store.read(task));
  const snapshot = store.snapshot();
  try {
    return await readInParts(context, (task) => snapshot.read(task));
  } finally {
    snapshot.release();
  }
}

async function readInParts({ store, assertOpen }: Open, read: Read): Promise<WatchedState> {
  const parts = watchedParts(read, store.height());
  for (;;) {
    const next = parts.next();
    if (next.done === true) return next.value;
    await yieldToEventLoop();
    assertOpen();
  }
}

function readAtOnce(store: Context['store']): WatchedState {
  const parts = watchedParts((task) => store.read(task), store.height());
  for (;;) {
    const next = parts.next();
    if (next.done === true) return next.value;
  }
}

/**
 * Reads a {@link WatchedState} in parts of some milliseconds at most. @param height number of blocks that the wallet
 * knows.
 */
function* watchedParts(read: Read, height: number): Generator<void, WatchedState, void> {
  const subaddresses = [read((r) => r.subaddresses.packedParts())];
  yield* pages(subaddresses, (after) => read((r) => r.subaddresses.packedAfter(after)));
  const importedKeyImages: Uint8Array[] = [];
  yield* pages(importedKeyImages, (after) => read((r) => r.importedKeyImages.packedAfter(after)));
  const withKeyImage: Uint8Array[] = [];
  const withoutKeyImage: Uint8Array[] = [];
  const blind: Uint8Array[] = [];
  // Blocks that are read again may contain spends that no reorganisation undoes.
  const again = read((r) => r.searched.position())?.from ?? Infinity;
  const since = Math.min(again, height - MAX_REORGANISATION);
  for (const rows of read((r) => r.watch.ranges())) {
    read((r) => {
      withKeyImage.push(r.watch.withKeyImage(since, rows));
      withoutKeyImage.push(r.watch.withoutKeyImage(rows));
      blind.push(r.watch.blind(rows));
    });
    yield;
  }
  return {
    subaddresses,
    importedKeyImages: yield* joined(importedKeyImages),
    withKeyImage: yield* joined(withKeyImage),
    withoutKeyImage: yield* joined(withoutKeyImage),
    blind: yield* joined(blind),
    reused: read((r) => ({
      withKeyImage: r.watch.burntWithKeyImage(),
      withoutKeyImage: r.watch.burntWithoutKeyImage(),
    })),
  };
}

/**
 * Joins byte strings, and yields after each: a million outputs take 52 MB, and memory that is written for the first time
 * costs more than the copy.
 */
function* joined(parts: readonly Uint8Array[]): Generator<void, Uint8Array, void> {
  const whole = new Uint8Array(totalLength(parts));
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
    yield;
  }
  return whole;
}

/** Packed records of one part; `last` is the key of its last record, absent in the last part. */
interface Part {
  readonly packed: PackedSubaddresses;
  readonly last: Uint8Array | undefined;
}

/** Reads parts in the order of their keys. @param readAfter returns the part after a key. */
function* pages(into: Uint8Array[], readAfter: (key: Uint8Array) => Part): Generator<void, void, void> {
  for (let after: Uint8Array | undefined = new Uint8Array(0); after !== undefined;) {
    const { packed, last } = readAfter(after);
    into.push(packed);
    after = last;
    if (last !== undefined) yield;
  }
}

/** Returns the index of the last created address of each account. */
export const lastCreatedAddresses = (store: Context['store']): SubaddressIndex[] =>
  store.read((r) => r.accounts.list()).map(({ major, addressCount }) => ({ major, minor: addressCount - 1 }));

/** Number of attempts to read the watched outputs without a change in between. */
const READ_ATTEMPTS = 3;

/** Reads the state of each new scanner of a wallet before the scanner starts, in parts. */
export class NewScanners {
  readonly #context: Context & Open;
  /** Watched addresses and outputs of the scanner that is starting; undefined at other times. */
  #watched: WatchedState | undefined;
  /** Number of changes to the outputs whose spends a scanner recognises. */
  #changes = 0;

  constructor(context: Context & Open) {
    this.#context = context;
  }

  /** Counts a change to the outputs whose spends a scanner recognises, or to their key images. */
  noteChange(): void {
    this.#changes += 1;
  }

  /** Returns the state for the scanner that is starting. */
  state(): ScannerState {
    return scannerStateOf(this.#context, this.#watched);
  }

  /**
   * Runs a task that starts a scanner before its first `await`.
   * @throws WalletError `no_wallet` if the wallet is closed meanwhile.
   */
  async begin<T>(task: () => Promise<T>): Promise<T> {
    const watched = await this.#read();
    this.#context.assertOpen();
    this.#watched = watched;
    try {
      return task();
    } finally {
      this.#watched = undefined;
    }
  }

  /**
   * Reads the watched outputs, and reads them again if they changed meanwhile; undefined if they change in every
   * attempt.
   */
  async #read(): Promise<WatchedState | undefined> {
    for (let attempt = 0; attempt < READ_ATTEMPTS; attempt++) {
      const version = this.#version;
      const watched = await readWatched(this.#context);
      if (version === this.#version) return watched;
      this.#context.assertOpen();
    }
    return undefined;
  }

  /**
   * Number that changes with the watched outputs, and with every write to a store in memory, which has no snapshots.
   */
  get #version(): number {
    const { store } = this.#context;
    return store.isInMemory ? store.version : this.#changes;
  }
}
