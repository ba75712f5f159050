import type { Hash } from '../monero/crypto/types.js';
import { equalBytes } from '../util/bytes.js';
import { WalletError } from './wallet-error.js';

/** Call with an idempotency key: a repeated call with the key returns the result of the first one. */
export interface KeyedCall {
  readonly key: string;
  readonly method: string;
  /** Hash of the method's parameters. */
  readonly requestHash: Hash;
}

/** Checks that a call repeats the first call with its key. @throws WalletError `order_mismatch` */
export function assertRepeats(first: KeyedCall, { method, requestHash }: KeyedCall): void {
  if (!equalBytes(first.requestHash, requestHash) || first.method !== method)
    throw new WalletError({ kind: 'order_mismatch', method: first.method });
}
