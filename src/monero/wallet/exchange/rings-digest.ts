import { keccak } from '../../crypto/keccak.js';
import type { Hash } from '../../crypto/types.js';
import { ringIndices } from '../../cryptonote/ring-indices.js';
import type { Transaction } from '../../cryptonote/types.js';
import type { Amount } from '../../../util/amount.js';
import { utf8 } from '../../../util/bytes.js';
import type { Ring } from '../select/decoys.js';

/**
 * Digest of the rings of a transaction, in any order, and its fee. Signers keep both of a transaction that was made for
 * them, and decoys are random: no other transaction has the same rings. Each signing of one set has a hash of its own.
 * @param rings absolute global indices of each ring, ascending.
 */
const digestOf = (rings: readonly (readonly bigint[])[], fee: bigint): Hash =>
  keccak(utf8([...rings.map((ring) => ring.join()).sort(), `fee ${fee}`].join(';')));

/** Digest of the rings that were chosen for a transaction, and of its fee. */
export const ringsDigest = (rings: readonly Ring[], fee: Amount): Hash =>
  digestOf(
    rings.map(({ members }) => members.map(({ globalIndex }) => BigInt(globalIndex))),
    fee,
  );

/** Digest of the rings and the fee of a signed transaction. */
export const ringsDigestOf = ({ prefix, rct }: Pick<Transaction, 'prefix' | 'rct'>): Hash =>
  digestOf(
    prefix.inputs.flatMap((input) => {
      if (input.type !== 'key') return [];
      return [ringIndices(input.keyOffsets)];
    }),
    rct?.base.fee ?? 0n,
  );
