import type { Bytes } from '../../util/bytes.js';

/**
 * Hash: 32 bytes, Keccak-256.
 * @example
 * const hash: Hash = transactionHash(tx);
 * toHex(hash).slice(0, 8); // => '873e118d'
 */
export type Hash = Bytes<'Hash'>;
/**
 * 32 bytes, compressed Edwards point; not necessarily on the curve until checked.
 * @example
 * const key: PublicKey = publicKeyOf(account.viewSecret);
 * equalBytes(key, account.viewPublicKey); // => true
 */
export type PublicKey = Bytes<'PublicKey'>;
/**
 * 32 bytes, little-endian scalar below ℓ. Secret unless a comment says otherwise.
 * @example
 * const secret: SecretKey = randomSecretKey(systemRng);
 * secret.length; // => 32
 */
export type SecretKey = Bytes<'SecretKey'>;
/**
 * 32 bytes, compressed point `x·Hp(X)`.
 * @example
 * const image: KeyImage = keyImageOf(found[1].outputs[0], account);
 * equalBytes(image, found[1].outputs[0].keyImage); // => true
 */
export type KeyImage = Bytes<'KeyImage'>;
/**
 * Key derivation: 32 bytes, compressed point `8·a·R`. Secret, because it reveals the outputs and amounts of the
 * transaction.
 * @example
 * const derivation: KeyDerivation = bytes32(new Uint8Array(32), 'KeyDerivation');
 * derivation.length; // => 32
 */
export type KeyDerivation = Bytes<'KeyDerivation'>;
/**
 * 32 bytes, compressed point `mask·G + amount·H`.
 * @example
 * const commitment: Commitment = bytes32(new Uint8Array(32), 'Commitment');
 * commitment.length; // => 32
 */
export type Commitment = Bytes<'Commitment'>;
/**
 * 64 bytes: scalars `c`, `r`.
 * @example
 * const { signature }: { signature: Signature } = signKeyImage(found[0].outputs[0], account, systemRng);
 * signature.length; // => 64
 */
export type Signature = Bytes<'Signature'>;
