import * as z from 'zod';
import { atomic, flag, listOf, text } from '../../http/methods/params.js';
import type { KeyImage, SecretKey } from '../../monero/crypto/types.js';
import { tryParseAddress } from '../../monero/cryptonote/address.js';
import { parseTransaction } from '../../monero/cryptonote/transaction.js';
import type { Address, Transaction } from '../../monero/cryptonote/types.js';
import { concatBytes, toHex } from '../../util/bytes.js';
import type { Node } from '../chain/node.js';
import {
  makeCarrotPayment,
  repeatCarrotPayment,
  type CarrotSpend,
  type CarrotTarget,
} from '../lies/carrot-payment.js';
import { Violation, type Payment } from '../rules/tx-rules.js';
import { defineMethod, refuse, type DaemonMethod } from './method.js';
import { replied, toHash } from './shapes.js';

const destination = z.strictObject({
  address: text,
  amount: atomic,
  /** Janus attack: the view key is that of this address. */
  view_of: text.optional(),
  /** Output of the payer to itself: the secret that recognises it, and what the output says to be. */
  view_secret: text.optional(),
  balance_secret: text.optional(),
  type: z.enum(['payment', 'change']).default('change'),
  /** True: the encrypted amount is one atomic unit off the amount in the commitment. */
  wrong_amount: flag.default(false),
});

type Destination = z.output<typeof destination>;

function addressOf(name: string): Address {
  const address = tryParseAddress(name, 'mainnet');
  if (address === undefined) throw refuse('wrongAddress', 'an address cannot be read');
  return address;
}

function bytesOf(name: string, hex: string): Uint8Array {
  const bytes = toHash(hex);
  if (bytes === undefined) throw refuse('wrongParam', `${name}: 64 hex digits are expected`);
  return bytes;
}

/** Reads a destination. @throws RpcError */
function targetOf({ view_of, view_secret, balance_secret, type, ...paid }: Destination): CarrotTarget {
  const address = addressOf(paid.address);
  const common = { address, amount: paid.amount, wrongAmount: paid.wrong_amount };
  if ([view_of, view_secret, balance_secret].filter((given) => given !== undefined).length > 1)
    throw refuse('wrongParam', 'give one of view_of, view_secret and balance_secret');
  if (view_of !== undefined) return { ...common, kind: 'linking', viewOf: addressOf(view_of) };
  if (view_secret !== undefined) {
    const viewSecret = bytesOf('view_secret', view_secret) as SecretKey & Uint8Array;
    return { ...common, kind: 'special', type, viewSecret };
  }
  if (balance_secret === undefined) return { ...common, kind: 'payment' };
  return { ...common, kind: 'internal', type, balanceSecret: bytesOf('balance_secret', balance_secret) };
}

/** Finds a transaction of the chain or the pool. @throws RpcError */
function findTx({ store }: Node, name: string): Transaction {
  const hash = toHash(name);
  const mined = hash && store.transactions.get(hash);
  const blob = mined ? concatBytes(mined.pruned, mined.prunable) : hash && store.pool.get(hash)?.blob;
  if (blob === undefined) throw refuse('wrongParam', 'duplicate_of names no known transaction');
  return parseTransaction(blob);
}

async function submit(node: Node, { blob }: Payment): Promise<void> {
  try {
    await node.submitTransaction(blob, 'sender');
  } catch (error) {
    if (error instanceof Violation) throw refuse('notAccepted', error.message);
    throw error;
  }
}

/** Methods of this node alone that add transactions in the form of the fork, for rehearsals of it. */
export const carrotPaymentMethods: readonly DaemonMethod[] = [
  defineMethod({
    name: 'pay_carrot',
    summary:
      'Adds a payment in the form of the fork, which spends nothing, to the pool; needs --fork-height.',
    meta: { unrestricted: true },
    params: z.strictObject({
      destinations: listOf(destination),
      spend: listOf(text),
      duplicate_of: text.optional(),
      ephemeral_per_output: flag.default(false),
    }),
    source: 'ours: carrot-payment.ts',
    async handle({ daemon: { node, rng } }, { destinations, spend, duplicate_of, ephemeral_per_output }) {
      if ((destinations.length === 0) === (duplicate_of === undefined))
        throw refuse('wrongParam', 'give either destinations or duplicate_of');
      const { tip } = node.chain;
      const inputs: CarrotSpend = {
        keyImages: spend.map((image) => bytesOf('spend', image) as KeyImage & Uint8Array),
        referenceBlock: tip.height,
        feePerByte: node.chain.feeEstimates(0)[0] ?? 0n,
      };
      const targets = destinations.map(targetOf);
      try {
        const { payment, indices } =
          duplicate_of === undefined
            ? makeCarrotPayment(targets, inputs, rng, ephemeral_per_output)
            : { payment: repeatCarrotPayment(findTx(node, duplicate_of), inputs, rng), indices: [] };
        await submit(node, payment);
        return replied({
          tx_hash: toHex(payment.hash),
          fee: payment.base.fee,
          key_images: payment.inputs.map(({ keyImage }) => toHex(keyImage)),
          output_indices: indices,
        });
      } catch (error) {
        if (error instanceof RangeError) throw refuse('wrongParam', error.message);
        throw error;
      }
    },
  }),
];
