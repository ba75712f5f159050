import { ephemeralSecret, NO_PAYMENT_ID, xor, type EnoteType } from '../../monero/carrot/derivations.js';
import { spendContext, txOutputOf, type Enote } from '../../monero/carrot/enote.js';
import { ephemeralKeyOf } from '../../monero/carrot/opening.js';
import { toMontgomery } from '../../monero/carrot/point-conversion.js';
import {
  baseOf,
  payAddress,
  payInternally,
  payOwnAddress,
  type MadeEnote,
} from '../../monero/carrot/sending.js';
import { AMOUNT_BASE } from '../../monero/crypto/curve/curve.js';
import { loadCurve } from '../../monero/crypto/curve/load-curve.js';
import { randomSecretKey } from '../../monero/crypto/derivation.js';
import { intToBytes, randomScalar, reduce, scalarBytes } from '../../monero/crypto/scalar.js';
import type { Commitment, KeyImage, PublicKey, SecretKey } from '../../monero/crypto/types.js';
import { MAX_OUTPUTS } from '../../monero/cryptonote/constants.js';
import { paymentIdField, writeExtra } from '../../monero/cryptonote/extra.js';
import { fcmpWeight } from '../../monero/cryptonote/fcmp-weight.js';
import { transaction } from '../../monero/cryptonote/transaction.js';
import type { Address, PaymentId, Transaction, TxOutput } from '../../monero/cryptonote/types.js';
import { ANCHOR_BYTES, RCT_FCMP } from '../../monero/fork-rules.js';
import { proveRange } from '../../monero/ringct/bulletproofs-plus.js';
import { commit } from '../../monero/ringct/commitment.js';
import { fcmpProofSize } from '../../monero/ringct/fcmp-proof-size.js';
import type { BulletproofPlus, EcdhInfo } from '../../monero/ringct/types.js';
import { amount, ZERO, type Amount } from '../../util/amount.js';
import { compareBytes } from '../../util/bytes.js';
import { encode } from '../../util/codec.js';
import type { Rng } from '../../util/random.js';
import { PLACEHOLDER_LAYERS } from '../rules/output-tree.js';
import { readPayment, type Payment } from '../rules/tx-rules.js';
import { nobody, randomPoint } from './nobody.js';

/*
 * Transactions in the form of the fork, for rehearsals. Their outputs, range proof and balance are right, but they spend
 * nothing: key images are given or random, and membership proofs are zeros.
 */

/** An output to be made; `amount` in atomic units. */
export type CarrotTarget = {
  readonly address: Address;
  readonly amount: Amount;
  /** True: the encrypted amount is one atomic unit off the amount in the commitment. */
  readonly wrongAmount?: boolean;
} & (
  | { readonly kind: 'payment' }
  /** Payment with the spend key of `address` and the view key of another one, as an attacker links two addresses. */
  | { readonly kind: 'linking'; readonly viewOf: Address }
  /** Output of the payer to itself, which the view secret key or the view-balance secret of its account recognises. */
  | { readonly kind: 'special'; readonly type: EnoteType; readonly viewSecret: SecretKey }
  | { readonly kind: 'internal'; readonly type: EnoteType; readonly balanceSecret: Uint8Array }
);

/** Inputs of a fabricated transaction. */
export interface CarrotSpend {
  /** Key images that the transaction spends; empty: a random one. */
  readonly keyImages: readonly KeyImage[];
  /** Height of the block whose tree of outputs the membership proof names. */
  readonly referenceBlock: number;
  /** Fee per byte of weight [atomic units]. */
  readonly feePerByte: bigint;
}

/** Outputs of a transaction with everything that covers them. */
interface CoveredOutputs {
  readonly outputs: readonly TxOutput[];
  readonly extra: Uint8Array;
  readonly ecdhInfo: readonly EcdhInfo[];
  readonly outPk: readonly Commitment[];
  readonly proof: BulletproofPlus;
}

const isOwn = ({ kind }: CarrotTarget): boolean => kind === 'special' || kind === 'internal';

/** Returns a change output without money to an account whose keys are not kept: every transaction has one to its payer. */
const thrownAway = (rng: Rng): CarrotTarget => ({
  ...{ kind: 'special', type: 'change', amount: ZERO, viewSecret: randomSecretKey(rng) },
  address: nobody(rng),
});

