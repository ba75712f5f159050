import { publicKeyOf } from '../crypto/derivation.js';
import type { PublicKey, SecretKey } from '../crypto/types.js';
import { viewSecretFromSpend, type AccountKeys } from '../cryptonote/account-keys.js';
import { otherNetwork, tryParseAddress } from '../cryptonote/address.js';
import type { NetworkType } from '../cryptonote/types.js';
import { equalBytes, fromHex, isHex } from '../../util/bytes.js';
import { KeyError } from './keys.js';

/**
 * Texts of a request to import keys; an empty text stands for an absent text.
 * @example
 * const texts: KeyTexts = { address: primary, viewKey: toHex(account.viewSecret), spendKey: '' };
 * parseAccountKeys(texts, 'mainnet').spendSecret; // => undefined
 */
export interface KeyTexts {
  readonly address: string;
  readonly viewKey: string;
  /** Spend secret key in hex; empty for a view-only wallet. */
  readonly spendKey: string;
}

/** Returns the error for an invalid request. @param text message of the reference for the same cause. */
const invalid = (reason: string, text: string, cause?: unknown): KeyError =>
  new KeyError({ kind: 'invalid', reason, text }, { cause });

const unreadable = (keyName: string): string => `Failed to parse ${keyName} key secret key`;

function readSecret(hex: string, keyName: string): SecretKey {
  if (!isHex(hex) || hex.length !== 64)
    throw invalid(`the ${keyName} key has 64 hex digits`, unreadable(keyName));
  const secret = fromHex(hex) as SecretKey;
  if (equalBytes(secret, new Uint8Array(32)))
    throw invalid(`the ${keyName} key is zero`, unreadable(keyName));
  return secret;
}

function publicKey(secret: SecretKey, keyName: string): PublicKey {
  try {
    return publicKeyOf(secret);
  } catch (cause) {
    // The scalar is not below the group order ℓ.
    if (cause instanceof RangeError)
      throw invalid(`the ${keyName} key is not a secret key`, unreadable(keyName), cause);
    throw cause;
  }
}

/**
 * Parses account keys and checks each secret key against the address. A spend secret key alone suffices: an absent view
 * key or address is derived from it.
 * @throws KeyError `invalid`. Source: wallet_rpc_server.cpp `on_generate_from_keys`.
 * @example
 * const texts = { address: '', viewKey: '', spendKey: toHex(account.spendSecret) };
 * equalBytes(parseAccountKeys(texts, 'mainnet').viewSecret, account.viewSecret); // => true
 */
export function parseAccountKeys(
  { address, viewKey, spendKey }: KeyTexts,
  network: NetworkType,
): AccountKeys {
  const spendSecret = spendKey === '' ? undefined : readSecret(spendKey, 'spend');
  if (spendSecret === undefined && viewKey === '')
    throw invalid(
      'a view key is needed',
      "field 'viewkey' is mandatory. Please provide a view key you want to restore from.",
    );
  const viewSecret =
    viewKey === '' && spendSecret !== undefined
      ? viewSecretFromSpend(spendSecret)
      : readSecret(viewKey, 'view');
  const viewPublicKey = publicKey(viewSecret, 'view');
  const derivedSpendKey = spendSecret === undefined ? undefined : publicKey(spendSecret, 'spend');
  const givenAddress = address === '' ? undefined : tryParseAddress(address, network);
  if (address !== '' && givenAddress === undefined)
    throw invalid(
      otherNetwork(address, network) ?? 'the address cannot be read',
      'Failed to parse public address',
    );
  const spendPublicKey = derivedSpendKey ?? givenAddress?.spendPublicKey;
  if (spendPublicKey === undefined)
    throw invalid(
      'an address is needed: a view key alone does not give the spend key of an address',
      "field 'address' is mandatory. Please provide a public address.",
    );
  if (givenAddress !== undefined && !equalBytes(givenAddress.viewPublicKey, viewPublicKey))
    throw invalid(
      'the view key does not belong to the address',
      'view secret key does not match main address',
    );
  if (givenAddress !== undefined && !equalBytes(givenAddress.spendPublicKey, spendPublicKey))
    throw invalid(
      'the spend key does not belong to the address',
      'spend secret key does not match main address',
    );
  return { spendPublicKey, viewPublicKey, viewSecret, ...(spendSecret === undefined ? {} : { spendSecret }) };
}
