import type { Hash, KeyImage } from '../../monero/crypto/types.js';
import {
  COINBASE_RESERVED_SIZE,
  MAX_OUTPUTS,
  MAX_TX_EXTRA_SIZE,
  MAX_TX_WEIGHT,
  RING_SIZE,
  SPENDABLE_AGE_BLOCKS,
} from '../../monero/cryptonote/constants.js';
import {
  parseTransaction,
  transactionHash,
  transactionWeight,
  isCoinbase,
  ringIndices,
} from '../../monero/cryptonote/transaction.js';
import type { KeyInput, Transaction, TxOutput } from '../../monero/cryptonote/types.js';
import { CARROT_FORK, MOST_FORK_TX_WEIGHT, RCT_FCMP } from '../../monero/fork-rules.js';
import { isLockOpen } from '../../monero/cryptonote/unlock-time.js';
import { PLACEHOLDER_LAYERS } from './output-tree.js';
import type { RctBase, RctPrunable, RingMember } from '../../monero/ringct/types.js';
import { compareBytes, toHex } from '../../util/bytes.js';
import { CodecError } from '../../util/codec.js';
import { median } from '../../util/median.js';

/**
 * Flags of the reasons that the pool reports to the sender of a transaction. Source: verification_context.h
 * `tx_verification_context`.
 */
export type TxFlag =
  | 'lowMixin'
  | 'doubleSpend'
  | 'invalidInput'
  | 'invalidOutput'
  | 'tooBig'
  | 'overspend'
  | 'feeTooLow'
  | 'tooFewOutputs'
  | 'extraTooBig'
  | 'nonzeroUnlockTime';

/** Thrown when a block or transaction violates a consensus rule or relay rule. The message names the rule. */
export class Violation extends Error {
  override readonly name = 'Violation';
  readonly flags: readonly TxFlag[];

  constructor(message: string, flags: readonly TxFlag[] = [], options?: ErrorOptions) {
    super(message, options);
    this.flags = flags;
  }
}

/** Checks a rule. @param rule name of the rule, for the message. @throws Violation if `holds` is false. */
export function demand(holds: boolean, rule: string, ...flags: readonly TxFlag[]): asserts holds {
  if (!holds) throw new Violation(rule, flags);
}

/** Largest size of a transaction [bytes]. Source: cryptonote_config.h `CRYPTONOTE_MAX_TX_SIZE`. */
const MAX_TX_SIZE = 1_000_000;
/** RingCT type with CLSAG and Bulletproofs+, the only type before the next fork. */
const RCT_RINGS = 6;
const MIN_OUTPUTS = 2;

/** A parsed transaction that is not a miner transaction, with its hash and weight. */
export interface Payment {
  readonly hash: Hash;
  readonly blob: Uint8Array;
  readonly tx: Transaction;
  readonly inputs: readonly KeyInput[];
  readonly base: RctBase;
  readonly prunable: RctPrunable;
  readonly weight: number;
}

/** Parses a transaction. @throws Violation if the bytes are not a signed transaction of version 2. */
export function readPayment(blob: Uint8Array): Payment {
  demand(blob.length <= MAX_TX_SIZE, 'the transaction is too big', 'tooBig');
  const tx = parse(blob);
  demand(tx.prefix.version === 2, 'no output of this chain can be spent by version 1');
  const { base, prunable } = tx.rct ?? {};
  demand(base !== undefined && base.type !== 0, 'only a miner transaction goes without signatures');
  demand(prunable !== undefined, 'the signatures are missing');
  const inputs = tx.prefix.inputs.flatMap((input) => (input.type === 'key' ? [input] : []));
  demand(inputs.length === tx.prefix.inputs.length, 'only a miner transaction makes money', 'invalidInput');
  return { hash: transactionHash(tx), blob, tx, inputs, base, prunable, weight: transactionWeight(tx) };
}

function parse(blob: Uint8Array): Transaction {
  try {
    return parseTransaction(blob);
  } catch (cause) {
    if (cause instanceof CodecError || cause instanceof RangeError)
      throw new Violation(`not a transaction: ${cause.message}`, [], { cause });
    throw cause;
  }
}

/**
 * Checks the rules that do not depend on the chain; proofs are not verified.
 * @param weightLimit largest weight of a block.
 * @throws Violation Source: cryptonote_core.cpp `check_tx_semantic`, `handle_incoming_tx_accumulated_batch`.
 */
