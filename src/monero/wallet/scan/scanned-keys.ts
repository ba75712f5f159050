import type { PublicKey } from '../../crypto/types.js';
import { contextOf } from '../../carrot/enote.js';
import { additionalPublicKeys, parseExtra, txPublicKeys } from '../../cryptonote/extra.js';
import { isCoinbase } from '../../cryptonote/transaction.js';
import type { TxOutput, TxPrefix } from '../../cryptonote/types.js';
import { NO_VIEW_TAG, UNSCANNED_TAG } from '../../kernel/kernel.js';

/**
 * Returns true if a transaction has the form of the fork: its first output has it. Source: `stage`
 * carrot_impl/format_utils.cpp `is_carrot_transaction_v1`.
 */
export const isCarrotTx = ({ outputs }: TxPrefix): boolean => outputs[0]?.carrot !== undefined;

/** Public keys with which the outputs of a transaction are tried. */
export interface ScannedKeys {
  /** Keys that are tried with every output. */
  readonly main: readonly PublicKey[];
  /** Keys of which the n-th is tried with the n-th output alone. */
  readonly own: readonly PublicKey[];
}

/**
 * Finds the public keys with which the outputs of a transaction are tried. In the old form, additional keys count beside a
 * main key only. In the form of the fork, the first main key counts before the additional ones; in a miner transaction each
 * key belongs to one output, in another one a single key belongs to all. Source: wallet2.cpp `process_new_transaction`;
 * `stage` carrot_impl/format_utils.cpp `try_load_carrot_extra_v1`, `try_load_carrot_enote_from_transaction_v1`,
 * `try_load_carrot_coinbase_enote_from_transaction_v1`.
 */
export function scannedKeys(prefix: TxPrefix): ScannedKeys {
  const { inputs, outputs, extra } = prefix;
  const { fields } = parseExtra(extra);
  const main = txPublicKeys(fields);
  const additional = additionalPublicKeys(fields);
  if (!isCarrotTx(prefix))
    return main.length === 0 || outputs.length === 0
      ? { main: [], own: [] }
      : { main, own: additional.slice(0, outputs.length) };
  const keys = main.length > 0 ? main.slice(0, 1) : additional;
  if (isCoinbase({ prefix })) return { main: [], own: keys.slice(0, outputs.length) };
  if (inputs[0]?.type !== 'key') return { main: [], own: [] };
  return keys.length === 1 ? { main: keys, own: [] } : { main: [], own: keys.slice(0, outputs.length) };
}

/**
 * Returns the view tag of an output as a scan compares it. An output of another form than its transaction is scanned as one
 * without a view tag in the old form, and not at all in the form of the fork. Source: `stage` scanning_tools.cpp
 * `view_incoming_scan_enote`.
 * @param inCarrotTx true if the transaction has the form of the fork.
 */
export function scannedTag({ viewTag = NO_VIEW_TAG, carrot }: TxOutput, inCarrotTx: boolean): number {
  if (!inCarrotTx) return viewTag;
  const [low, middle, high] = carrot?.viewTag ?? [];
  if (low === undefined || middle === undefined || high === undefined) return UNSCANNED_TAG;
  return low | (middle << 8) | (high << 16);
}

/** Returns the input context of a transaction in the form of the fork, 33 bytes; undefined in the old form, and without inputs. */
export function inputContextOf(prefix: TxPrefix): Uint8Array | undefined {
  const [first] = prefix.inputs;
  return isCarrotTx(prefix) && first !== undefined ? contextOf(first) : undefined;
}
