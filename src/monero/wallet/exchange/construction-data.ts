import type { Commitment, PublicKey } from '../../crypto/types.js';
import {
  blob,
  CodecError,
  list,
  raw,
  u32,
  u64,
  u8,
  varint,
  varintNumber,
  type Codec,
} from '../../../util/codec.js';
import { flag, key, pair, struct, text, u64Number, versioned } from './binary-archive.js';

/** A destination or the change of a transaction. Source: cryptonote_tx_utils.h `tx_destination_entry`. */
export interface DestinationEntry {
  /** Address text as the client wrote it; empty for change. */
  readonly original: string;
  readonly amount: bigint;
  readonly address: { readonly spendPublicKey: PublicKey; readonly viewPublicKey: PublicKey };
  readonly isSubaddress: boolean;
  readonly isIntegrated: boolean;
}

/** A ring member and its global index. */
export interface RingEntry {
  readonly globalIndex: number;
  readonly publicKey: PublicKey;
  readonly commitment: Commitment;
}

/** An input and its ring. Source: cryptonote_tx_utils.h `tx_source_entry`. */
export interface SourceEntry {
  readonly ring: readonly RingEntry[];
  readonly realIndex: number;
  /** Public key by whose derivation the output is recognised: the tx public key or an additional public key. */
  readonly txPublicKey: PublicKey;
  readonly additionalTxPublicKeys: readonly PublicKey[];
  /** Index of the output in its transaction. */
  readonly outputIndex: number;
  readonly amount: bigint;
  readonly rct: boolean;
  /** Secret blinding scalar of the commitment, 32 bytes. */
  readonly mask: Uint8Array;
  /** 128 bytes: k, L, R and the key image; zeros in a wallet that is not multisig. */
  readonly multisig: Uint8Array;
}

/** All data that an offline signer needs to construct a transaction. Source: wallet2.h `tx_construction_data`. */
export interface ConstructionData {
  readonly sources: readonly SourceEntry[];
  readonly change: DestinationEntry;
  /** Destination of every output, including change and dummy outputs. */
  readonly outputs: readonly DestinationEntry[];
  /** Index of each input in the list of all outputs that the wallet ever received. */
  readonly selectedTransfers: readonly number[];
  readonly extra: Uint8Array;
  readonly unlockTime: bigint;
  readonly flags: ConstructionFlags;
  readonly rctConfig: RctConfig;
  /** Requested destinations, without change. */
  readonly destinations: readonly DestinationEntry[];
  readonly account: number;
  readonly minors: readonly number[];
}

export interface ConstructionFlags {
  readonly rct: boolean;
  readonly viewTags: boolean;
}

/** Version of the range proofs. Source: rctTypes.h `RCTConfig`. */
export interface RctConfig {
  /**
   * Number of the type: 3 stands for padded Bulletproofs in releases; the master branch of the reference has changed
   * this number to 1.
   */
  readonly rangeProofType: number;
  /** Version: 4 stands for Bulletproofs+ and CLSAG. */
  readonly bpVersion: number;
}

/** Configuration of all present transactions. */
export const RCT_CONFIG: RctConfig = { rangeProofType: 3, bpVersion: 4 };

export const destinationEntry: Codec<DestinationEntry> = struct<DestinationEntry>({
  original: text,
  amount: varint,
  address: struct({ spendPublicKey: key<PublicKey>(), viewPublicKey: key<PublicKey>() }),
  isSubaddress: flag,
  isIntegrated: flag,
});

const ringPair = pair(
  varintNumber,
  struct<Omit<RingEntry, 'globalIndex'>>({ publicKey: key<PublicKey>(), commitment: key<Commitment>() }),
);

const ringEntry: Codec<RingEntry> = {
  write: ({ globalIndex, ...keys }, w) => ringPair.write([globalIndex, keys], w),
  read(r) {
    const [globalIndex, keys] = ringPair.read(r);
    return { globalIndex, ...keys };
  },
};

const sourceFields = struct<SourceEntry>({
  ring: list(ringEntry),
  realIndex: u64Number,
  txPublicKey: key<PublicKey>(),
  additionalTxPublicKeys: list(key<PublicKey>()),
  outputIndex: u64Number,
  amount: u64,
  rct: flag,
  mask: raw(32),
  multisig: raw(128),
});

const sourceEntry: Codec<SourceEntry> = {
  write: (source, w) => sourceFields.write(source, w),
  read(r) {
    const source = sourceFields.read(r);
    if (source.realIndex >= source.ring.length)
      throw new CodecError('archive: the real output is not in its ring');
    return source;
  },
};

const RCT_FLAG = 1;
const VIEW_TAGS_FLAG = 2;

const flags: Codec<ConstructionFlags> = {
  write: ({ rct, viewTags }, w) => u8.write((rct ? RCT_FLAG : 0) | (viewTags ? VIEW_TAGS_FLAG : 0), w),
  read(r) {
    const byte = u8.read(r);
    return { rct: (byte & RCT_FLAG) !== 0, viewTags: (byte & VIEW_TAGS_FLAG) !== 0 };
  },
};

export const constructionData: Codec<ConstructionData> = struct<ConstructionData>({
  sources: list(sourceEntry),
  change: destinationEntry,
  outputs: list(destinationEntry),
  selectedTransfers: list(varintNumber),
  extra: blob,
  unlockTime: u64,
  flags,
  rctConfig: versioned(0, () => struct<RctConfig>({ rangeProofType: varintNumber, bpVersion: varintNumber })),
  destinations: list(destinationEntry),
  account: u32,
  minors: list(varintNumber),
});
