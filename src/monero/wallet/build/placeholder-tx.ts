import { IDENTITY, type Curve } from '../../crypto/curve/curve.js';
import { isIdentity } from '../../crypto/curve/points.js';
import { publicKeyOf, randomSecretKey } from '../../crypto/derivation.js';
import { loadCurve } from '../../crypto/curve/load-curve.js';
import { randomScalar, scalarBytes } from '../../crypto/scalar.js';
import type { KeyImage } from '../../crypto/types.js';
import type { Clsag, ProofPoint, ProofScalar } from '../../ringct/types.js';
import type { Rng } from '../../../util/random.js';
import type { UnsignedTx } from './construction.js';
import { proveTransaction, signedTx, type SignedTx } from './signing.js';

/*
 * Transactions of wallets without a spend key. They are complete except for key images and ring signatures, so that a
 * client gets hash, blob and keys as from a wallet that signs. No node accepts these transactions, and the wallet with
 * the spend key makes another transaction of the same inputs and payees.
 */

/**
 * Key image of each input in a wallet without a spend key: `0·Hp(P)`. Source: cryptonote_format_utils.cpp
 * `generate_key_image_helper_precomp`.
 */
export const PLACEHOLDER_KEY_IMAGE: KeyImage = Uint8Array.from(IDENTITY) as KeyImage;

/** Returns true for the key image of an input for which no spend key was used. */
export const isPlaceholder = (keyImage: KeyImage): boolean => isIdentity(keyImage);

/** Returns a ring signature of random values, which is not valid. */
const placeholderSignature = (ringSize: number, rng: Rng): Clsag => {
  const scalar = (): ProofScalar => scalarBytes(randomScalar(rng)) as unknown as ProofScalar;
  return {
    s: Array.from({ length: ringSize }, scalar),
    c1: scalar(),
    D: publicKeyOf(randomSecretKey(rng)) as unknown as ProofPoint,
  };
};

/**
 * Adds range proof, pseudo outputs and placeholder signatures to a transaction.
 * @throws RangeError if the amounts do not balance.
 */
export function placeholderTx(unsigned: UnsignedTx, rng: Rng, curve: Curve = loadCurve()): SignedTx {
  const { base, prunable } = proveTransaction(unsigned, rng, curve);
  const clsags = unsigned.inputs.map(({ ring }) => placeholderSignature(ring.members.length, rng));
  return signedTx(unsigned, { prefix: unsigned.prefix, rct: { base, prunable: { ...prunable, clsags } } });
}
