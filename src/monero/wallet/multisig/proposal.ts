import { BASE, type Curve } from '../../crypto/curve/curve.js';
import { loadCurve } from '../../crypto/curve/load-curve.js';
import { sumOfPoints } from '../../crypto/curve/points.js';
import { randomScalar, reduce, scalarBytes, toScalar, hashToScalar } from '../../crypto/scalar.js';
import type { PublicKey, KeyImage, SecretKey } from '../../crypto/types.js';
import type { FeeRates } from '../select/fees.js';
import type { Address } from '../../cryptonote/types.js';
import { INV_8 } from '../../ringct/clsag.js';
import { ClsagChallenger, clsagShare, NONCES, type NonceSums } from '../../ringct/clsag-multisig.js';
import { ZERO } from '../../../util/amount.js';
import { commit } from '../../ringct/commitment.js';
import type { Clsag, ProofPoint, ProofScalar } from '../../ringct/types.js';
import type { Rng } from '../../../util/random.js';
import {
  byDescendingKeyImage,
  targetsOf,
  unsignedTx,
  type TransactionPlan,
  type UnsignedTx,
} from '../build/construction.js';
import { layOutOutputs, paymentIdIn, type TxSecrets } from '../build/output-layout.js';
import { UNUSED_RCT_SIG, type MultisigParts, type MultisigSig } from '../exchange/pending-tx.js';
import {
  proveTransaction,
  settleFee,
  signedTx,
  type PricedPlan,
  type ProvedTx,
  type SignedTx,
} from '../build/signing.js';
import type { Attempt } from './attempts.js';
import { keccak } from '../../crypto/keccak.js';
import { utf8 } from '../../../util/bytes.js';

/** Data with which the first signer makes a transaction. Secret; a plain value. */
export interface ProposalPlan {
  /** Plan of the transaction. The `secretKey` of each input is this signer's part of the key. */
  readonly plan: PricedPlan;
  /** Fee rate [atomic units per byte of weight]. */
  readonly rate: bigint;
  readonly rates: FeeRates;
  /** Attempts with nonces of the other signers; their inputs have the order of `plan.inputs`. */
  readonly attempts: readonly Attempt[];
  /** Public keys of this signer's shares. */
  readonly signingKeys: readonly PublicKey[];
  /** Number of signers that are needed; with 1 the transaction is complete at once. */
  readonly threshold: number;
}

/** A transaction with the responses of the first signer, one per attempt. */
export interface Proposal extends MultisigParts {
  /** The transaction. Its ring signatures lack the responses of the real members, unless one signer suffices. */
  readonly signed: SignedTx;
}

const NO_SCALAR = new Uint8Array(32) as unknown as ProofScalar;
const ZERO_KEY = new Uint8Array(32) as PublicKey;
const proofScalar = (scalar: bigint): ProofScalar => scalarBytes(scalar) as unknown as ProofScalar;

/**
 * Returns a function that constructs the transaction with tx secret keys derived from its inputs. Source:
 * multisig_tx_builder_ringct.cpp `init`.
 */
const constructFrom =
  (entropy: Uint8Array) =>
  (plan: TransactionPlan, rng: Rng, curve?: Curve): UnsignedTx => {
    const targets = targetsOf(plan, rng);
    const { network } = plan.changeAddress;
    const zeroAddress: Address = {
      network,
      kind: 'standard',
      spendPublicKey: ZERO_KEY,
      viewPublicKey: ZERO_KEY,
    };
    const keyImages = byDescendingKeyImage(plan.inputs).map(({ keyImage }) => keyImage);
    const laidOut = layOutOutputs(
      {
        targets: targets.targets,
        recipients: plan.payees.map(({ address }) => address),
        // The other signers treat the change destination as change, even if it is the destination of the dummy output.
        changeAddress: targets.changeOrDummy ?? zeroAddress,
        viewSecret: plan.viewSecret,
        paymentId: paymentIdIn(plan.payees),
      },
      multisigTxSecrets(entropy, keyImages),
      curve,
    );
    return unsignedTx(plan, targets, laidOut);
  };

/** An input whose ring signature lacks the response of the real member. */
interface OpenInput {
  readonly challenger: ClsagChallenger;
  /** Secret `µ_P·p + µ_C·z`, with p this signer's part of the key. */
  readonly w: bigint;
  /** `Hp(P)` of the real member. */
  readonly base: Uint8Array;
  readonly clsag: Clsag;
}

function openInput(unsigned: UnsignedTx, proved: ProvedTx, i: number, rng: Rng, curve: Curve): OpenInput {
  const input = unsigned.inputs[i];
  const own = input?.ring.members[input.ring.realIndex];
  if (input === undefined || own === undefined) throw new RangeError('the real member is not in the ring');
  const { members: ring, realIndex } = input.ring;
  const z = reduce(input.mask - (proved.inputMasks[i] ?? 0n));
  if (z === 0n) throw new RangeError('the pseudo output must not repeat the commitment of the real member');
  const [base] = curve.hashToPoints([own.publicKey]) as [Uint8Array];
  const clsag: Clsag = {
    s: ring.map((_, j) => (j === realIndex ? NO_SCALAR : proofScalar(randomScalar(rng)))),
    c1: NO_SCALAR,
    D: curve.multiplySecret([base], [scalarBytes(reduce(z * INV_8))])[0] as unknown as ProofPoint,
  };
  const challenger = new ClsagChallenger(
    {
      message: proved.message,
      ring,
      realIndex,
      keyImage: input.keyImage,
      D: clsag.D,
      pseudoOut: proved.prunable.pseudoOuts[i] ?? commit(ZERO, 0n),
      s: clsag.s,
    },
    curve,
  );
  const w = reduce(challenger.muP * toScalar(input.secretKey) + challenger.muC * z);
  return { challenger, w, base, clsag };
}

