import type * as z from 'zod';
import type { Spender } from '../model/spender.js';
import { WalletError } from '../model/wallet-error.js';
import { flag, text, u32, u64 } from '../http/methods/params.js';
import type { ResultFields } from './payment-shapes.js';

/** Parameters that select the optional fields of the result, for all methods that make transactions. */
export const resultParams = {
  do_not_relay: flag
    .default(false)
    .describe('Makes the transactions without relaying them: relay_tx relays them later'),
  get_tx_hex: flag.default(false).describe('Returns the transactions in hex, too'),
  get_tx_metadata: flag.default(false).describe('Returns the metadata that relay_tx takes, too'),
  // A field whose name differs between the specification and upstream for some methods.
  get_tx_key: flag.default(false).describe('Returns the secret keys of the transactions, too'),
  get_tx_keys: flag.default(false).describe('Returns the secret keys of the transactions, too'),
};

/** Parameters of all methods that make payments. `ring_size` is ignored: the network requires a fixed size. */
export const paymentParams = {
  ...resultParams,
  priority: u32
    .default(0)
    .describe('Priority of the fee, 1 (low) to 4 (high); 0: chosen by the state of the chain'),
  ring_size: u64.default(0n).describe('Ignored: rings have the size of the network'),
  unlock_time: u64
    .default(0n)
    .describe(
      'Height or Unix time [s] at which the outputs unlock; 0: at once; interface 1.32 refuses others (-50)',
    ),
  payment_id: text.default('').describe('Refused unless empty: integrated addresses contain payment ids'),
};

type ResultParams = z.output<z.ZodObject<typeof resultParams>>;
type PaymentParams = z.output<z.ZodObject<typeof paymentParams>>;

/**
 * Returns the options of a payment. @throws WalletError `wrong_payment_id` for a standalone payment id, which is
 * obsolete.
 */
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

/** Returns the optional fields of the result that the parameters request. */
export const resultFields = (args: ResultParams): ResultFields => ({
  keys: args.get_tx_key || args.get_tx_keys,
  blobs: args.get_tx_hex,
  metadata: args.get_tx_metadata,
});
