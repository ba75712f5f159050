import type { PublicKey } from '../../crypto/types.js';
import { compareBytes } from '../../../util/bytes.js';
import { CodecError, list, type Codec } from '../../../util/codec.js';
import { key, struct } from '../exchange/binary-archive.js';
import type { SourceEntry } from '../exchange/construction-data.js';
import { pendingTx, recordedKeyImage, type PendingTx } from '../exchange/pending-tx.js';

/** Partially signed transactions that signers pass to each other. Source: wallet2.h `multisig_tx_set`. */
export interface MultisigTxSet {
  readonly txs: readonly PendingTx[];
  /** Public keys of the signers who have signed the transactions. */
  readonly signers: readonly PublicKey[];
}

const fields = struct<MultisigTxSet>({ txs: list(pendingTx), signers: list(key<PublicKey>()) });

/**
 * Codec of a set. Reading throws CodecError for a set that no wallet can sign. Source: wallet2.cpp
 * `parse_multisig_tx_from_str`.
 */
export const multisigTxSet: Codec<MultisigTxSet> = {
  write: (value, w) => fields.write(value, w),
  read(r) {
    const set = fields.read(r);
    for (const { tx, selectedTransfers, construction } of set.txs) {
      const inputs = tx.prefix.inputs.length;
      if (inputs === 0) throw new CodecError('multisig: a transaction has at least one input');
      const counts = [
        selectedTransfers.length,
        construction.selectedTransfers.length,
        construction.sources.length,
      ];
      if (counts.some((count) => count !== inputs))
        throw new CodecError('multisig: a transaction differs from its record');
    }
    return set;
  },
};

/** Sorts sources by descending key image, as a transaction requires. */
export const sortedSources = (sources: readonly SourceEntry[]): SourceEntry[] =>
  [...sources].sort((a, b) => compareBytes(recordedKeyImage(b), recordedKeyImage(a)));
