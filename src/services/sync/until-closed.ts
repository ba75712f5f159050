import { RefreshCancelled } from '../../refresh/refresh-error.js';
import { WalletError } from '../../model/wallet-error.js';

/** Waits for an answer of the refresh thread. @throws WalletError `no_wallet` if the wallet is closed meanwhile. */
export async function untilClosed<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (cause) {
    if (cause instanceof RefreshCancelled) throw new WalletError({ kind: 'no_wallet' }, { cause });
    throw cause;
  }
}
