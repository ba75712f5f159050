import type { z } from 'zod';
import { flag, text, u32, u64 } from '../jsonrpc/params.js';
import { WalletError } from '../wallet/model/wallet-error.js';
import type { Wanted } from './payment-shapes.js';

/** What every method that makes transactions is told of what to answer. */
export const answerParams = {
  do_not_relay: flag.default(false),
  get_tx_hex: flag.default(false),
  get_tx_metadata: flag.default(false),
  // The specification and upstream name it differently for some methods.
  get_tx_key: flag.default(false),
  get_tx_keys: flag.default(false),
};

/** What every method that pays somebody takes. The ring size is the network's, whatever is asked for. */
export const paymentParams = {
  ...answerParams,
  priority: u32.default(0),
  ring_size: u64.default(0n),
  unlock_time: u64.default(0n),
  payment_id: text.default(''),
};

type AnswerParams = z.output<z.ZodObject<typeof answerParams>>;
type PaymentParams = z.output<z.ZodObject<typeof paymentParams>>;

/** Standalone payment ids left the network long ago. @throws WalletError `wrong_payment_id` */
export function makingOptions(asked: PaymentParams) {
  if (asked.payment_id !== '')
    throw new WalletError({
      kind: 'wrong_payment_id',
      reason: 'standalone payment ids are obsolete: use an integrated address',
      text: 'Standalone payment IDs are obsolete. Use subaddresses or integrated addresses instead',
    });
  return {
    priority: asked.priority,
    unlockTime: asked.unlock_time,
    doNotRelay: asked.do_not_relay,
    withMetadata: asked.get_tx_metadata,
  };
}

export const wantedOf = (asked: AnswerParams): Wanted => ({
  keys: asked.get_tx_key || asked.get_tx_keys,
  blobs: asked.get_tx_hex,
  metadata: asked.get_tx_metadata,
});
