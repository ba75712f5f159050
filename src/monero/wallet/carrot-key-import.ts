import { tierKeysOf, type AccountSecrets } from '../carrot/account-secrets.js';
import { otherNetwork, tryParseAddress } from '../cryptonote/address.js';
import type { Address, NetworkType } from '../cryptonote/types.js';
import type { PublicKey, SecretKey } from '../crypto/types.js';
import { equalBytes, fromHex, isHex } from '../../util/bytes.js';
import { KeyError } from './keys.js';
import type { KeyTexts } from './key-import.js';

/** Texts of a request to import keys of an account of either kind; an empty text stands for an absent text. */
export type CarrotKeyTexts = KeyTexts & Partial<ForkKeyTexts>;

/** Texts of the keys that accounts of the fork alone have. */
interface ForkKeyTexts {
  /** Master secret s_m in hex. */
  readonly masterSecret: string;
  /** View-balance secret s_vb in hex, with which `partialSpendKey` is needed. */
  readonly balanceSecret: string;
  /** Public key `k_ps·T` in hex. */
  readonly partialSpendKey: string;
  /** Generate-address secret s_ga in hex, with which an address is needed, and a view key or `accountViewKey`. */
  readonly addressSecret: string;
  /** Public key `k_v·K_s` in hex. */
  readonly accountViewKey: string;
}

const invalid = (reason: string, cause?: unknown): KeyError =>
  new KeyError({ kind: 'invalid', reason }, { cause });

const NONE: ForkKeyTexts = {
  masterSecret: '',
  balanceSecret: '',
  partialSpendKey: '',
  addressSecret: '',
  accountViewKey: '',
};

/** True if a request names keys that accounts of the fork alone have. */
export const namesCarrotKeys = (texts: CarrotKeyTexts): boolean =>
  Object.keys(NONE).some((name) => (texts[name as keyof ForkKeyTexts] ?? '') !== '');

/**
 * Parses the keys of a tier of an account of the fork, and checks them against each other. The highest named secret decides the
 * tier; every other given key must be the one that follows from it. In the tier that makes addresses alone, nothing shows
 * whether the three public keys belong together.
 * @throws KeyError `invalid`
 */
export function parseCarrotKeys(named: CarrotKeyTexts, network: NetworkType): AccountSecrets {
  const texts = { ...NONE, ...named };
  if (texts.spendKey !== '') throw invalid('an account of the fork has no spend key of the old kind');
  const address = texts.address === '' ? undefined : readAddress(texts.address, network);
  const secrets = secretsOf(texts, address);
  let keys;
  try {
    keys = tierKeysOf(secrets);
  } catch (cause) {
    if (cause instanceof RangeError) throw invalid('the keys are not keys of an account of the fork', cause);
    throw cause;
  }
  const { spendPublicKey, mainViewKey, addressSecret, accountViewKey, viewSecret, balance } = keys;
  const given: readonly (readonly [name: string, text: string, own: Uint8Array | undefined])[] = [
    ['balance_secret', texts.balanceSecret, balance?.balanceSecret],
    ['partial_spend_key', texts.partialSpendKey, balance?.partialSpendKey],
    ['viewkey', texts.viewKey, viewSecret],
    ['address_secret', texts.addressSecret, addressSecret],
    ['account_view_key', texts.accountViewKey, accountViewKey],
  ];
  for (const [name, text, own] of given)
    if (text !== '' && (own === undefined || !equalBytes(readKey(text, name), own)))
      throw invalid(`${name} does not belong to the other keys`);
  if (
    address !== undefined &&
    !(equalBytes(address.spendPublicKey, spendPublicKey) && equalBytes(address.viewPublicKey, mainViewKey))
  )
    throw invalid('the address does not belong to the keys');
  return secrets;
}

/** Returns the keys of the highest tier for which a request names all keys. @throws KeyError `invalid` */
function secretsOf(texts: Required<CarrotKeyTexts>, address: Address | undefined): AccountSecrets {
  const { masterSecret, balanceSecret, partialSpendKey, addressSecret, viewKey, accountViewKey } = texts;
  if (masterSecret !== '') return { tier: 'master', masterSecret: readKey(masterSecret, 'master_secret') };
  if (balanceSecret !== '') {
    if (partialSpendKey === '')
      throw invalid(
        'balance_secret needs partial_spend_key beside it, without which there are no key images',
      );
    return {
      tier: 'view-balance',
      balanceSecret: readKey(balanceSecret, 'balance_secret'),
      partialSpendKey: readKey(partialSpendKey, 'partial_spend_key') as PublicKey,
    };
  }
  if (addressSecret === '')
    throw invalid('an account of the fork needs master_secret, balance_secret or address_secret');
  if (address === undefined) throw invalid('address_secret needs the primary address beside it');
  const { spendPublicKey, viewPublicKey: mainViewKey } = address;
  const own = { addressSecret: readKey(addressSecret, 'address_secret'), spendPublicKey };
  if (viewKey !== '')
    return { tier: 'view-received', viewSecret: readKey(viewKey, 'viewkey') as SecretKey, ...own };
  if (accountViewKey === '') throw invalid('address_secret needs viewkey or account_view_key beside it');
  return {
    tier: 'generate-address',
    ...own,
    mainViewKey,
    accountViewKey: readKey(accountViewKey, 'account_view_key') as PublicKey,
  };
}

function readKey(hex: string, name: string): Uint8Array {
  if (!isHex(hex) || hex.length !== 64) throw invalid(`${name} has 64 hex digits`);
  return fromHex(hex);
}

function readAddress(text: string, network: NetworkType): Address {
  const address = tryParseAddress(text, network);
  if (address === undefined) throw invalid(otherNetwork(text, network) ?? 'the address cannot be read');
  if (address.kind !== 'standard') throw invalid('the address is not a primary address');
  return address;
}
