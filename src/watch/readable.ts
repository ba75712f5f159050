import { WalletError } from '../monero/wallet/model/wallet-error.js';

/** Reads from the store of an open wallet; undefined if it is damaged or was closed. */
export function readable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof WalletError) return undefined;
    throw error;
  }
}
