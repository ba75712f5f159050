import {
  derivePublicKey,
  keyDerivation,
  publicKeyOf,
  randomSecretKey,
  viewTag,
} from '../../monero/crypto/derivation.js';
import { COINBASE_UNLOCK_BLOCKS } from '../../monero/cryptonote/constants.js';
import { writeExtra } from '../../monero/cryptonote/extra.js';
import { transactionWeight } from '../../monero/cryptonote/transaction.js';
import type { Address, Transaction, TxOutput } from '../../monero/cryptonote/types.js';
import { ZERO, amount, U64_MAX, type Amount } from '../../util/amount.js';
import { concatBytes } from '../../util/bytes.js';
import type { Rng } from '../../util/random.js';
import { blockReward } from './block-weight.js';
import { demand } from './tx-rules.js';

/** Address that receives the reward of a block template, and the bytes that the miner reserves. */
export interface MinerShare {
  readonly address: Pick<Address, 'spendPublicKey' | 'viewPublicKey'>;
  /** Content of the nonce field in the extra field; up to 255 bytes. */
  readonly extraNonce: Uint8Array;
}

/** Values from which the reward of a block is computed. */
export interface RewardBasis {
  readonly height: number;
  readonly medianWeight: number;
  readonly generated: bigint;
  /** Total weight of the payments in the block. */
  readonly txWeight: number;
  readonly fees: bigint;
}

/** Extra field and output key of a miner transaction, which depend neither on its height nor on its reward. */
interface MinerKeys {
  readonly output: Omit<TxOutput, 'amount'>;
  readonly extra: Uint8Array;
}

/** Draws a transaction key and derives the output key. @throws RangeError if a key of the address is not a point. */
function drawKeys({ address, extraNonce }: MinerShare, rng: Rng): MinerKeys {
  const secret = randomSecretKey(rng);
  const derivation = keyDerivation(address.viewPublicKey, secret);
  const publicKey = derivePublicKey(derivation, 0, address.spendPublicKey);
  const nonce = extraNonce.length === 0 ? [] : [{ type: 'nonce' as const, nonce: extraNonce }];
  return {
    output: { publicKey, viewTag: viewTag(derivation, 0) },
    extra: writeExtra([{ type: 'publicKey', key: publicKeyOf(secret) }, ...nonce]),
  };
}

/**
 * Builds a miner transaction with one output that receives the whole reward. Source: cryptonote_tx_utils.cpp
 * `construct_miner_tx`.
 */
const construct = ({ output, extra }: MinerKeys, height: number, value: Amount): Transaction => ({
  prefix: {
    version: 2,
    unlockTime: BigInt(height + COINBASE_UNLOCK_BLOCKS),
    inputs: [{ type: 'gen', height }],
    outputs: [{ ...output, amount: value }],
    extra,
  },
  rct: { base: { type: 0, fee: ZERO, pseudoOuts: [], ecdhInfo: [], outPk: [] } },
});

const withPadding = (tx: Transaction, bytes: number): Transaction => ({
  ...tx,
  prefix: { ...tx.prefix, extra: concatBytes(tx.prefix.extra, new Uint8Array(bytes)) },
});

const ATTEMPTS = 10;

/**
 * Builds the miner transaction of a template. Its weight determines the reward, and the encoded reward changes its
 * weight. So it is built for an assumed weight, and padded with zeros to reach that weight.
 * @throws Violation if the block is too heavy for any reward. Source: blockchain.cpp `create_block_template`.
 */
export function createMinerTx(share: MinerShare, basis: RewardBasis, rng: Rng): Transaction {
  const { height, medianWeight, generated, txWeight, fees } = basis;
  const keys = drawKeys(share, rng);
  const make = (blockWeight: number): Transaction => {
    const reward = blockReward(medianWeight, blockWeight, generated);
    demand(reward !== undefined, 'the block is too heavy');
    return construct(keys, height, amount(reward + fees));
  };
  let weight = txWeight + transactionWeight(make(txWeight));
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const tx = make(weight);
    const missing = weight - txWeight - transactionWeight(tx);
    if (missing === 0) return tx;
    if (missing > 0) {
      // The length prefix of the longer extra field may need one more byte.
      const padded = [missing, missing - 1]
        .map((bytes) => withPadding(tx, bytes))
        .find((candidate) => txWeight + transactionWeight(candidate) === weight);
      if (padded !== undefined) return padded;
    }
    weight = missing > 0 ? weight + missing - 1 : weight - missing;
  }
  throw new RangeError('no miner transaction matches its assumed weight');
}

/** Checks the form of a miner transaction. @throws Violation Source: blockchain.cpp `prevalidate_miner_transaction`. */
export function checkMinerTx({ prefix, rct }: Transaction, height: number): void {
  const [input] = prefix.inputs;
  demand(prefix.inputs.length === 1 && input?.type === 'gen', 'the miner transaction spends something');
  demand(prefix.version === 2, 'the miner transaction is of version 1');
  demand(rct?.base.type === 0, 'the miner transaction is signed');
  demand(input.height === height, 'the miner transaction is of another height');
  demand(prefix.unlockTime === BigInt(height + COINBASE_UNLOCK_BLOCKS), 'the reward has a wrong unlock time');
  demand(claimed({ prefix }) <= U64_MAX, 'the reward overflows');
  demand(
    prefix.outputs.every(({ viewTag: tag }) => tag !== undefined),
    'an output of the miner transaction has no view tag',
  );
}

/** Returns the sum that a miner transaction pays out, with fees [atomic units]. */
export const claimed = ({ prefix }: Pick<Transaction, 'prefix'>): bigint =>
  prefix.outputs.reduce((total, output) => total + output.amount, 0n);

/**
 * Checks that the outputs of a miner transaction equal the reward plus the fees exactly. Source: blockchain.cpp
 * `validate_miner_transaction`.
 * @throws Violation
 */
export function checkReward(
  minerTx: Transaction,
  { medianWeight, generated, txWeight, fees }: Omit<RewardBasis, 'height'>,
): void {
  const reward = blockReward(medianWeight, txWeight + transactionWeight(minerTx), generated);
  demand(reward !== undefined, 'the block is too heavy');
  demand(reward + fees === claimed(minerTx), 'the miner does not claim exactly reward and fees');
}
