import { keyDerivation } from '../../crypto/derivation.js';
import { keccak } from '../../crypto/keccak.js';
import { loadCurve } from '../../crypto/curve/load-curve.js';
import { isInMainSubgroup } from '../../crypto/curve/points.js';
import { checkRing, signRing } from '../../crypto/ring-signature.js';
import type { Hash, KeyImage, PublicKey, SecretKey } from '../../crypto/types.js';
import { encodeBase58 } from '../../cryptonote/base58.js';
import { ringIndices } from '../../cryptonote/transaction.js';
import type { Transaction } from '../../cryptonote/types.js';
import type { Amount } from '../../../util/amount.js';
import { equalBytes } from '../../../util/bytes.js';
import type { Rng } from '../../../util/random.js';
import { badProof, proofBytes, SIGNATURE_CHARS, WRONG_HEADER } from './proof-text.js';
import { assertProvable } from './provable-tx.js';
import { wrongTransaction } from '../scan/fetched-tx.js';
import { outputSecretKey } from '../../cryptonote/own-outputs.js';
import type { OwnedOutput } from '../scan/findings.js';

/** Amount and global indices of the ring members of an input. */
export interface RingReference {
  readonly keyImage: KeyImage;
  /** Amount of the ring members [atomic units]; zero for RingCT outputs. */
  readonly amount: Amount;
  /** Indices among all outputs of the amount, ascending. */
  readonly globalIndices: readonly number[];
}

/** An input with the output keys of its ring. A plain value. */
export interface SpentRing {
  readonly keyImage: KeyImage;
  readonly ring: readonly PublicKey[];
}

/**
 * Returns the ring references of all inputs.
 * @throws ScanError for an index that no chain can reach.
 */
export function ringReferences(tx: Transaction): RingReference[] {
  return tx.prefix.inputs.flatMap((input) => {
    if (input.type === 'gen') return [];
    const globalIndices = ringIndices(input.keyOffsets).map((index) => {
      if (index > BigInt(Number.MAX_SAFE_INTEGER))
        throw wrongTransaction('a transaction with impossible ring offsets');
      return Number(index);
    });
    return [{ keyImage: input.keyImage, amount: input.amount, globalIndices }];
  });
}

const HEADER = 'SpendProofV1';

/**
 * Returns the joined signatures of a proof, without its header.
 * @throws ProofError `bad_proof` if the header is missing.
 */
export function spendProofBody(proof: string): string {
  if (!proof.startsWith(HEADER)) throw badProof(`the proof does not start with ${HEADER}`, WRONG_HEADER);
  return proof.slice(HEADER.length);
}

/**
 * Splits the body of a proof into one text per ring member, grouped by input.
 * @returns undefined if the length of the body does not fit.
 */
export function spendSignatures(body: string, ringSizes: readonly number[]): string[][] | undefined {
  if (body.length !== SIGNATURE_CHARS * ringSizes.reduce((total, size) => total + size, 0)) return undefined;
  let at = 0;
  return ringSizes.map((size) => Array.from({ length: size }, () => body.slice(at, (at += SIGNATURE_CHARS))));
}

/** Computes the message that a proof signs, from the transaction hash and the caller's message. */
const proofMessage = (txHash: Hash, message: Uint8Array): Hash => keccak(txHash, message);

/** Data from which a spend proof is made. A plain value. */
export interface SpendToProve {
  readonly txHash: Hash;
  readonly message: Uint8Array;
  readonly inputs: readonly (SpentRing & {
    readonly output: Pick<
      OwnedOutput,
      'publicKey' | 'derivationKey' | 'outputIndex' | 'subaddress' | 'carrot'
    >;
  })[];
  readonly keys: { readonly viewSecret: SecretKey; readonly spendSecret: SecretKey };
}

/**
 * Signs a message with every ring of a transaction.
 * @returns `SpendProofV1` followed by base58.
 * @throws ProofError `fork_proof` for an output in the form of the fork. @throws ScanError for a ring that lacks the spent output or contains an invalid key. Source:
 * wallet2.cpp `get_spend_proof`.
 */
export function proveSpend({ txHash, message, inputs, keys }: SpendToProve, rng: Rng): string {
  assertProvable(inputs.map(({ output }) => output));
  const signed = proofMessage(txHash, message);
  return inputs.reduce((text, { keyImage, ring, output }) => {
    const realIndex = ring.findIndex((key) => equalBytes(key, output.publicKey));
    if (realIndex < 0 || !loadCurve().arePoints(ring))
      throw wrongTransaction('a ring without the output it spends');
    const derivation = keyDerivation(output.derivationKey, keys.viewSecret);
    const secret = outputSecretKey(keys, derivation, output.outputIndex, output.subaddress);
    const signatures = signRing(signed, keyImage, ring, secret, realIndex, rng);
    secret.fill(0);
    return text + signatures.map(encodeBase58).join('');
  }, HEADER);
}

/** Signatures of a spend proof, with the rings to which they belong. A plain value. */
export interface SpendToCheck {
  readonly txHash: Hash;
  readonly message: Uint8Array;
  readonly inputs: readonly SpentRing[];
  /** For each input, one text per ring member. */
  readonly signatures: readonly (readonly string[])[];
}

/**
 * Verifies a spend proof; false for a transaction without inputs.
 * @throws ProofError `bad_proof` Source: wallet2.cpp `check_spend_proof`.
 */
export function checkSpend({ txHash, message, inputs, signatures }: SpendToCheck): boolean {
  const signed = proofMessage(txHash, message);
  const decoded = signatures.map((ring) => ring.map(proofBytes));
  if (inputs.length === 0) return false;
  return inputs.every(
    ({ keyImage, ring }, i) =>
      isInMainSubgroup(keyImage) && checkRing(signed, keyImage, ring, decoded[i] ?? []),
  );
}
