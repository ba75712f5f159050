import { keyDerivation } from '../../crypto/derivation.js';
import { keccak } from '../../crypto/keccak.js';
import { inMainSubgroup, tryDecompress } from '../../crypto/point.js';
import { checkRing, signRing } from '../../crypto/ring-signature.js';
import type { Hash, KeyImage, PublicKey, SecretKey } from '../../crypto/types.js';
import { encodeBase58 } from '../../cryptonote/base58.js';
import type { Transaction } from '../../cryptonote/types.js';
import type { Amount } from '../../util/amount.js';
import { equalBytes } from '../../util/bytes.js';
import type { Rng } from '../../util/random.js';
import { WalletError } from '../model/wallet-error.js';
import { badProof, proofBytes, SIGNATURE_CHARS, WRONG_HEADER } from './proof-text.js';
import { outputSecretKey } from '../scan/receive.js';
import type { OwnedOutput } from '../model/records.js';

/** An input, and which outputs stand in its ring. */
export interface RingReference {
  readonly keyImage: KeyImage;
  /** What outputs of before RingCT in the ring hold; zero for RingCT ones. */
  readonly amount: Amount;
  /** Among all outputs of the amount, ascending. */
  readonly globalIndices: readonly number[];
}

/** An input with the keys of its ring. Plain data. */
export interface SpentRing {
  readonly keyImage: KeyImage;
  readonly ring: readonly PublicKey[];
}

/** @throws WalletError `daemon_misbehaves` for offsets that no transaction of the chain has. */
export function ringReferences(tx: Transaction): RingReference[] {
  return tx.prefix.inputs.flatMap((input) => {
    if (input.type === 'gen') return [];
    let index = 0n;
    const globalIndices = input.keyOffsets.map((offset) => {
      index += offset;
      if (index > BigInt(Number.MAX_SAFE_INTEGER))
        throw new WalletError({ kind: 'daemon_misbehaves', reason: 'a ring of outputs that cannot exist' });
      return Number(index);
    });
    return [{ keyImage: input.keyImage, amount: input.amount, globalIndices }];
  });
}

const HEADER = 'SpendProofV1';

/** The signatures of a proof, in a row. @throws WalletError `bad_proof` without its header. */
export function spendProofBody(proof: string): string {
  if (!proof.startsWith(HEADER)) throw badProof(`the proof does not start with ${HEADER}`, WRONG_HEADER);
  return proof.slice(HEADER.length);
}

/** One text a ring member. @returns undefined when there are not as many. */
export function spendSignatures(body: string, ringSizes: readonly number[]): string[][] | undefined {
  if (body.length !== SIGNATURE_CHARS * ringSizes.reduce((total, size) => total + size, 0)) return undefined;
  let at = 0;
  return ringSizes.map((size) => Array.from({ length: size }, () => body.slice(at, (at += SIGNATURE_CHARS))));
}

/** What a proof signs: the transaction and a text of the caller's choice. */
const proofMessage = (txHash: Hash, message: Uint8Array): Hash => keccak(txHash, message);

/** A transaction of ours whose making is proved. Plain data. */
export interface SpendToProve {
  readonly txHash: Hash;
  readonly message: Uint8Array;
  readonly inputs: readonly (SpentRing & {
    readonly output: Pick<OwnedOutput, 'publicKey' | 'derivationKey' | 'outputIndex' | 'subaddress'>;
  })[];
  readonly keys: { readonly viewSecret: SecretKey; readonly spendSecret: SecretKey };
}

/**
 * Signs every ring once more, over the message.
 * @returns `SpendProofV1` and base58. @throws WalletError `daemon_misbehaves` for rings that are not ours.
 * Source: wallet2.cpp `get_spend_proof`.
 */
export function proveSpend({ txHash, message, inputs, keys }: SpendToProve, rng: Rng): string {
  const signed = proofMessage(txHash, message);
  return inputs.reduce((text, { keyImage, ring, output }) => {
    const realIndex = ring.findIndex((key) => equalBytes(key, output.publicKey));
    if (realIndex < 0 || ring.some((key) => tryDecompress(key) === undefined))
      throw new WalletError({ kind: 'daemon_misbehaves', reason: 'a ring without the output it spends' });
    const derivation = keyDerivation(output.derivationKey, keys.viewSecret);
    const secret = outputSecretKey(keys, derivation, output.outputIndex, output.subaddress);
    const signatures = signRing(signed, keyImage, ring, secret, realIndex, rng);
    secret.fill(0);
    return text + signatures.map(encodeBase58).join('');
  }, HEADER);
}

/** A proof cut into signatures, and the rings they are for. Plain data. */
export interface SpendToCheck {
  readonly txHash: Hash;
  readonly message: Uint8Array;
  readonly inputs: readonly SpentRing[];
  /** One text a ring member. */
  readonly signatures: readonly (readonly string[])[];
}

/** A transaction without inputs was made by nobody. @throws WalletError `bad_proof` Source: wallet2.cpp `check_spend_proof`. */
export function checkSpend({ txHash, message, inputs, signatures }: SpendToCheck): boolean {
  const signed = proofMessage(txHash, message);
  const decoded = signatures.map((ring) => ring.map(proofBytes));
  if (inputs.length === 0) return false;
  return inputs.every(({ keyImage, ring }, i) => {
    const image = tryDecompress(keyImage);
    return (
      image !== undefined && inMainSubgroup(image) && checkRing(signed, keyImage, ring, decoded[i] ?? [])
    );
  });
}
