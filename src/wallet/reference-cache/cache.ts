import type { Hash, KeyImage, PublicKey, SecretKey } from '../../crypto/types.js';
import { prunedTransaction } from '../../cryptonote/transaction.js';
import type { SubaddressIndex, Transaction } from '../../cryptonote/types.js';
import { utf8 } from '../../util/bytes.js';
import { blob, CodecError, list, raw, u64, varintNumber, type Codec } from '../../util/codec.js';
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

/** Names of blocks from an offset on. Source: wallet2_types.h `hashchain`. */
export interface HashChain {
  readonly offset: number;
  readonly genesis: Hash;
  readonly hashes: readonly Hash[];
}

/** Source: wallet2_types.h `address_book_row`. */
export interface AddressBookRow {
  readonly address: CacheAddress;
  /** 8 bytes. */
  readonly paymentId: Uint8Array;
  readonly description: string;
  readonly isSubaddress: boolean;
  readonly hasPaymentId: boolean;
}

export interface CacheAddress {
  readonly spendPublicKey: PublicKey;
  readonly viewPublicKey: PublicKey;
}

/** A transaction seen while the spend key was away. Source: wallet2_types.h `background_synced_tx_t`. */
export interface BackgroundTx {
  readonly position: number;
  readonly tx: Transaction;
  readonly globalIndices: readonly number[];
  readonly height: number;
  readonly timestamp: number;
  readonly doubleSpendSeen: boolean;
}

/** Source: wallet2_types.h `background_sync_data_t`. */
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

/**
 * What the reference keeps in the file beside its keys file, in the order of the archive.
 * Source: wallet2.h `wallet2`.
 */
export interface ReferenceCache {
  readonly chain: HashChain;
  readonly transfers: readonly TransferDetails[];
  readonly address: CacheAddress;
  readonly keyImages: Entries<KeyImage, number>;
  readonly unconfirmed: Entries<Hash, UnconfirmedTransfer>;
  /** By payment id. */
  readonly payments: Entries<Uint8Array, ReceivedPayment>;
  readonly txKeys: Entries<Hash, SecretKey>;
  readonly confirmed: Entries<Hash, ConfirmedTransfer>;
  readonly notes: Entries<Hash, string>;
  /** By payment id. */
  readonly poolPayments: Entries<Uint8Array, PoolPayment>;
  readonly publicKeys: Entries<PublicKey, number>;
  readonly addressBook: readonly AddressBookRow[];
  readonly scannedPoolTxs: readonly Hash[];
  readonly scannedPoolTxsBefore: readonly Hash[];
  /** The lookahead included. */
  readonly subaddresses: Entries<PublicKey, SubaddressIndex>;
  /** One list an account, one label an address handed out. */
  readonly labels: readonly (readonly string[])[];
  /** One key an output. */
  readonly additionalTxKeys: Entries<Hash, readonly SecretKey[]>;
  readonly attributes: Entries<string, string>;
  /** Descriptions by tag, then each account's tag. */
  readonly accountTags: readonly [Entries<string, string>, readonly string[]];
  readonly ringHistorySaved: boolean;
  readonly lastBlockReward: bigint;
  /** What a hardware wallet told of transactions. */
  readonly deviceTxs: Entries<Hash, Uint8Array>;
  readonly deviceKeyImageSync: bigint;
  /** By output key: what an offline signer told of change. */
  readonly coldKeyImages: Entries<PublicKey, KeyImage>;
  /** Of payments to daemons, which are no more. */
  readonly rpcClientSecretKey: Uint8Array;
  readonly everRefreshed: boolean;
  readonly backgroundSync: BackgroundSync;
}

/** What every archive begins with. */
export const CACHE_MAGIC = utf8('monero wallet cache');

/** What people wrote. The reference never checked that it is UTF-8; what is not, is replaced. */
export const looseText: Codec<string> = {
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
    description: looseText,
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

/** How an archive is laid out, and what of it is kept when it is read. */
interface Reading {
  /** Of an output among all. */
  readonly place: Codec<number>;
  readonly transfer: Codec<TransferDetails>;
  readonly confirmed: Codec<ConfirmedTransfer>;
}

/** The archive in one of its versions: 0 came with release 0.18.0. */
const body = (version: number, { place, transfer, confirmed }: Reading): Codec<ReferenceCache> =>
  struct<ReferenceCache>({
    chain: hashChain,
    transfers: list(transfer),
    address: struct<CacheAddress>({ spendPublicKey: publicKey, viewPublicKey: publicKey }),
    keyImages: entries(key<KeyImage>(), place),
    unconfirmed: entries(hash, unconfirmedTransfer),
    payments: entries(key(), receivedPayment),
    txKeys: entries(hash, key<SecretKey>()),
    confirmed: entries(hash, confirmed),
    notes: entries(hash, looseText),
    poolPayments: entries(key(), poolPayment),
    publicKeys: entries(publicKey, place),
    addressBook: list(addressBookRow),
    scannedPoolTxs: list(hash),
    scannedPoolTxsBefore: list(hash),
    subaddresses: entries(publicKey, subaddressIndex),
    labels: list(list(looseText)),
    additionalTxKeys: entries(hash, list(key<SecretKey>())),
    attributes: entries(looseText, looseText),
    accountTags: pair(entries(looseText, looseText), list(looseText)),
    ringHistorySaved: flag,
    lastBlockReward: u64,
    deviceTxs: entries(hash, blob),
    deviceKeyImageSync: u64,
    coldKeyImages: entries(publicKey, key<KeyImage>()),
    rpcClientSecretKey: key(),
    everRefreshed: version < 1 ? absent(false) : flag,
    backgroundSync: version < 2 ? absent(NO_BACKGROUND_SYNC) : backgroundSync,
  });

const archive = (reading: Reading): Codec<ReferenceCache> => {
  const content = versioned(2, (version) => body(version, reading));
  return {
    write(cache, w) {
      w.bytes(CACHE_MAGIC);
      content.write(cache, w);
    },
    read(r) {
      if (Buffer.compare(raw(CACHE_MAGIC.length).read(r), CACHE_MAGIC) !== 0)
        throw new CodecError('cache: not an archive of a wallet');
      return content.read(r);
    },
  };
};

const WHOLE: Reading = { place: varintNumber, transfer: transferDetails, confirmed: confirmedTransfer };

/** Reads all and keeps a part. */
const keeping = <T>(codec: Codec<T>, part: (value: T) => T): Codec<T> => ({
  write: (value, w) => codec.write(value, w),
  read: (r) => part(codec.read(r)),
});

/** Without rings, which are nearly all of a large cache once it is read. */
const LEAN: Reading = {
  place: varintNumber,
  transfer: keeping(transferDetails, (found) => ({ ...found, tx: { ...found.tx, inputs: [] } })),
  confirmed: keeping(confirmedTransfer, (paid) => ({ ...paid, tx: undefined, rings: [] })),
};

/** The archive that releases since 0.18.0 write. */
export const referenceCache: Codec<ReferenceCache> = archive(WHOLE);

/** The same, read without rings. */
export const leanCache: Codec<ReferenceCache> = archive(LEAN);

/** The same from early releases for macOS, where places among outputs were fixed 64-bit fields. */
export const widePlacesCache: Codec<ReferenceCache> = archive({ ...LEAN, place: u64Number });
