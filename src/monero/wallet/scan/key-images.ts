import { deriveSubaddressPublicKey, keyDerivation, keyImage, publicKeyOf } from '../../crypto/derivation.js';
import { isInMainSubgroup } from '../../crypto/curve/points.js';
import { checkRing, signRing } from '../../crypto/ring-signature.js';
import type { Hash, KeyImage, PublicKey, SecretKey, Signature } from '../../crypto/types.js';
import type { SubaddressIndex } from '../../cryptonote/types.js';
import { equalBytes } from '../../../util/bytes.js';
import type { Rng } from '../../../util/random.js';
import { outputSecretKey } from '../../cryptonote/own-outputs.js';

/** Facts of an output from which a wallet without access to the chain recognises whether the output is its own. */
export interface OutputHint {
  readonly publicKey: PublicKey;
  /** Index of the output in its transaction. */
  readonly outputIndex: number;
  readonly txPublicKey: PublicKey;
  readonly additionalKeys: readonly PublicKey[];
}

/** Spend key of the address that an output pays if `derivationKey` is the right public key of its transaction. */
export interface OutputCandidate {
  readonly derivationKey: PublicKey;
  readonly spendPublicKey: PublicKey;
}

/** Public data of an output from which, together with the wallet's secret keys, the output's secret key is computed. */
export interface LocatedOutput {
  readonly publicKey: PublicKey;
  /** Index of the output in its transaction. */
  readonly outputIndex: number;
  /** Public key of the transaction whose derivation opens the output. */
  readonly derivationKey: PublicKey;
  /** Index of the paid address. */
  readonly subaddress: SubaddressIndex;
}

/** A key image with a signature by the output key. */
export interface SignedKeyImage {
  readonly keyImage: KeyImage;
  readonly signature: Signature;
}

/** Secret keys with which key images are computed. */
export interface SpendingKeys {
  readonly viewSecret: SecretKey;
  readonly spendSecret: SecretKey;
}

/**
 * Returns the candidates for the receiver of an output, one per public key that may be the right one. Invalid points
 * are left out. Source: cryptonote_format_utils.cpp `is_out_to_acc_precomp`.
 */
export function candidatesOf(
  { publicKey, outputIndex, txPublicKey, additionalKeys }: OutputHint,
  viewSecret: SecretKey,
): OutputCandidate[] {
  const own = additionalKeys[outputIndex];
  return [txPublicKey, ...(own === undefined ? [] : [own])].flatMap((derivationKey) => {
    try {
      const derivation = keyDerivation(derivationKey, viewSecret);
      return [
        { derivationKey, spendPublicKey: deriveSubaddressPublicKey(publicKey, derivation, outputIndex) },
      ];
    } catch (error) {
      if (error instanceof RangeError) return [];
      throw error;
    }
  });
}

/** Computes the secret key of an output. @throws RangeError if the output does not belong to the wallet. */
export function spendSecretOf(output: LocatedOutput, keys: SpendingKeys): SecretKey {
  const { publicKey, outputIndex, derivationKey, subaddress } = output;
  const derivation = keyDerivation(derivationKey, keys.viewSecret);
  const secret = outputSecretKey(keys, derivation, outputIndex, subaddress);
  derivation.fill(0);
  if (!equalBytes(publicKeyOf(secret), publicKey))
    throw new RangeError('the output does not belong to this wallet');
  return secret;
}

/** Computes the key image of an output. @throws RangeError if the output does not belong to the wallet. */
export function keyImageOf(output: LocatedOutput, keys: SpendingKeys): KeyImage {
  const secret = spendSecretOf(output, keys);
  const image = keyImage(output.publicKey, secret);
  secret.fill(0);
  return image;
}

/** Returns the message that is signed, which is the key image itself. */
const messageOf = (image: KeyImage): Hash => image as Uint8Array as Hash;

/**
 * Computes and signs the key image of an output.
 * @throws RangeError if the output does not belong to the wallet. Source: wallet2.cpp `export_key_images`.
 */
export function signKeyImage(output: LocatedOutput, keys: SpendingKeys, rng: Rng): SignedKeyImage {
  const secret = spendSecretOf(output, keys);
  const image = keyImage(output.publicKey, secret);
  const [signature] = signRing(messageOf(image), image, [output.publicKey], secret, 0, rng);
  secret.fill(0);
  if (signature === undefined) throw new Error('a ring of one has one signature');
  return { keyImage: image, signature };
}

/**
 * Result of verifying a key image. `outside`: it does not lie in the prime-order subgroup. `unproven`: the signature is
 * not by the key of this output.
 */
export type KeyImageVerdict = 'proven' | 'outside' | 'unproven';

/** Verifies a key image and its signature against the output key. Source: wallet2.cpp `import_key_images`. */
export function verifyKeyImage(
  publicKey: PublicKey,
  { keyImage: image, signature }: SignedKeyImage,
): KeyImageVerdict {
  if (!isInMainSubgroup(image)) return 'outside';
  return checkRing(messageOf(image), image, [publicKey], [signature]) ? 'proven' : 'unproven';
}
