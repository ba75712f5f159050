import {
  derivePublicKey,
  keyDerivation,
  publicKeyOf,
  randomSecretKey,
  viewTag,
} from '../../monero/crypto/derivation.js';
import { payAddress } from '../../monero/carrot/sending.js';
import { coinbaseContext, txOutputOf } from '../../monero/carrot/enote.js';
import type { PublicKey } from '../../monero/crypto/types.js';
import { COINBASE_UNLOCK_BLOCKS, MAX_TX_EXTRA_SIZE } from '../../monero/cryptonote/constants.js';
import { writeExtra, type ExtraField } from '../../monero/cryptonote/extra.js';
import { transactionWeight } from '../../monero/cryptonote/transaction.js';
import type { Address, Transaction, TxOutput } from '../../monero/cryptonote/types.js';
import { ANCHOR_BYTES, CARROT_FORK, MOST_MINER_OUTPUTS } from '../../monero/fork-rules.js';
import { ZERO, amount, U64_MAX, type Amount } from '../../util/amount.js';
import { concatBytes } from '../../util/bytes.js';
import type { Rng } from '../../util/random.js';
import { blockReward } from './block-weight.js';
import { checkOutputForm, demand } from './tx-rules.js';

/** Address that receives the reward of a block template, and the bytes that the miner reserves. */
export interface MinerShare {
  readonly address: Pick<Address, 'spendPublicKey' | 'viewPublicKey'>;
  /** Content of the nonce field in the extra field; up to 255 bytes. */
  readonly extraNonce: Uint8Array;
}

/** Values from which the reward of a block is computed. */
export interface RewardBasis {
  readonly height: number;
  /** Version of the block. */
  readonly version: number;
  readonly medianWeight: number;
  readonly generated: bigint;
  /** Total weight of the payments in the block. */
  readonly txWeight: number;
  readonly fees: bigint;
}

/** Output and extra field of a miner transaction. */
export interface Reward {
  readonly output: TxOutput;
  readonly extra: Uint8Array;
}

/** Makes the output for a reward. */
export type RewardMaker = (reward: Amount) => Reward;

const nonceField = (nonce: Uint8Array): ExtraField[] =>
  nonce.length === 0 ? [] : [{ type: 'nonce', nonce }];

/**
 * Draws the secrets of a reward in the form of today, whose keys do not depend on its amount.
 * @throws RangeError if a key of the address is not a point.
 */
function drawReward({ address, extraNonce }: MinerShare, rng: Rng): RewardMaker {
  const secret = randomSecretKey(rng);
  const derivation = keyDerivation(address.viewPublicKey, secret);
  const publicKey = derivePublicKey(derivation, 0, address.spendPublicKey);
  const tag = viewTag(derivation, 0);
  const extra = writeExtra([{ type: 'publicKey', key: publicKeyOf(secret) }, ...nonceField(extraNonce)]);
  return (amount) => ({ output: { amount, publicKey, viewTag: tag }, extra });
}

/**
 * Draws the secrets of a reward in the form of the fork, whose output key binds its amount and its height.
 * @throws RangeError if a key of the address is not a point. Source: `stage` format_utils.cpp
 * `make_single_enote_carrot_coinbase_transaction_v1`.
 */
function drawCarrotReward({ address, extraNonce }: MinerShare, height: number, rng: Rng): RewardMaker {
  const { spendPublicKey, viewPublicKey } = address;
  const main = { network: 'mainnet', kind: 'standard', spendPublicKey, viewPublicKey } as const;
  const anchor = rng(ANCHOR_BYTES);
  const nonce: ExtraField = { type: 'nonce', nonce: extraNonce };
  return (amount) => {
    const payment = { address: main, amount, anchor };
    const { enote } = payAddress(payment, coinbaseContext(height), { coinbase: true });
    const key = enote.ephemeralKey as PublicKey;
    return {
      output: txOutputOf(enote),
      extra: writeExtra([{ type: 'publicKey', key }, nonce]),
    };
  };
}

/** Draws the secrets of a reward in the form of its block. @throws RangeError if a key of the address is not a point. */
export const drawRewardOf = (
  share: MinerShare,
  { height, version }: Pick<RewardBasis, 'height' | 'version'>,
  rng: Rng,
): RewardMaker => (version < CARROT_FORK ? drawReward(share, rng) : drawCarrotReward(share, height, rng));

/**
 * Builds a miner transaction with one output that receives the whole reward. Source: cryptonote_tx_utils.cpp
 * `construct_miner_tx`.
 */
const construct = ({ output, extra }: Reward, height: number): Transaction => ({
  prefix: {
    version: 2,
    unlockTime: BigInt(height + COINBASE_UNLOCK_BLOCKS),
    inputs: [{ type: 'gen', height }],
    outputs: [output],
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
  const pay = drawRewardOf(share, basis, rng);
  const make = (blockWeight: number): Transaction => {
    const reward = blockReward(medianWeight, blockWeight, generated);
    demand(reward !== undefined, 'the block is too heavy');
    return construct(pay(amount(reward + fees)), height);
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

/**
 * Checks the form of a miner transaction. @param version version of the block.
 * @throws Violation Source: blockchain.cpp `prevalidate_miner_transaction`.
 */
export function checkMinerTx({ prefix, rct }: Transaction, height: number, version: number): void {
  const [input] = prefix.inputs;
  demand(prefix.inputs.length === 1 && input?.type === 'gen', 'the miner transaction spends something');
  demand(prefix.version === 2, 'the miner transaction is of version 1');
  demand(rct?.base.type === 0, 'the miner transaction is signed');
  demand(input.height === height, 'the miner transaction is of another height');
  demand(prefix.unlockTime === BigInt(height + COINBASE_UNLOCK_BLOCKS), 'the reward has a wrong unlock time');
  demand(claimed({ prefix }) <= U64_MAX, 'the reward overflows');
  checkOutputForm(prefix.outputs, version >= CARROT_FORK);
  if (version < CARROT_FORK) return;
  demand(
    prefix.extra.length < MAX_TX_EXTRA_SIZE + 32 * prefix.outputs.length,
    'the extra field of the miner transaction is too big',
  );
  demand(prefix.outputs.length <= MOST_MINER_OUTPUTS, 'too many outputs of the miner transaction');
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
  { medianWeight, generated, txWeight, fees }: Omit<RewardBasis, 'height' | 'version'>,
): void {
  const reward = blockReward(medianWeight, txWeight + transactionWeight(minerTx), generated);
  demand(reward !== undefined, 'the block is too heavy');
  demand(reward + fees === claimed(minerTx), 'the miner does not claim exactly reward and fees');
}
