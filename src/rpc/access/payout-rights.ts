import { WalletError } from '../../model/wallet-error.js';
import type { Credential } from './credential.js';

/**
 * Checks that a credential may act on the payouts of an account. @param account undefined: the whole wallet.
 * @throws WalletError `credential_denied`
 */
export function assertAccountRight(credential: Credential | undefined, account: number | undefined): void {
  const accounts = credential?.rules.payouts?.accounts;
  if (accounts === undefined || (account !== undefined && accounts.includes(account))) return;
  const place = account === undefined ? 'the whole wallet' : `account ${account}`;
  throw new WalletError({
    kind: 'credential_denied',
    reason: `credential ${credential?.name ?? ''}: payouts.accounts: payouts of ${place} are not allowed`,
  });
}
