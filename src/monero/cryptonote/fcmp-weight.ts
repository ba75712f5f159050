import {
  ANCHOR_BYTES,
  CARROT_TAG_BYTES,
  MOST_FCMP_INPUTS,
  MOST_FCMP_OUTPUTS,
  RCT_FCMP,
  WEIGHED_FEE_BYTES,
} from '../fork-rules.js';
import { rctPrunableSize } from '../ringct/codec.js';
import { MAX_TX_EXTRA_SIZE } from './constants.js';

/** Sizes of an input and an output with an amount of zero, their type bytes included [bytes]. */
const INPUT = 1 + 1 + 1 + 32;
const OUTPUT = 1 + 1 + 32 + CARROT_TAG_BYTES + ANCHOR_BYTES;
/** Size of the encrypted amount and the commitment of an output [bytes]. */
const OPENING = 8 + 32;

/** Returns the size of a count below 16384 as a varint [bytes]. */
const countSize = (count: number): number => (count >= 128 ? 2 : 1);

/**
 * Computes the weight of a transaction of RingCT type 7. It is the size that the transaction would have with a certain
 * number of layers and with the longest height and fee, so that it follows from the numbers of inputs and outputs and from
 * the size of the extra field alone.
 * @returns the greatest safe integer outside of 1 to 128 inputs, 2 to 16 outputs and 1060 bytes, where the reference returns
 * its greatest integer. Source: `stage` cryptonote_format_utils.cpp `get_fcmp_pp_transaction_weight_v1`.
 */
export function fcmpWeight(inputs: number, outputs: number, extraSize: number): number {
  const isValid =
    inputs >= 1 &&
    inputs <= MOST_FCMP_INPUTS &&
    outputs >= 2 &&
    outputs <= MOST_FCMP_OUTPUTS &&
    extraSize <= MAX_TX_EXTRA_SIZE;
  if (!isValid) return Number.MAX_SAFE_INTEGER;
  const version = 1;
  const unlockTime = 1;
  const prefix =
    version +
    unlockTime +
    countSize(inputs) +
    inputs * INPUT +
    countSize(outputs) +
    outputs * OUTPUT +
    countSize(extraSize) +
    extraSize;
  const base = 1 + WEIGHED_FEE_BYTES + outputs * OPENING;
  return prefix + base + rctPrunableSize(RCT_FCMP, inputs, outputs, 1);
}
