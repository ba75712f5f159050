import type { Hash, KeyImage, PublicKey, SecretKey } from '../../crypto/types.js';
import { prunedTransaction } from '../../cryptonote/transaction.js';
import type { SubaddressIndex, Transaction } from '../../cryptonote/types.js';
import { utf8 } from '../../../util/bytes.js';
import { blob, CodecError, list, raw, u64, varintNumber, type Codec } from '../../../util/codec.js';
import {
  absent,
  entries,
  flag,
  key,
  pair,
  struct,
  u64Number,
  versioned,
} from '../exchange/binary-archive.js';
import { subaddressIndex, transferDetails, type TransferDetails } from '../exchange/transfer-details.js';
import {
  confirmedTransfer,
  poolPayment,
  receivedPayment,
  unconfirmedTransfer,
  type ConfirmedTransfer,
  type PoolPayment,
  type ReceivedPayment,
  type UnconfirmedTransfer,
} from './payments.js';

/** Block hashes from a height (offset) on. Source: wallet2_types.h `hashchain`. */
export interface HashChain {
  readonly offset: number;
  readonly genesis: Hash;
  readonly hashes: readonly Hash[];
}

/** An entry of the address book. Source: wallet2_types.h `address_book_row`. */
export interface AddressBookRow {
  readonly address: CacheAddress;
  /** Payment id of 8 bytes. */
  readonly paymentId: Uint8Array;
  readonly description: string;
  readonly isSubaddress: boolean;
  readonly hasPaymentId: boolean;
}

/** Public keys of an address. */
export interface CacheAddress {
  readonly spendPublicKey: PublicKey;
  readonly viewPublicKey: PublicKey;
}

/** A transaction that was found during background sync. Source: wallet2_types.h `background_synced_tx_t`. */
export interface BackgroundTx {
  readonly position: number;
  readonly tx: Transaction;
  readonly globalIndices: readonly number[];
  readonly height: number;
  readonly timestamp: number;
  readonly doubleSpendSeen: boolean;
}

/** State of background sync. Source: wallet2_types.h `background_sync_data_t`. */
export interface BackgroundSync {
  readonly firstRefreshDone: boolean;
  readonly startHeight: number;
  readonly txs: Entries<Hash, BackgroundTx>;
  readonly refreshFromHeight: number;
  readonly lookaheadMajor: number;
  readonly lookaheadMinor: number;
  readonly refreshType: number;
}

type Entries<K, V> = readonly (readonly [K, V])[];

/** Contents of the reference's wallet cache file, in the order of the archive. Source: wallet2.h `wallet2`. */
export interface ReferenceCache {
  readonly chain: HashChain;
  readonly transfers: readonly TransferDetails[];
  readonly address: CacheAddress;
  readonly keyImages: Entries<KeyImage, number>;
  readonly unconfirmed: Entries<Hash, UnconfirmedTransfer>;
  /** Received payments by payment id. */
  readonly payments: Entries<Uint8Array, ReceivedPayment>;
  readonly txKeys: Entries<Hash, SecretKey>;
  readonly confirmed: Entries<Hash, ConfirmedTransfer>;
  readonly notes: Entries<Hash, string>;
  /** Received pool payments by payment id. */
  readonly poolPayments: Entries<Uint8Array, PoolPayment>;
  readonly publicKeys: Entries<PublicKey, number>;
  readonly addressBook: readonly AddressBookRow[];
  readonly scannedPoolTxs: readonly Hash[];
  readonly scannedPoolTxsBefore: readonly Hash[];
  /** Address index by spend key, including the lookahead. */
  readonly subaddresses: Entries<PublicKey, SubaddressIndex>;
  /** Labels: one list per account, with one label per created address. */
  readonly labels: readonly (readonly string[])[];
  /** Additional secret keys by transaction hash, one per output. */
  readonly additionalTxKeys: Entries<Hash, readonly SecretKey[]>;
  readonly attributes: Entries<string, string>;
  /** Descriptions by tag; then the tag of each account. */
  readonly accountTags: readonly [Entries<string, string>, readonly string[]];
  readonly ringHistorySaved: boolean;
  readonly lastBlockReward: bigint;
  /** Data of the device for transactions that a hardware wallet has signed. */
  readonly deviceTxs: Entries<Hash, Uint8Array>;
  readonly deviceKeyImageSync: bigint;
  /** Key images by output key, of outputs with which transactions that were signed offline paid the wallet itself. */
  readonly coldKeyImages: Entries<PublicKey, KeyImage>;
  /** Client key of the RPC payment scheme, which no longer exists. */
  readonly rpcClientSecretKey: Uint8Array;
  readonly everRefreshed: boolean;
  readonly backgroundSync: BackgroundSync;
}

/** First bytes of every archive. */
export const CACHE_MAGIC = utf8('monero wallet cache');

/** Codec of a user's text. The reference does not check that it is UTF-8; invalid bytes are replaced by U+FFFD. */
const lenientText: Codec<string> = {
  write: (value, w) => blob.write(utf8(value), w),
  read: (r) => new TextDecoder('utf-8', { ignoreBOM: true }).decode(blob.read(r)),
};

const hash = key<Hash>();
const publicKey = key<PublicKey>();