export function checkForm({ inputs, tx, prunable, weight }: Payment, weightLimit: number): void {
  demand(weight < weightLimit - COINBASE_RESERVED_SIZE, 'the transaction does not fit a block');
  const images = new Set(inputs.map(({ keyImage }) => toHex(keyImage)));
  demand(images.size === inputs.length, 'a key image is there twice');
  demand(
    inputs.every(({ keyOffsets }) => !keyOffsets.slice(1).includes(0n)),
    'a ring member is there twice',
  );
  demand(prunable.bulletproofsPlus.length === 1, 'one range proof covers all outputs');
  demand(tx.prefix.outputs.length <= MAX_OUTPUTS, 'more outputs than a range proof covers');
}

/**
 * Checks the rules that depend on the version of the block that contains a transaction: the type of its signatures and of
 * its outputs, and from the next fork on also rules of relaying before it.
 * @throws Violation Source: `stage` tx_verification_utils.cpp `ver_non_input_consensus`, cryptonote_format_utils.cpp
 * `check_output_types`, blockchain.cpp `check_tx_outputs`.
 */
export function checkFork({ tx, inputs, base }: Payment, version: number): void {
  const { outputs, extra, unlockTime } = tx.prefix;
  const isNewForm = base.type === RCT_FCMP;
  demand(
    isNewForm ? version >= CARROT_FORK : base.type === RCT_RINGS && version <= CARROT_FORK,
    `RingCT type ${base.type} is not allowed`,
    'invalidOutput',
  );
  checkOutputForm(outputs, isNewForm);
  if (isNewForm)
    demand(
      inputs.every(({ amount, keyOffsets }) => amount === 0n && keyOffsets.length === 0),
      'an input with a membership proof has a ring or an amount',
      'invalidInput',
    );
  if (version < CARROT_FORK) return;
  demand(unlockTime === 0n, 'the unlock time is not zero', 'nonzeroUnlockTime');
  demand(extra.length <= MAX_TX_EXTRA_SIZE, 'the extra field is too big', 'extraTooBig');
}

/**
 * Checks that all outputs have the same form, and that keys in the new form ascend, so that no two are equal.
 * @param isNewForm true: outputs in the form of the fork are expected; false: those of today, with a view tag.
 * @throws Violation Source: `stage` tx_verification_utils.cpp `check_transaction_output_pubkeys_order`.
 */
export function checkOutputForm(outputs: readonly TxOutput[], isNewForm: boolean): void {
  if (!isNewForm)
    return demand(
      outputs.every(({ viewTag }) => viewTag !== undefined),
      'an output has no view tag of one byte',
    );
  demand(
    outputs.every(({ carrot }) => carrot !== undefined),
    'an output is not in the form of the fork',
    'invalidOutput',
  );
  demand(
    outputs.every(({ publicKey }, i) => {
      const before = outputs[i - 1];
      return before === undefined || compareBytes(before.publicKey, publicKey) < 0;
    }),
    'the outputs are not sorted',
    'invalidOutput',
  );
}

/**
 * Checks the weight of a pool transaction. @param version version of the next block.
 * @throws Violation Source: tx_pool.cpp `get_transaction_weight_limit`.
 */
export const checkWeight = ({ weight }: Payment, version: number): void =>
  demand(
    weight <= (version < CARROT_FORK ? MAX_TX_WEIGHT : MOST_FORK_TX_WEIGHT),
    'the transaction is too heavy',
    'tooBig',
  );

/** Checks the outputs of a transaction. @throws Violation Source: blockchain.cpp `check_tx_outputs`. */
export const checkOutputs = ({ tx }: Payment): void =>
  demand(
    tx.prefix.outputs.every(({ amount }) => amount === 0n),
    'an amount is not hidden',
    'invalidOutput',
  );

/**
 * Checks the rules for relaying a transaction, which are stricter than the rules of blocks.
 * @throws Violation Source: tx_pool.cpp `add_tx`.
 * @param anyUnlockTime true: a transaction with an unlock time is accepted.
 */
export function checkRelayable({ tx }: Payment, anyUnlockTime: boolean): void {
  demand(tx.prefix.extra.length <= MAX_TX_EXTRA_SIZE, 'the extra field is too big', 'extraTooBig');
  demand(anyUnlockTime || tx.prefix.unlockTime === 0n, 'the unlock time is not zero', 'nonzeroUnlockTime');
}

/** An output that a ring may refer to. */
export interface ChainOutput extends RingMember {
  readonly unlockTime: bigint;
  /** Height of the block that contains the output. */
  readonly height: number;
}

/** State of the chain against which inputs are checked. */
export interface ChainView {
  /** Number of blocks, which is the height of the next block. */
  readonly height: number;
  /** Time with which unlock times are compared [Unix s]. */
  readonly time: number;
  output(amount: bigint, index: bigint): ChainOutput | undefined;
  isSpent(keyImage: KeyImage): boolean;
}

