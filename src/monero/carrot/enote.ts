import { intToBytes } from '../crypto/scalar.js';
import type { Commitment, KeyImage, PublicKey } from '../crypto/types.js';
import { parseExtra, paymentIdOf } from '../cryptonote/extra.js';
import type { PaymentId, Transaction, TxInput, TxOutput } from '../cryptonote/types.js';
import type { RctBase } from '../ringct/types.js';
import { ZERO, type Amount } from '../../util/amount.js';
import { concatBytes } from '../../util/bytes.js';
import { COINBASE_CONTEXT, RINGCT_CONTEXT } from '../fork-rules.js';

/** Amount of an output: plain in a miner transaction, encrypted with a commitment in all others. */
export type EnoteAmount =
  | { readonly kind: 'plain'; readonly amount: Amount }
  | { readonly kind: 'encrypted'; readonly bytes: Uint8Array; readonly commitment: Commitment };

/**
 * Public fields of an output in the form of the fork, with those of its transaction that its scan reads. Source:
 * carrot.md § 7.3.
 */
export interface Enote {
  /** Input context of the transaction, 33 bytes. */
  readonly context: Uint8Array;
  /** Ephemeral public key D: x coordinate of a point of Curve25519, 32 bytes as sent. */
  readonly ephemeralKey: Uint8Array;
  readonly outputKey: PublicKey;
  /** View tag, 3 bytes. */
  readonly viewTag: Uint8Array;
  /** Encrypted anchor, 16 bytes. */
  readonly encryptedAnchor: Uint8Array;
  readonly amount: EnoteAmount;
  /** Encrypted payment id of the transaction; absent if it has none. */
  readonly encryptedPaymentId?: PaymentId;
}

/** Returns the input context of a transaction by its first input. Source: `stage` carrot_impl/format_utils.cpp `parse_carrot_input_context`. */
export const contextOf = (input: TxInput): Uint8Array =>
  input.type === 'gen' ? coinbaseContext(input.height) : spendContext(input.keyImage);

/** Returns the input context of the miner transaction at a height. Source: enote_utils.cpp `make_carrot_input_context_coinbase`. */
export const coinbaseContext = (height: number): Uint8Array =>
  concatBytes(Uint8Array.of(COINBASE_CONTEXT), intToBytes(BigInt(height)));

/** Returns the input context of a transaction by its first key image. Source: enote_utils.cpp `make_carrot_input_context`. */
export const spendContext = (firstKeyImage: KeyImage): Uint8Array =>
  concatBytes(Uint8Array.of(RINGCT_CONTEXT), firstKeyImage);

/**
 * Returns an output of a transaction, full or pruned; undefined for an output of the old form.
 * @param ephemeralKey ephemeral public key of the output.
 */
export function enoteIn(
  { prefix: { inputs, outputs, extra }, rct }: Transaction,
  outputIndex: number,
  ephemeralKey: Uint8Array,
): Enote | undefined {
  const [input] = inputs;
  const output = outputs[outputIndex];
  if (input === undefined || output?.carrot === undefined) return undefined;
  const amount = amountIn(output, outputIndex, input, rct?.base);
  if (amount === undefined) return undefined;
  const { viewTag, encryptedAnchor } = output.carrot;
  const id = paymentIdOf(parseExtra(extra).fields);
  return {
    context: contextOf(input),
    ephemeralKey,
    outputKey: output.publicKey,
    viewTag,
    encryptedAnchor,
    amount,
    ...(id?.kind === 'short' ? { encryptedPaymentId: id.id } : {}),
  };
}

/** Returns the output of a transaction with the fields of an {@link Enote}; its amount is that of a transaction's output. */
export const txOutputOf = ({ outputKey, viewTag, encryptedAnchor, amount }: Enote): TxOutput => ({
  amount: amount.kind === 'plain' ? amount.amount : ZERO,
  publicKey: outputKey,
  carrot: { viewTag, encryptedAnchor },
});

function amountIn(
  { amount }: TxOutput,
  outputIndex: number,
  input: TxInput,
  base: RctBase | undefined,
): EnoteAmount | undefined {
  if (input.type === 'gen') return { kind: 'plain', amount };
  const bytes = base?.ecdhInfo[outputIndex]?.amount;
  const commitment = base?.outPk[outputIndex];
  return bytes?.length === 8 && commitment !== undefined
    ? { kind: 'encrypted', bytes, commitment }
    : undefined;
}
