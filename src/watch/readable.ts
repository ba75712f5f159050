import { faultOf } from '../model/wallet-error.js';

/** Reads a value from the store of an open wallet; undefined if the store is damaged or the wallet was closed. */
export function readable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (faultOf(error) !== undefined) return undefined;
    throw error;
  }
}
