import { publicKeyOf } from '../../crypto/derivation.js';
import { toScalar } from '../../crypto/scalar.js';
import type { PublicKey, SecretKey } from '../../crypto/types.js';
import { compareBytes, equalBytes, fromHex, isHex, toHex } from '../../../util/bytes.js';
import { CodecError, Reader, u32, Writer } from '../../../util/codec.js';
import { MAX_SIGNERS, type MultisigAccount } from './account.js';
import { choose } from './combinations.js';

/*
 * Multisig seed: threshold, number of signers, the signer's own secret, spend key, view secret and view key of the
 * group, the secret shares and all signers, in hex without a checksum.
 * Source: wallet2.cpp `get_multisig_seed`, `generate`.
 */

/** Returns the seed of a multisig wallet. @param account account that is ready: see {@link isReady}. */
export function multisigSeed(account: MultisigAccount): string {
  const { threshold, signers, signerSecret, spendPublicKey, commonSecret, shares } = account;
  const w = new Writer();
  u32.write(threshold, w);
  u32.write(signers.length, w);
  for (const part of [signerSecret, spendPublicKey, commonSecret, publicKeyOf(commonSecret)]) w.bytes(part);
  for (const part of [...shares, ...signers]) w.bytes(part);
  return toHex(w.finish());
}

/**
 * Parses a seed.
 * @throws CodecError whose text is a predicate with the seed as subject, and does not contain its secrets.
 */
export function readMultisigSeed(text: string): MultisigAccount {
  if (!isHex(text)) throw new CodecError('it is not hex, as multisig seeds are');
  const r = new Reader(fromHex(text));
  const [threshold, total] = [u32.read(r), u32.read(r)];
  if (threshold < 1 || threshold > total || total < 2 || total > MAX_SIGNERS)
    throw new CodecError('its threshold and number of signers are impossible');
  const count = choose(total - 1, total - threshold);
  if (r.remaining !== 32 * (4 + count + total)) throw new CodecError('its length does not match its group');
  const secret = (): SecretKey => {
    const bytes = r.take(32) as SecretKey;
    try {
      toScalar(bytes);
    } catch (cause) {
      throw new CodecError('it has an invalid secret key', { cause });
    }
    return bytes;
  };
  const publicKey = (): PublicKey => r.take(32) as PublicKey;
  const signerSecret = secret();
  const spendPublicKey = publicKey();
  const commonSecret = secret();
  const viewPublicKey = publicKey();
  const shares = Array.from({ length: count }, secret);
  const signers = Array.from({ length: total }, publicKey).sort(compareBytes);
  if (!equalBytes(publicKeyOf(commonSecret), viewPublicKey))
    throw new CodecError('its view secret and view key do not match');
  const ownKey = publicKeyOf(signerSecret);
  if (!signers.some((signer) => equalBytes(signer, ownKey)))
    throw new CodecError('its own signer is not a member of the group');
  return {
    threshold,
    signers,
    signerSecret,
    commonSecret,
    spendPublicKey,
    shares,
    roundKeys: [],
    roundsPassed: total - threshold + 2,
  };
}
