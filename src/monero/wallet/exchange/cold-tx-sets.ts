import type { KeyImage, PublicKey } from '../../crypto/types.js';
import { concatBytes } from '../../../util/bytes.js';
import { encode, list, varintNumber, type Codec } from '../../../util/codec.js';
import { entries, key, struct, versioned } from './binary-archive.js';
import { constructionData, type ConstructionData } from './construction-data.js';
import { outputExport, type ExportFormat, type OutputExport } from './exported-outputs.js';
import { pendingTx, type PendingTx } from './pending-tx.js';

/** Transactions that the wallet with the spend key is to sign. Source: wallet2.h `unsigned_tx_set`. */
export interface UnsignedTxSet {
  readonly txs: readonly ConstructionData[];
  /** Outputs whose key images the requesting wallet does not know. */
  readonly outputs: OutputExport;
}

const unsignedBody = (outputs: Codec<OutputExport>): Codec<UnsignedTxSet> =>
  struct<UnsignedTxSet>({ txs: list(constructionData), outputs });

const UNSIGNED = [outputExport.full, outputExport['0.18.0'], outputExport.current].map(unsignedBody);

/** Version that is written in each format. */
const UNSIGNED_VERSION: Record<ExportFormat, number> = { '0.18.0': 1, current: 2 };

const unsignedOf = (version: number): Codec<UnsignedTxSet> =>
  UNSIGNED[version] ?? unsignedBody(outputExport.current);

/** Encodes a set whose outputs are encoded already, in the layout of the format. */
export const writeUnsignedTxSet = (
  format: ExportFormat,
  txs: readonly ConstructionData[],
  outputs: Uint8Array,
): Uint8Array =>
  concatBytes(encode(varintNumber, UNSIGNED_VERSION[format]), encode(list(constructionData), txs), outputs);

/** Returns a codec that reads every version. @param format format that is written. */
export const unsignedTxSet = (format: ExportFormat): Codec<UnsignedTxSet> => ({
  write(value, w) {
    w.bytes(writeUnsignedTxSet(format, value.txs, encode(outputExport[format], value.outputs)));
  },
  read: (r) => versioned(UNSIGNED_VERSION.current, unsignedOf).read(r),
});

/** Signed transactions for the wallet that relays them. Source: wallet2.h `signed_tx_set`. */
export interface SignedTxSet {
  readonly txs: readonly PendingTx[];
  /**
   * Key image of every output of the signing wallet, in that wallet's order, which may differ from the order in the
   * other wallet; zeros for an unknown key image.
   */
  readonly keyImages: readonly KeyImage[];
  /**
   * Pairs of output key and key image: of outputs with which these transactions pay the wallet itself, and of the
   * exported outputs.
   */
  readonly ownKeyImages: readonly (readonly [PublicKey, KeyImage])[];
}

export const signedTxSet: Codec<SignedTxSet> = versioned(0, () =>
  struct<SignedTxSet>({
    txs: list(pendingTx),
    keyImages: list(key<KeyImage>()),
    ownKeyImages: entries(key<PublicKey>(), key<KeyImage>()),
  }),
);
