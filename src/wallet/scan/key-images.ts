import { deriveSubaddressPublicKey, keyDerivation, keyImage, publicKeyOf } from '../../crypto/derivation.js';
import { inMainSubgroup, tryDecompress } from '../../crypto/point.js';
import { checkRing, signRing } from '../../crypto/ring-signature.js';
import type { Hash, KeyImage, PublicKey, SecretKey, Signature } from '../../crypto/types.js';
import type { SubaddressIndex } from '../../cryptonote/types.js';
import { equalBytes } from '../../util/bytes.js';
import type { Rng } from '../../util/random.js';
import { outputSecretKey } from './receive.js';

/** What names an output to somebody who does not see the chain. */
export interface OutputHint {
  readonly publicKey: PublicKey;
  /** Within its transaction. */
  readonly outputIndex: number;
  readonly txPublicKey: PublicKey;
  readonly additionalKeys: readonly PublicKey[];
}

/** Whom an output pays if this key of its transaction opens it. */
export interface OutputCandidate {
  readonly derivationKey: PublicKey;
  readonly spendPublicKey: PublicKey;
}

/** An output with all but the secrets that spend it. */
export interface LocatedOutput {
  readonly publicKey: PublicKey;
  readonly outputIndex: number;
  readonly derivationKey: PublicKey;
  readonly subaddress: SubaddressIndex;
}

/** A key image with the proof that it is that of an output. */
export interface SignedKeyImage {
  readonly keyImage: KeyImage;
  readonly signature: Signature;
}

export interface SpendingKeys {
  readonly viewSecret: SecretKey;
  readonly spendSecret: SecretKey;
}

/**
 * The addresses that an output may pay: one a key that may open it; keys that are no points are passed over.
 * Source: cryptonote_format_utils.cpp `is_out_to_acc_precomp`.
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

/** @throws RangeError when the output is not ours after all. */
export function spendSecretOf(output: LocatedOutput, keys: SpendingKeys): SecretKey {
  const { publicKey, outputIndex, derivationKey, subaddress } = output;
  const derivation = keyDerivation(derivationKey, keys.viewSecret);
  const secret = outputSecretKey(keys, derivation, outputIndex, subaddress);
  if (!equalBytes(publicKeyOf(secret), publicKey)) throw new RangeError('the output is not of this wallet');
  return secret;
}

/** @throws RangeError when the output is not ours. */
export function keyImageOf(output: LocatedOutput, keys: SpendingKeys): KeyImage {
  return keyImage(output.publicKey, spendSecretOf(output, keys));
}

/** What is signed is the key image itself. */
const messageOf = (image: KeyImage): Hash => image as Uint8Array as Hash;

/** @throws RangeError when the output is not ours. Source: wallet2.cpp `export_key_images`. */
export function signKeyImage(output: LocatedOutput, keys: SpendingKeys, rng: Rng): SignedKeyImage {
  const secret = spendSecretOf(output, keys);
  const image = keyImage(output.publicKey, secret);
  const [signature] = signRing(messageOf(image), image, [output.publicKey], secret, 0, rng);
  if (signature === undefined) throw new Error('a ring of one has one signature');
  return { keyImage: image, signature };
}

/** outside: no key image of any output. unproven: perhaps of another output. */
export type KeyImageVerdict = 'proven' | 'outside' | 'unproven';

/** Source: wallet2.cpp `import_key_images`. */
export function judgeKeyImage(
  publicKey: PublicKey,
  { keyImage: image, signature }: SignedKeyImage,
): KeyImageVerdict {
  const point = tryDecompress(image);
  if (point === undefined || !inMainSubgroup(point)) return 'outside';
  return checkRing(messageOf(image), image, [publicKey], [signature]) ? 'proven' : 'unproven';
}
