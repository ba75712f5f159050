import type { AccountSecrets, AccountTier } from '../../../src/monero/carrot/account-secrets.js';
import type { PublicKey, SecretKey } from '../../../src/monero/crypto/types.js';
import { fromHex } from '../../../src/util/bytes.js';
import { casesOf } from '../../monero/carrot/vector-cases.js';

const [first] = casesOf('account-new');
if (first === undefined) throw new Error('no vectors of accounts');

/** Keys of the first account of the fork among the vectors, in hex, and its addresses. */
export const VECTOR = {
  ...(first.expected as unknown as Readonly<
    Record<
      'K_ps' | 's_vb' | 'k_gi' | 'k_v' | 's_ga' | 'K_s' | 'K_v_account' | 'K_v_main' | 'address' | 'k_ps',
      string
    >
  > & {
    readonly subaddresses: readonly { readonly index: readonly [number, number]; readonly address: string }[];
  }),
  s_m: first.s_m as string,
};

const publicKey = (hex: string): PublicKey => fromHex(hex) as PublicKey;

/** Keys from which those of each tier of this account follow. */
export const SECRETS: { readonly [T in AccountTier]: Extract<AccountSecrets, { tier: T }> } = {
  master: { tier: 'master', masterSecret: fromHex(VECTOR.s_m) },
  'view-balance': {
    tier: 'view-balance',
    balanceSecret: fromHex(VECTOR.s_vb),
    partialSpendKey: publicKey(VECTOR.K_ps),
  },
  'view-received': {
    tier: 'view-received',
    viewSecret: fromHex(VECTOR.k_v) as SecretKey,
    addressSecret: fromHex(VECTOR.s_ga),
    spendPublicKey: publicKey(VECTOR.K_s),
  },
  'generate-address': {
    tier: 'generate-address',
    addressSecret: fromHex(VECTOR.s_ga),
    spendPublicKey: publicKey(VECTOR.K_s),
    accountViewKey: publicKey(VECTOR.K_v_account),
    mainViewKey: publicKey(VECTOR.K_v_main),
  },
};