/** The members of a transaction's rings. */
export interface Rings {
  readonly rings: readonly (readonly ChainOutput[])[];
  /** Height of the block that contains the youngest ring member. */
  readonly youngest: number;
}

/**
 * Looks up the ring members and checks the inputs; signatures are not verified.
 * @throws Violation Source: blockchain.cpp `check_tx_inputs`.
 */
export function resolveInputs({ inputs, tx, base, prunable }: Payment, chain: ChainView): Rings {
  demand(tx.prefix.outputs.length >= MIN_OUTPUTS, 'fewer than two outputs', 'tooFewOutputs', 'invalidInput');
  if (base.type === RCT_FCMP) return { rings: [], youngest: checkMembership({ inputs, prunable }, chain) };
  demand(
    inputs.every(({ keyOffsets }) => keyOffsets.length === RING_SIZE),
    `a ring has ${RING_SIZE} members`,
    'lowMixin',
    'invalidInput',
  );
  demand(isSorted(inputs), 'the inputs are not sorted', 'invalidInput');
  const rings = inputs.map(({ amount, keyOffsets, keyImage }) => {
    checkUnspent(keyImage, chain);
    return ringIndices(keyOffsets).map((index) => {
      const output = chain.output(amount, index);
      demand(output !== undefined, 'a ring member does not exist', 'invalidInput');
      demand(
        isLockOpen(output.unlockTime, chain.height, chain.time),
        'a ring member is locked',
        'invalidInput',
      );
      return output;
    });
  });
  const youngest = rings.flat().reduce((latest, { height }) => Math.max(latest, height), 0);
  demand(youngest + SPENDABLE_AGE_BLOCKS <= chain.height, 'a ring member is too young', 'invalidInput');
  return { rings, youngest };
}

const checkUnspent = (keyImage: KeyImage, chain: ChainView): void =>
  demand(!chain.isSpent(keyImage), 'a key image is already spent', 'doubleSpend', 'invalidInput');

/**
 * Checks inputs with a membership proof, and which tree of outputs it is about. The proof itself is not verified, since this node has no tree.
 * @returns height of the block that names the tree.
 * @throws Violation Source: `stage` blockchain.cpp `get_fcmp_tx_tree_root`.
 */
function checkMembership(
  { inputs, prunable: { fcmp } }: Pick<Payment, 'inputs' | 'prunable'>,
  chain: ChainView,
): number {
  demand(isSorted(inputs), 'the inputs are not sorted', 'invalidInput');
  for (const { keyImage } of inputs) checkUnspent(keyImage, chain);
  demand(fcmp !== undefined, 'the membership proof is missing', 'invalidInput');
  demand(
    fcmp.referenceBlock < chain.height,
    'the block of a membership proof does not exist',
    'invalidInput',
  );
  demand(
    fcmp.layers === PLACEHOLDER_LAYERS,
    'a membership proof has another number of layers',
    'invalidInput',
  );
  return fcmp.referenceBlock;
}

/** Returns true if the key images are in descending order. */
const isSorted = (inputs: readonly KeyInput[]): boolean =>
  inputs.every(({ keyImage }, i) => {
    const before = inputs[i - 1];
    return before === undefined || compareBytes(before.keyImage, keyImage) > 0;
  });

/**
 * Number of ring members below which a transaction is not checked. Source: tx_sanity_check.cpp, as for the constants
 * below.
 */
const MIN_MEMBERS = 10;
/** Number of outputs of the chain below which a transaction is not checked. */
const LEAST_CHAIN_OUTPUTS = 10_000;

/**
 * Returns true if the rings look like rings that a wallet makes: members are distinct, and most of them are recent.
 * @param available number of outputs that are old enough to be spent. Source: tx_sanity_check.cpp `tx_sanity_check`.
 */
export function looksSane(blob: Uint8Array, available: number): boolean {
  const tx = tryParse(blob);
  if (tx === undefined || isCoinbase(tx)) return false;
  const members = tx.prefix.inputs.flatMap((input) => {
    if (input.type !== 'key' || input.amount !== 0n) return [];
    return ringIndices(input.keyOffsets).map(Number);
  });
  if (members.length <= MIN_MEMBERS || available < LEAST_CHAIN_OUTPUTS) return true;
  const distinct = [...new Set(members)];
  return (
    distinct.length >= Math.floor((members.length * 8) / 10) &&
    median(distinct) >= Math.floor((available * 6) / 10)
  );
}

function tryParse(blob: Uint8Array): Transaction | undefined {
  try {
    return parse(blob);
  } catch (error) {
    if (error instanceof Violation) return undefined;
    throw error;
  }
}