/** Computes the part of an attempt that concerns one input: the sums of all nonces, and the first signer's response. */
function respond(
  { challenger, w, base }: OpenInput,
  others: Attempt['nonces'][number],
  rng: Rng,
  curve: Curve,
) {
  const own = Array.from({ length: NONCES }, () => randomScalar(rng));
  const sumsOf = (point: Uint8Array, part: 'L' | 'R'): Uint8Array[] =>
    curve
      .multiplySecret(
        own.map(() => point),
        own.map(scalarBytes),
      )
      .map((product, i) => sumOfPoints([product, ...(others[i] ?? []).map((other) => other[part])], curve));
  const sums: NonceSums = { G: sumsOf(BASE, 'L'), H: sumsOf(base, 'R') };
  const challenge = challenger.challenge(sums);
  return { sums, c1: proofScalar(challenge.c1), s: proofScalar(clsagShare(challenge, own, w)) };
}

/**
 * Makes a transaction and signs it as the first signer. Slow: run it on a worker thread.
 * @throws RangeError if the plan is inconsistent, or the inputs do not cover its amounts. Source: wallet2.cpp
 * `transfer_selected_rct`, multisig_tx_builder_ringct.cpp `first_partial_sign`.
 */
export function propose(proposal: ProposalPlan, rng: Rng, curve: Curve = loadCurve()): Proposal {
  const { plan, rate, rates, attempts, signingKeys, threshold } = proposal;
  const entropy = scalarBytes(randomScalar(rng));
  const unsigned = settleFee(plan, rate, rates, rng, curve, constructFrom(entropy));
  const proved = proveTransaction(unsigned, rng, curve);
  const inputs = unsigned.inputs.map((_, i) => openInput(unsigned, proved, i, rng, curve));
  const planIndices = unsigned.inputs.map(({ keyImage }) =>
    plan.inputs.findIndex((input) => input.keyImage === keyImage),
  );
  const sigs = attempts.map(({ ignored, nonces }): MultisigSig => {
    const responses = inputs.map((input, i) =>
      respond(input, nonces[planIndices[i] ?? -1] ?? [], rng, curve),
    );
    return {
      sigs: UNUSED_RCT_SIG,
      ignore: ignored,
      usedL: nonces.flat(2).map(({ L }) => L),
      signingKeys,
      out: { c: [], muP: [] },
      totalAlphaG: responses.map(({ sums }) => sums.G),
      totalAlphaH: responses.map(({ sums }) => sums.H),
      c0: responses.map(({ c1 }) => c1 as Uint8Array),
      s: responses.map(({ s }) => s as Uint8Array),
    };
  });
  const openClsags = inputs.map(({ clsag }) => clsag);
  const [only] = sigs;
  const clsags = threshold === 1 && only !== undefined ? completed(unsigned, openClsags, only) : openClsags;
  const tx = {
    prefix: unsigned.prefix,
    rct: { base: proved.base, prunable: { ...proved.prunable, clsags } },
  };
  return { signed: signedTx(unsigned, tx), sigs, entropy };
}

const completed = ({ inputs }: UnsignedTx, clsags: readonly Clsag[], sig: MultisigSig): Clsag[] =>
  clsags.map((clsag, i) => withResponse(clsag, inputs[i]?.ring.realIndex ?? -1, sig, i));

/** Inserts the response of an attempt into a ring signature. Source: multisig_tx_builder_ringct.cpp `finalize_tx`. */
export function withResponse(clsag: Clsag, realIndex: number, { c0, s }: MultisigSig, input: number): Clsag {
  const [c1, own] = [c0[input], s[input]];
  if (c1 === undefined || own === undefined) throw new RangeError('an attempt does not answer every input');
  return {
    ...clsag,
    c1: c1 as unknown as ProofScalar,
    s: clsag.s.map((scalar, j) => (j === realIndex ? (own as unknown as ProofScalar) : scalar)),
  };
}

/**
 * Domain names in the hashes below. Source: cryptonote_config.h `HASH_KEY_MULTISIG_TX_PRIVKEYS_SEED`,
 * `HASH_KEY_MULTISIG_TX_PRIVKEYS`.
 */
const SEED_NAME = keccak(utf8('multisig_tx_privkeys_seed'));
const CHAIN_NAME = keccak(utf8('multisig_tx_privkeys'));

/**
 * Derives the tx secret keys of a multisig transaction from its inputs and from entropy. The inputs keep a proposer
 * from making two transactions whose outputs have the same keys; the entropy keeps the chain from revealing the keys.
 * @param entropy 32 bytes.
 * @param keyImages in the order of the inputs. Source: multisig_tx_builder_ringct.cpp `make_tx_secret_key_seed`,
 * `make_tx_secret_keys`.
 */
export const multisigTxSecrets =
  (entropy: Uint8Array, keyImages: readonly KeyImage[]) =>
  (additional: number): TxSecrets => {
    const seed = keccak(SEED_NAME, entropy, ...keyImages);
    const next = (last: Uint8Array): SecretKey => scalarBytes(hashToScalar(seed, last));
    const txSecretKey = next(CHAIN_NAME);
    const additionalSecretKeys: SecretKey[] = [];
    for (let i = 0; i < additional; i++)
      additionalSecretKeys.push(next(additionalSecretKeys.at(-1) ?? txSecretKey));
    return { txSecretKey, additionalSecretKeys };
  };
