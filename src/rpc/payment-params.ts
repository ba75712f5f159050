import type * as z from 'zod';
import { flag, text, u32, u64 } from '../http/params.js';
import type { Spender } from '../monero/wallet/model/spender.js';
import { WalletError } from '../monero/wallet/model/wallet-error.js';
import type { ResultFields } from './payment-shapes.js';

/** Parameters of all methods that make transactions, for the fields of the result. */
export const resultParams = {
  do_not_relay: flag.default(false),
  get_tx_hex: flag.default(false),
  get_tx_metadata: flag.default(false),
  // The specification and upstream differ in its name for some methods.
  get_tx_key: flag.default(false),
  get_tx_keys: flag.default(false),
};

/** Parameters of all methods that make payments. `ring_size` is ignored: the network has a fixed one. */
export const paymentParams = {
  ...resultParams,
  priority: u32.default(0),
  ring_size: u64.default(0n),
  unlock_time: u64.default(0n),
  payment_id: text.default(''),
};

type ResultParams = z.output<z.ZodObject<typeof resultParams>>;
type PaymentParams = z.output<z.ZodObject<typeof paymentParams>>;

/** Options of a payment. @throws WalletError `wrong_payment_id` for a standalone payment id: these are obsolete. */
export function paymentOptions(args: PaymentParams, spender: Spender | undefined) {
  if (args.payment_id !== '')
    throw new WalletError({
      kind: 'wrong_payment_id',
      reason: 'standalone payment ids are obsolete: use an integrated address',
      text: 'Standalone payment IDs are obsolete. Use subaddresses or integrated addresses instead',
    });
  return {
    priority: args.priority,
    unlockTime: args.unlock_time,
    doNotRelay: args.do_not_relay,
    withMetadata: args.get_tx_metadata,
    spender,
  };
}

export const resultFields = (args: ResultParams): ResultFields => ({
  keys: args.get_tx_key || args.get_tx_keys,
  blobs: args.get_tx_hex,
  metadata: args.get_tx_metadata,
});
