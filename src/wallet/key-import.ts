import { publicKeyOf } from '../crypto/derivation.js';
import type { PublicKey, SecretKey } from '../crypto/types.js';
import { viewSecretFromSpend, type AccountKeys } from '../cryptonote/account-keys.js';
import { tryParseAddress } from '../cryptonote/address.js';
import type { NetworkType } from '../cryptonote/types.js';
import { equalBytes, fromHex, isHex } from '../util/bytes.js';
import { WalletError } from './model/wallet-error.js';

/** Keys as a caller writes them; an empty text is left out. */
export interface GivenKeys {
  readonly address: string;
  readonly viewKey: string;
  /** Left out for a view-only wallet. */
  readonly spendKey: string;
}

/** @param text upstream's message for it. */
const invalid = (reason: string, text: string, cause?: unknown): WalletError =>
  new WalletError({ kind: 'invalid', reason, text }, { cause });

const unreadable = (what: string): string => `Failed to parse ${what} key secret key`;

function readSecret(hex: string, what: string): SecretKey {
  if (!isHex(hex) || hex.length !== 64) throw invalid(`the ${what} key has 64 hex digits`, unreadable(what));
  const secret = fromHex(hex) as SecretKey;
  if (equalBytes(secret, new Uint8Array(32))) throw invalid(`the ${what} key is zero`, unreadable(what));
  return secret;
}

function publicKey(secret: SecretKey, what: string): PublicKey {
  try {
    return publicKeyOf(secret);
  } catch (cause) {
    // Not below the group's order.
    if (cause instanceof RangeError)
      throw invalid(`the ${what} key is not a secret key`, unreadable(what), cause);
    throw cause;
  }
}

/**
 * Keys of an account, every secret one checked against the address. A spend key alone is enough: a view key
 * and an address that are left out are those that follow from it.
 * @throws WalletError `invalid`. Source: wallet_rpc_server.cpp `on_generate_from_keys`.
 */
export function readGivenKeys({ address, viewKey, spendKey }: GivenKeys, network: NetworkType): AccountKeys {
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
  const own = spendSecret === undefined ? undefined : publicKey(spendSecret, 'spend');
  const claimed = address === '' ? undefined : tryParseAddress(address, network);
  if (address !== '' && claimed === undefined)
    throw invalid('the address cannot be read', 'Failed to parse public address');
  const spendPublicKey = own ?? claimed?.spendPublicKey;
  if (spendPublicKey === undefined)
    throw invalid('an address is needed', "field 'address' is mandatory. Please provide a public address.");
  if (claimed !== undefined && !equalBytes(claimed.viewPublicKey, viewPublicKey))
    throw invalid(
      'the view key does not belong to the address',
      'view secret key does not match main address',
    );
  if (claimed !== undefined && !equalBytes(claimed.spendPublicKey, spendPublicKey))
    throw invalid(
      'the spend key does not belong to the address',
      'spend secret key does not match main address',
    );
  return { spendPublicKey, viewPublicKey, viewSecret, ...(spendSecret === undefined ? {} : { spendSecret }) };
}
