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
import { blockReward } from './reward.js';
import { demand } from './violation.js';

/** Reward address of a template, and the bytes reserved for the miner. */
export interface MinerShare {
  readonly address: Pick<Address, 'spendPublicKey' | 'viewPublicKey'>;
  /** Nonce in the extra field; up to 255 bytes. */
  readonly extraNonce: Uint8Array;
}

/** Inputs of the reward calculation. */
export interface RewardBasis {
  readonly height: number;
  readonly medianWeight: number;
  readonly generated: bigint;
  /** Weight of the payments in the block. */
  readonly txWeight: number;
  readonly fees: bigint;
}

/** Extra field and keys of a miner transaction; they depend neither on its height nor on the reward. */
interface MinerKeys {
  readonly output: Omit<TxOutput, 'amount'>;
  readonly extra: Uint8Array;
}

/** @throws RangeError when a key of the address is not a point. */
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

/** Builds a transaction with one output for the whole reward. Source: cryptonote_tx_utils.cpp `construct_miner_tx`. */
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
 * Builds the miner transaction of a template. Its weight determines the reward, and the reward its weight: it is built
 * for an assumed weight and padded with zeros to reach it.
 * @throws Violation when the block is too heavy for any reward.
 * Source: blockchain.cpp `create_block_template`.
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
      // A longer extra field may need a longer length prefix.
      const padded = [missing, missing - 1]
        .map((bytes) => withPadding(tx, bytes))
        .find((candidate) => txWeight + transactionWeight(candidate) === weight);
      if (padded !== undefined) return padded;
    }
    weight = missing > 0 ? weight + missing - 1 : weight - missing;
  }
  throw new RangeError('no miner transaction matches its assumed weight');
}

/** @throws Violation Source: blockchain.cpp `prevalidate_miner_transaction`. */
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

const claimed = ({ prefix }: Pick<Transaction, 'prefix'>): bigint =>
  prefix.outputs.reduce((total, output) => total + output.amount, 0n);

/**
 * Checks that the miner claims exactly reward plus fees. Source: blockchain.cpp `validate_miner_transaction`.
 * @returns the emission of the block. @throws Violation
 */
export function checkReward(
  minerTx: Transaction,
  { medianWeight, generated, txWeight, fees }: Omit<RewardBasis, 'height'>,
): Amount {
  const reward = blockReward(medianWeight, txWeight + transactionWeight(minerTx), generated);
  demand(reward !== undefined, 'the block is too heavy');
  demand(reward + fees === claimed(minerTx), 'the miner does not claim exactly reward and fees');
  return reward;
}