/** Makes the outputs of a transaction, of which those of the payer may take the ephemeral key of another output. */
class OutputMaker {
  readonly #context: Uint8Array;
  readonly #rng: Rng;

  constructor(context: Uint8Array, rng: Rng) {
    this.#context = context;
    this.#rng = rng;
  }

  /** Makes an output. @param anchor of a payment, 16 bytes. @param others ephemeral key of the other output, which an output of the payer shares. */
  make(target: CarrotTarget, anchor: Uint8Array, others?: Uint8Array): MadeEnote {
    const { address, amount: paid } = target;
    const { spendPublicKey } = address;
    if (target.kind === 'payment') return payAddress({ address, amount: paid, anchor }, this.#context);
    if (target.kind === 'linking') return this.#makeLinking(target, target.viewOf);
    const ephemeralKey = others ?? ephemeralKeyOf(randomScalar(this.#rng), baseOf(address));
    const own = { spendPublicKey, amount: paid, type: target.type, ephemeralKey };
    if (target.kind === 'internal') return payInternally(own, target.balanceSecret, this.#context);
    const sharedSecret = loadCurve().x25519(ephemeralKey, target.viewSecret);
    return payOwnAddress(own, { viewSecret: target.viewSecret, sharedSecret }, this.#context);
  }

  /**
   * Makes an output that a wallet finds with the view key of one address, and whose key is that of another one. The anchor is
   * zeros, and gives the ephemeral secret key, so that only the base of the ephemeral key is wrong.
   */
  #makeLinking({ address: { spendPublicKey }, amount: paid }: CarrotTarget, viewOf: Address): MadeEnote {
    const secret = ephemeralSecret(
      new Uint8Array(ANCHOR_BYTES),
      this.#context,
      spendPublicKey,
      NO_PAYMENT_ID,
    );
    const shared = loadCurve().multiplySecret([viewOf.viewPublicKey], [scalarBytes(secret)])[0];
    const ephemeralKey = ephemeralKeyOf(secret, baseOf(viewOf));
    // An internal output is one with a given shared secret and an anchor of zeros.
    return payInternally(
      { spendPublicKey, amount: paid, type: 'payment', ephemeralKey },
      toMontgomery(shared as Uint8Array),
      this.#context,
    );
  }
}

/** Returns the encrypted amount of an output, which is that of another amount if the target demands it. */
function encryptedAmount({ amount: sent }: Enote, { amount: paid, wrongAmount }: CarrotTarget): Uint8Array {
  if (sent.kind === 'plain') throw new RangeError('the amount is not encrypted');
  return wrongAmount === true ? xor(sent.bytes, intToBytes(paid ^ (paid + 1n)).slice(0, 8)) : sent.bytes;
}

const commitmentIn = ({ amount: sent }: Enote): Commitment => {
  if (sent.kind === 'plain') throw new RangeError('the amount is not encrypted');
  return sent.commitment;
};

/**
 * Makes a transaction that pays the targets, and without an output of the payer among them also one to an account whose keys
 * are not kept. Of two outputs, that of the payer has the ephemeral key of the other one; three or more have a key each.
 * @param ownKeys true: also each of two outputs has its own ephemeral key.
 * @returns the transaction, and the index of the output of each target.
 * @throws RangeError for more than one payment id, or more outputs than a range proof covers.
 */
export function makeCarrotPayment(
  targets: readonly CarrotTarget[],
  spend: CarrotSpend,
  rng: Rng,
  ownKeys = false,
): { readonly payment: Payment; readonly indices: readonly number[] } {
  const ids = targets.filter(({ kind, address }) => kind === 'payment' && address.paymentId !== undefined);
  if (ids.length > 1) throw new RangeError('a transaction has one payment id');
  const all = targets.length >= 2 && targets.some(isOwn) ? targets : [...targets, thrownAway(rng)];
  if (all.length > MAX_OUTPUTS) throw new RangeError(`a transaction has at most ${MAX_OUTPUTS} outputs`);
  const keyImages = spentBy(spend, rng);
  const context = spendContext(keyImages[0] as KeyImage);
  const maker = new OutputMaker(context, rng);
  const isShared = all.length === 2 && !ownKeys;
  // The outputs of the payer come last, since they take the ephemeral key of the other one.
  const made: { readonly target: CarrotTarget; readonly enote: Enote; readonly mask: bigint }[] = [];
  for (const target of [...all].sort((a, b) => Number(isOwn(a)) - Number(isOwn(b))))
    made.push({
      target,
      ...maker.make(target, rng(ANCHOR_BYTES), isShared ? made[0]?.enote.ephemeralKey : undefined),
    });
  made.sort((a, b) => compareBytes(a.enote.outputKey, b.enote.outputKey));
  const { proof } = proveRange(
    made.map(({ target }) => target.amount),
    made.map(({ mask }) => mask),
    rng,
  );
  const encryptedId = made.find(({ enote }) => enote.encryptedPaymentId)?.enote.encryptedPaymentId;
  const keys = made.map(({ enote }) => enote.ephemeralKey as PublicKey);
  const covered: CoveredOutputs = {
    outputs: made.map(({ enote }) => txOutputOf(enote)),
    extra: writeExtra([
      isShared ? { type: 'publicKey', key: keys[0] as PublicKey } : { type: 'additionalKeys', keys },
      paymentIdField({ kind: 'short', id: encryptedId ?? (rng(8) as PaymentId) }),
    ]),
    ecdhInfo: made.map(({ enote, target }) => ({ amount: encryptedAmount(enote, target) })),
    outPk: made.map(({ enote }) => commitmentIn(enote)),
    proof,
  };
  return {
    payment: spendFor(covered, keyImages, spend, rng),
    indices: targets.map((target) => made.findIndex((output) => output.target === target)),
  };
}

/**
 * Makes a transaction with the outputs of another one, one-time keys and commitments included.
 * @throws RangeError if that is no transaction in the form of the fork.
 */
export function repeatCarrotPayment({ prefix, rct }: Transaction, spend: CarrotSpend, rng: Rng): Payment {
  const [proof] = rct?.prunable?.bulletproofsPlus ?? [];
  if (rct?.base.type !== RCT_FCMP || proof === undefined)
    throw new RangeError('the repeated transaction is not in the form of the fork');
  const { ecdhInfo, outPk } = rct.base;
  const { outputs, extra } = prefix;
  return spendFor({ outputs, extra, ecdhInfo, outPk, proof }, spentBy(spend, rng), spend, rng);
}

/** Returns the key images of the inputs, in their order: descending. */
const spentBy = ({ keyImages }: CarrotSpend, rng: Rng): readonly KeyImage[] =>
  keyImages.length === 0
    ? [randomPoint(rng) as Uint8Array as KeyImage]
    : [...keyImages].sort((a, b) => compareBytes(b, a));

/** Adds inputs, fee, balance and placeholders of proofs to outputs. */
function spendFor(
  { outputs, extra, ecdhInfo, outPk, proof }: CoveredOutputs,
  keyImages: readonly KeyImage[],
  { referenceBlock, feePerByte }: CarrotSpend,
  rng: Rng,
): Payment {
  const weight = fcmpWeight(keyImages.length, outputs.length, extra.length);
  const fee = amount(BigInt(weight) * feePerByte);
  const size = fcmpProofSize(keyImages.length, PLACEHOLDER_LAYERS);
  const tx: Transaction = {
    prefix: {
      ...{ version: 2, unlockTime: 0n, outputs, extra },
      inputs: keyImages.map((keyImage) => ({ type: 'key', amount: ZERO, keyOffsets: [], keyImage })),
    },
    rct: {
      base: { type: RCT_FCMP, fee, pseudoOuts: [], ecdhInfo, outPk },
      prunable: {
        ...{ rangeSigs: [], bulletproofs: [], bulletproofsPlus: [proof], mlsags: [], clsags: [] },
        fcmp: { referenceBlock, layers: PLACEHOLDER_LAYERS, proof: new Uint8Array(size) },
        pseudoOuts: balancing(outPk, fee, keyImages.length, rng),
      },
    },
  };
  return readPayment(encode(transaction, tx));
}

/** Returns pseudo outputs whose sum is that of the outputs and the fee. Nobody knows what the last one commits to. */
function balancing(outPk: readonly Commitment[], fee: Amount, inputs: number, rng: Rng): Commitment[] {
  const others = Array.from({ length: inputs - 1 }, () => commit(ZERO, randomScalar(rng)));
  const last = loadCurve().multiexp(
    [...outPk, AMOUNT_BASE, ...others],
    [...outPk.map(() => 1n), fee, ...others.map(() => reduce(-1n))],
  );
  return [...others, last as Commitment];
}
