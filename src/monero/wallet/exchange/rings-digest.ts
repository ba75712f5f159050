import { keccak } from '../../crypto/keccak.js';
import type { Hash } from '../../crypto/types.js';
import { ringIndices } from '../../cryptonote/transaction.js';
import type { Transaction } from '../../cryptonote/types.js';
import type { Amount } from '../../../util/amount.js';
import { utf8 } from '../../../util/bytes.js';
import type { Ring } from '../select/decoys.js';

/**
 * Computes the digest of the rings of a transaction, in any order, and of its fee. It identifies a transaction that
 * other wallets sign: each signing gives another hash, but signers keep rings and fee, and decoys are random, so no
 * other transaction has the same rings.
 * @param rings absolute global indices of the members of each ring, ascending.
 */
const digestOf = (rings: readonly (readonly bigint[])[], fee: bigint): Hash =>
  keccak(utf8([...rings.map((ring) => ring.join()).sort(), `fee ${fee}`].join(';')));

/** Computes the digest of the rings that were chosen for a transaction, and of its fee. */
export const ringsDigest = (rings: readonly Ring[], fee: Amount): Hash =>
  digestOf(
    rings.map(({ members }) => members.map(({ globalIndex }) => BigInt(globalIndex))),
    fee,
  );

/** Computes the digest of the rings and the fee of a signed transaction. */
export const ringsDigestOf = ({ prefix, rct }: Pick<Transaction, 'prefix' | 'rct'>): Hash =>
  digestOf(
    prefix.inputs.flatMap((input) => {
      if (input.type !== 'key') return [];
      return [ringIndices(input.keyOffsets)];
    }),
    rct?.base.fee ?? 0n,
  );