const hashChain = versioned(0, () =>
  struct<HashChain>({ offset: varintNumber, genesis: hash, hashes: list(hash) }),
);

const addressBookRow = versioned(0, () =>
  struct<AddressBookRow>({
    address: struct<CacheAddress>({ spendPublicKey: publicKey, viewPublicKey: publicKey }),
    paymentId: raw(8),
    description: lenientText,
    isSubaddress: flag,
    hasPaymentId: flag,
  }),
);

const backgroundTx = versioned(0, () =>
  struct<BackgroundTx>({
    position: varintNumber,
    tx: prunedTransaction,
    globalIndices: list(varintNumber),
    height: varintNumber,
    timestamp: varintNumber,
    doubleSpendSeen: flag,
  }),
);

export const NO_BACKGROUND_SYNC: BackgroundSync = {
  firstRefreshDone: false,
  startHeight: 0,
  txs: [],
  refreshFromHeight: 0,
  lookaheadMajor: 0,
  lookaheadMinor: 0,
  refreshType: 0,
};

const backgroundSync = versioned(0, () =>
  struct<BackgroundSync>({
    firstRefreshDone: flag,
    startHeight: u64Number,
    txs: entries(hash, backgroundTx),
    refreshFromHeight: u64Number,
    lookaheadMajor: varintNumber,
    lookaheadMinor: varintNumber,
    refreshType: varintNumber,
  }),
);

/** Codecs of the parts that differ between variants of the archive. */
interface PartCodecs {
  /** Codec of an output's index in the list of all outputs. */
  readonly outputIndex: Codec<number>;
  readonly transfer: Codec<TransferDetails>;
  readonly confirmed: Codec<ConfirmedTransfer>;
}

/** Returns the codec of one version of the archive; release 0.18.0 introduced version 0. */
const body = (version: number, { outputIndex, transfer, confirmed }: PartCodecs): Codec<ReferenceCache> =>
  struct<ReferenceCache>({
    chain: hashChain,
    transfers: list(transfer),
    address: struct<CacheAddress>({ spendPublicKey: publicKey, viewPublicKey: publicKey }),
    keyImages: entries(key<KeyImage>(), outputIndex),
    unconfirmed: entries(hash, unconfirmedTransfer),
    payments: entries(key(), receivedPayment),
    txKeys: entries(hash, key<SecretKey>()),
    confirmed: entries(hash, confirmed),
    notes: entries(hash, lenientText),
    poolPayments: entries(key(), poolPayment),
    publicKeys: entries(publicKey, outputIndex),
    addressBook: list(addressBookRow),
    scannedPoolTxs: list(hash),
    scannedPoolTxsBefore: list(hash),
    subaddresses: entries(publicKey, subaddressIndex),
    labels: list(list(lenientText)),
    additionalTxKeys: entries(hash, list(key<SecretKey>())),
    attributes: entries(lenientText, lenientText),
    accountTags: pair(entries(lenientText, lenientText), list(lenientText)),
    ringHistorySaved: flag,
    lastBlockReward: u64,
    deviceTxs: entries(hash, blob),
    deviceKeyImageSync: u64,
    coldKeyImages: entries(publicKey, key<KeyImage>()),
    rpcClientSecretKey: key(),
    everRefreshed: version < 1 ? absent(false) : flag,
    backgroundSync: version < 2 ? absent(NO_BACKGROUND_SYNC) : backgroundSync,
  });

const archive = (parts: PartCodecs): Codec<ReferenceCache> => {
  const content = versioned(2, (version) => body(version, parts));
  return {
    write(cache, w) {
      w.bytes(CACHE_MAGIC);
      content.write(cache, w);
    },
    read(r) {
      if (Buffer.compare(raw(CACHE_MAGIC.length).read(r), CACHE_MAGIC) !== 0)
        throw new CodecError('cache: wrong magic');
      return content.read(r);
    },
  };
};

const COMPLETE: PartCodecs = {
  outputIndex: varintNumber,
  transfer: transferDetails,
  confirmed: confirmedTransfer,
};

/** Returns a codec that applies a function to each value that it reads. */
const reduced = <T>(codec: Codec<T>, part: (value: T) => T): Codec<T> => ({
  write: (value, w) => codec.write(value, w),
  read: (r) => part(codec.read(r)),
});

/** Part codecs that drop rings, which take most of the memory of a large cache. */
const WITHOUT_RINGS: PartCodecs = {
  outputIndex: varintNumber,
  transfer: reduced(transferDetails, (found) => ({ ...found, tx: { ...found.tx, inputs: [] } })),
  confirmed: reduced(confirmedTransfer, (paid) => ({ ...paid, tx: undefined, rings: [] })),
};

/** Codec of the archive that releases write since 0.18.0. */
export const referenceCache: Codec<ReferenceCache> = archive(COMPLETE);

/** Codec of the archive that releases write since 0.18.0; reading leaves out the rings. */
export const cacheWithoutRings: Codec<ReferenceCache> = archive(WITHOUT_RINGS);

/**
 * Codec of the archive that early releases of 0.18 for macOS wrote, in which output indices have 64 bits; reading
 * leaves out the rings.
 */
export const cacheWithWideIndices: Codec<ReferenceCache> = archive({
  ...WITHOUT_RINGS,
  outputIndex: u64Number,
});
