import { derivationToScalar } from '../src/monero/crypto/derivation.js';
import { scalarBytes } from '../src/monero/crypto/scalar.js';
import type { Commitment, KeyImage, PublicKey } from '../src/monero/crypto/types.js';
import { writeExtra } from '../src/monero/cryptonote/extra.js';
import { transaction } from '../src/monero/cryptonote/transaction.js';
import type { Transaction } from '../src/monero/cryptonote/types.js';
import { RING_SIZE } from '../src/monero/cryptonote/constants.js';
import { commitEach, commitmentMask, encryptAmount } from '../src/monero/ringct/commitment.js';
import type { ProofPoint, ProofScalar, RctPrunable } from '../src/monero/ringct/types.js';
import { Chain, VerificationCache } from '../src/regtest/chain/chain.js';
import { createMinerTx } from '../src/regtest/rules/miner-tx.js';
import { readPayment, type Payment } from '../src/regtest/rules/tx-rules.js';
import { ChainStore } from '../src/regtest/store/chain-store.js';
import { amount, ZERO } from '../src/util/amount.js';
import { encode } from '../src/util/codec.js';
import type { Rng } from '../src/util/random.js';
import { seededRng } from '../test/support/fakes/seeded-rng.js';
import {
  BLOCKS_AT_ONCE,
  outputMaker,
  PAYMENTS_A_BLOCK,
  START,
  type BlockOutputs,
  type Payee,
} from './paid-chain.js';

/** Amount of each payment [atomic units]. */
const AMOUNT = amount(2_000_000_000_000n);
const FEE = amount(30_000_000n);

/** First blocks without payments, whose rewards are then old enough for the rings of all payments. */
const FIRST_BLOCKS = 60 + 2 * RING_SIZE;

/** Number of points in each half of a range proof over two outputs. */
const ROUNDS = 7;

/**
 * Makes a chain in which each block has ten transactions, each of which pays 2 XMR to the next address of account 0 and
 * a change to another wallet, and stores it for the regtest daemon. The transactions are encoded as ordinary ones, and
 * their payments open as such; their key images, signatures and range proofs are random bytes, because no wallet and no
 * daemon that serves a stored chain verifies them.
 * @param payments a multiple of ten. @param addresses number of addresses, a multiple of ten.
 */
export function makeShopChain(dataDir: string, payee: Payee, payments: number, addresses: number): void {
  const time = { now: START };
  const store = new ChainStore(dataDir);
  try {
    const chain = new Chain(store, { clock: { now: () => 1000 * time.now }, fixedDifficulty: 1n });
    const rng = seededRng('shop chain');
    const miner = { spendPublicKey: payee.spendPublicKey, viewPublicKey: payee.spendPublicKey };
    const addBlocks = (blocks: readonly (readonly Payment[])[]): void =>
      store.atomically(() => {
        for (const block of blocks) {
          time.now += 1;
          addBlock(chain, miner, block, rng);
        }
      });
    addBlocks(Array.from({ length: FIRST_BLOCKS }, () => []));
    const outputs = outputMaker(payee, addresses, indexOf);
    const blocks = payments / PAYMENTS_A_BLOCK;
    for (let made = 0; made < blocks; made += BLOCKS_AT_ONCE)
      addBlocks(
        Array.from(outputs(Math.min(BLOCKS_AT_ONCE, blocks - made)), (block) => paymentsOf(block, rng)),
      );
  } finally {
    store.close();
  }
}

/** Index of a payment among the two outputs of its transaction: half of them come after the change. */
const indexOf = (position: number): number => position % 2;

/** Adds a block without proof of work to a chain, which takes the signatures of its payments for valid. */
function addBlock(
  chain: Chain,
  address: { readonly spendPublicKey: PublicKey; readonly viewPublicKey: PublicKey },
  payments: readonly Payment[],
  rng: Rng,
): void {
  const { tip, measures, height, version } = chain;
  const basis = {
    ...{ height, version, medianWeight: measures.penaltyMedian, generated: measures.generated },
    txWeight: payments.reduce((total, { weight }) => total + weight, 0),
    fees: payments.reduce((total, { base }) => total + base.fee, 0n),
  };
  const block = {
    header: {
      ...{ majorVersion: version, minorVersion: version, prevHash: tip.hash, nonce: 0 },
      timestamp: chain.now(),
    },
    minerTx: createMinerTx({ address, extraNonce: new Uint8Array() }, basis, rng),
    txHashes: payments.map(({ hash }) => hash),
  };
  chain.append(block, payments, new VerificationCache());
}

/** Makes the transactions of a block, with one payment each. */
function paymentsOf({ keys, made, derivations }: BlockOutputs, rng: Rng): Payment[] {
  const secrets = derivations.map((derivation, position) =>
    scalarBytes(derivationToScalar(derivation, indexOf(position))),
  );
  const commitments = commitEach(
    secrets.map(() => AMOUNT),
    secrets.map(commitmentMask),
  );
  return made.map((output, position) => {
    const paid = {
      output: { ...output, amount: ZERO },
      info: { amount: encryptAmount(AMOUNT, secrets[position] ?? rng(32)) },
      commitment: commitments[position] ?? (rng(32) as Commitment),
    };
    const change = {
      output: { publicKey: rng(32) as PublicKey, viewTag: rng(1)[0] ?? 0, amount: ZERO },
      info: { amount: rng(8) },
      commitment: rng(32) as Commitment,
    };
    const outputs = indexOf(position) === 0 ? [paid, change] : [change, paid];
    const key = keys[position];
    const tx: Transaction = {
      prefix: {
        ...{ version: 2, unlockTime: 0n },
        inputs: [{ type: 'key', amount: ZERO, keyOffsets: FIRST_OUTPUTS, keyImage: rng(32) as KeyImage }],
        outputs: outputs.map((each) => each.output),
        extra: writeExtra(key === undefined ? [] : [{ type: 'publicKey', key }]),
      },
      rct: {
        base: {
          ...{ type: 6, fee: FEE, pseudoOuts: [] },
          ecdhInfo: outputs.map(({ info }) => info),
          outPk: outputs.map(({ commitment }) => commitment),
        },
        prunable: proofs(rng),
      },
    };
    return readPayment(encode(transaction, tx));
  });
}

/** Ring of the outputs with the numbers from 0 on. */
const FIRST_OUTPUTS = Array.from({ length: RING_SIZE }, (_, i) => (i === 0 ? 0n : 1n));

/** Makes random bytes in place of the proofs and signatures of a transaction with one input and two outputs. */
function proofs(rng: Rng): RctPrunable {
  const point = (): ProofPoint => rng(32) as ProofPoint;
  const scalar = (): ProofScalar => rng(32) as ProofScalar;
  const points = (): ProofPoint[] => Array.from({ length: ROUNDS }, point);
  return {
    ...{ rangeSigs: [], bulletproofs: [], mlsags: [] },
    bulletproofsPlus: [
      {
        ...{ A: point(), A1: point(), B: point(), r1: scalar(), s1: scalar(), d1: scalar() },
        ...{ L: points(), R: points() },
      },
    ],
    clsags: [{ s: Array.from({ length: RING_SIZE }, scalar), c1: scalar(), D: point() }],
    pseudoOuts: [rng(32) as Commitment],
  };
}
