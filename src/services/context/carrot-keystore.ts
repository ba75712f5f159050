import type { SecretKey } from '../../monero/crypto/types.js';
import type { Language } from '../../monero/cryptonote/languages.js';
import { encodeMnemonic } from '../../monero/cryptonote/mnemonic.js';
import { accountSecretsIn, type CarrotKeys } from '../../monero/wallet/carrot-keys.js';
import { KeyError, type WalletKeys } from '../../monero/wallet/keys.js';
import { WalletError } from '../../model/wallet-error.js';
import type { KeysFile } from '../../store/keys/keys-file.js';
import { toHex } from '../../util/bytes.js';

/** Returns the secrets of a keys file of an account of the fork. */
export function carrotSecrets(keys: WalletKeys, carrot: CarrotKeys): Pick<KeysFile, 'carrot' | 'viewSecret'> {
  const secrets = accountSecretsIn(keys, carrot);
  return {
    carrot: secrets,
    viewSecret:
      secrets.tier === 'generate-address' ? (new Uint8Array(32) as SecretKey) : keys.viewSecret.expose(),
  };
}

/**
 * Returns a key of an account of the fork, or its seed.
 * @throws WalletError `wrong_key_type`, `view_only`; KeyError `legacy_account_needed`, `sees_no_payments`
 */
export function queryCarrot(keys: WalletKeys, carrot: CarrotKeys, type: string, language: Language): string {
  const { balance, masterSecret, addressSecret, accountViewKey } = carrot;
  const held = <T>(key: T | undefined, name: string): T => {
    if (key !== undefined) return key;
    const text = `The wallet is watch-only. Cannot retrieve ${name}.`;
    throw new WalletError({ kind: 'view_only', text });
  };
  switch (type) {
    case 'mnemonic':
      return encodeMnemonic(held(masterSecret, 'seed').expose(), language);
    case 'master_secret':
      return toHex(held(masterSecret, 'master secret').expose());
    case 'balance_secret':
      return toHex(held(balance, 'balance secret').balanceSecret.expose());
    case 'partial_spend_key':
      return toHex(held(balance, 'partial spend key').partialSpendKey);
    case 'view_key':
      return toHex(keys.viewSecret.expose());
    case 'address_secret':
      return toHex(addressSecret.expose());
    case 'account_view_key':
      return toHex(accountViewKey);
    case 'spend_key':
      throw new KeyError({ kind: 'legacy_account_needed' });
    default:
      throw new WalletError({ kind: 'wrong_key_type', given: type });
  }
}
