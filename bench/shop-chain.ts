import { loadCurve } from '../src/monero/crypto/curve/load-curve.js';
import { derivationToScalar, publicKeysOf } from '../src/monero/crypto/derivation.js';
import { randomScalar, scalarBytes } from '../src/monero/crypto/scalar.js';
import type { Commitment, KeyImage, PublicKey } from '../src/monero/crypto/types.js';
import { writeExtra } from '../src/monero/cryptonote/extra.js';
import { transaction } from '../src/monero/cryptonote/transaction.js';
import type { Transaction, TxOutput } from '../src/monero/cryptonote/types.js';
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
  PAYEE,
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

/** Number of points in each half of a range proof over a number of outputs. */
const roundsFor = (outputs: number): number => 6 + Math.ceil(Math.log2(outputs));

/**
 * Makes a chain in which each block has ten transactions, each of which pays 2 XMR to the next address of account 0 and
 * a change to another wallet, and stores it for the regtest daemon. The transactions are encoded as ordinary ones, and
 * their payments open as such; their key images, signatures and range proofs are random bytes, because no wallet and no
 * daemon that serves a stored chain verifies them.
 * @param payments a multiple of ten. @param addresses number of addresses, a multiple of ten.
 */
export function makeShopChain(dataDir: string, payee: Payee, payments: number, addresses: number): void {
  const outputs = outputMaker(payee, addresses, indexOf);
  makeChain(dataDir, payments, (blocks, rng) =>
    Array.from(outputs(blocks), (block) => paymentsOf(block, rng)),
  );
}

/**
 * Makes a chain as {@link makeShopChain}, in which no transaction pays a wallet, and each has a transaction key for each
 * of its outputs, as a payment to subaddresses of several wallets. @param transactions a multiple of ten.
 */
export function makeStrangersChain(dataDir: string, transactions: number, outputs: number): void {
  makeChain(dataDir, transactions, (blocks, rng) =>
    Array.from({ length: blocks }, () =>
      Array.from({ length: PAYMENTS_A_BLOCK }, () => paymentToStrangers(outputs, rng)),
    ),
  );
}

/** Address that no wallet has. */
const MINER = { spendPublicKey: PAYEE.spendPublicKey, viewPublicKey: PAYEE.spendPublicKey };

/** Makes the payments of a number of blocks. */
type MakeBlocks = (blocks: number, rng: Rng) => readonly (readonly Payment[])[];

/** Makes a chain of blocks with ten payments each. @param payments a multiple of ten. */
function makeChain(dataDir: string, payments: number, paymentsOfBlocks: MakeBlocks): void {
  const time = { now: START };
  const store = new ChainStore(dataDir);
  try {
    const chain = new Chain(store, { clock: { now: () => 1000 * time.now }, fixedDifficulty: 1n });
    const rng = seededRng('shop chain');
    const addBlocks = (blocks: readonly (readonly Payment[])[]): void =>
      store.atomically(() => {
        for (const block of blocks) {
          time.now += 1;
          addBlock(chain, MINER, block, rng);
        }
      });
    addBlocks(Array.from({ length: FIRST_BLOCKS }, () => []));
    const blocks = payments / PAYMENTS_A_BLOCK;
    for (let made = 0; made < blocks; made += BLOCKS_AT_ONCE)
      addBlocks(paymentsOfBlocks(Math.min(BLOCKS_AT_ONCE, blocks - made), rng));
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
    const change = strangerOutput(rng);
    const outputs = indexOf(position) === 0 ? [paid, change] : [change, paid];
    const key = keys[position];
    return paymentWith(outputs, writeExtra(key === undefined ? [] : [{ type: 'publicKey', key }]), rng);
  });
}

/** An output of a transaction, with its amount and commitment. */
interface PaidOutput {
  readonly output: TxOutput;
  readonly info: { readonly amount: Uint8Array };
  readonly commitment: Commitment;
}

/** Makes a transaction with a key for each output. */
function paymentToStrangers(outputs: number, rng: Rng): Payment {
  const [main, ...keys] = publicKeysOf(
    Array.from({ length: outputs + 1 }, () => scalarBytes(randomScalar(rng))),
    loadCurve(),
  );
  if (main === undefined) throw new Error('no key');
  const extra = writeExtra([
    { type: 'publicKey', key: main },
    { type: 'additionalKeys', keys },
  ]);
  return paymentWith(
    keys.map(() => strangerOutput(rng)),
    extra,
    rng,
  );
}

const strangerOutput = (rng: Rng): PaidOutput => ({
  output: { publicKey: rng(32) as PublicKey, viewTag: rng(1)[0] ?? 0, amount: ZERO },
  info: { amount: rng(8) },
  commitment: rng(32) as Commitment,
});

/** Makes a transaction with one input, whose proofs and signatures are random bytes. */
function paymentWith(outputs: readonly PaidOutput[], extra: Uint8Array, rng: Rng): Payment {
  const tx: Transaction = {
    prefix: {
      ...{ version: 2, unlockTime: 0n },
      inputs: [{ type: 'key', amount: ZERO, keyOffsets: FIRST_OUTPUTS, keyImage: rng(32) as KeyImage }],
      outputs: outputs.map((each) => each.output),
      extra,
    },
    rct: {
      base: {
        ...{ type: 6, fee: FEE, pseudoOuts: [] },
        ecdhInfo: outputs.map(({ info }) => info),
        outPk: outputs.map(({ commitment }) => commitment),
      },
      prunable: proofs(outputs.length, rng),
    },
  };
  return readPayment(encode(transaction, tx));
}

/** Ring of the outputs with the numbers from 0 on. */
const FIRST_OUTPUTS = Array.from({ length: RING_SIZE }, (_, i) => (i === 0 ? 0n : 1n));

/** Makes random bytes in place of the proofs and signatures of a transaction with one input. */
function proofs(outputs: number, rng: Rng): RctPrunable {
  const point = (): ProofPoint => rng(32) as ProofPoint;
  const scalar = (): ProofScalar => rng(32) as ProofScalar;
  const points = (): ProofPoint[] => Array.from({ length: roundsFor(outputs) }, point);
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
