import { unixSeconds } from '../../util/clock.js';
import type { OwnedOutput } from '../../monero/wallet/scan/findings.js';
import { isUnlocked } from '../../monero/cryptonote/unlock-time.js';
import type { WalletContext } from '../context/wallet-context.js';

/** True for an unspent, unlocked output that is neither frozen nor burnt. */
export function isSpendableNow(
  { store, clock }: Pick<WalletContext, 'clock' | 'store'>,
  output: OwnedOutput,
): boolean {
  const { frozen, spentBy, burnt } = output;
  return isUnlocked(output, store.height(), unixSeconds(clock)) && !frozen && !burnt && spentBy === undefined;
}
