import type { Commitment } from '../crypto/types.js';
import {
  LONG_ECDH_BYTES,
  RCT_NEWEST,
  RCT_NONE,
  RCT_SHORT_AMOUNTS,
  RCT_SIMPLE,
  SHORT_ECDH_BYTES,
} from '../format.js';
import {
  MOST_FCMP_INPUTS,
  MOST_TREE_LAYERS,
  RCT_FCMP,
  WEIGHED_HEIGHT_BYTES,
  WEIGHED_LAYERS,
} from '../fork-rules.js';
import { amount, ZERO } from '../../util/amount.js';
import {
  CodecError,
  list,
  raw,
  repeat,
  role,
  u32,
  varint,
  varintNumber,
  type Codec,
} from '../../util/codec.js';
import { fcmpProofSize } from './fcmp-proof-size.js';
import type {
  BorromeanRangeSig,
  Bulletproof,
  BulletproofPlus,
  Clsag,
  EcdhInfo,
  FcmpProofs,
  Mlsag,
  ProofPoint,
  ProofScalar,
  RctBase,
  RctPrunable,
  RctType,
} from './types.js';

const point = role<ProofPoint>(32);
const scalar = role<ProofScalar>(32);
const commitment = role<Commitment>(32);

/** Smallest number of rounds of a range proof. A proof of 2^k amounts of 64 bits has 6 + k rounds, k ≤ 4. */
const MIN_ROUNDS = 6;
const MAX_ROUNDS = 10;

const isRctType = (value: number): value is RctType =>
  (value >= RCT_NONE && value <= RCT_NEWEST) || value === RCT_FCMP;

/** Returns true for the types with 8-byte amounts and no mask. */
const hasShortAmounts = (type: RctType): boolean => type >= RCT_SHORT_AMOUNTS;

const ecdhInfo = (type: RctType): Codec<EcdhInfo> => {
  const key = raw(LONG_ECDH_BYTES / 2);
  const short = raw(SHORT_ECDH_BYTES);
  return {
    write(info, w) {
      if (hasShortAmounts(type)) return short.write(info.amount, w);
      if (info.mask === undefined) throw new RangeError('ecdhInfo: the mask is missing');
      key.write(info.mask, w);
      return key.write(info.amount, w);
    },
    read: (r) =>
      hasShortAmounts(type) ? { amount: short.read(r) } : { mask: key.read(r), amount: key.read(r) },
  };
};

/** Returns the codec of the part that pruning keeps. Source: rctTypes.h `serialize_rctsig_base`. */
export const rctBase = (inputs: number, outputs: number): Codec<RctBase> => ({
  write(base, w) {
    w.byte(base.type);
    if (base.type === RCT_NONE) return;
    varint.write(base.fee, w);
    if (base.type === RCT_SIMPLE) repeat(inputs, commitment).write(base.pseudoOuts, w);
    repeat(outputs, ecdhInfo(base.type)).write(base.ecdhInfo, w);
    repeat(outputs, commitment).write(base.outPk, w);
  },
  read(r) {
    const type = r.byte();
    if (!isRctType(type)) throw new CodecError('unknown RingCT type');
    if (type === RCT_NONE) return { type, fee: ZERO, pseudoOuts: [], ecdhInfo: [], outPk: [] };
    return {
      type,
      fee: amount(varint.read(r)),
      pseudoOuts: type === RCT_SIMPLE ? repeat(inputs, commitment).read(r) : [],
      ecdhInfo: repeat(outputs, ecdhInfo(type)).read(r),
      outPk: repeat(outputs, commitment).read(r),
    };
  },
});

const rangeSig: Codec<BorromeanRangeSig> = {
  write(sig, w) {
    repeat(64, scalar).write(sig.s0, w);
    repeat(64, scalar).write(sig.s1, w);
    scalar.write(sig.ee, w);
    repeat(64, point).write(sig.Ci, w);
  },
  read: (r) => ({
    s0: repeat(64, scalar).read(r),
    s1: repeat(64, scalar).read(r),
    ee: scalar.read(r),
    Ci: repeat(64, point).read(r),
  }),
};

function checkRounds<P extends { readonly L: readonly ProofPoint[]; readonly R: readonly ProofPoint[] }>(
  proof: P,
): P {
  const { L, R } = proof;
  if (L.length !== R.length || L.length < MIN_ROUNDS || L.length > MAX_ROUNDS)
    throw new CodecError('range proof: wrong number of rounds');
  return proof;
}

const bulletproof: Codec<Bulletproof> = {
  write(proof, w) {
    for (const p of [proof.A, proof.S, proof.T1, proof.T2]) point.write(p, w);
    for (const s of [proof.taux, proof.mu]) scalar.write(s, w);
    list(point).write(proof.L, w);
    list(point).write(proof.R, w);
    for (const s of [proof.a, proof.b, proof.t]) scalar.write(s, w);
  },
  read: (r) =>
    checkRounds({
      A: point.read(r),
      S: point.read(r),
      T1: point.read(r),
      T2: point.read(r),
      taux: scalar.read(r),
      mu: scalar.read(r),
      L: list(point).read(r),
      R: list(point).read(r),
      a: scalar.read(r),
      b: scalar.read(r),
      t: scalar.read(r),
    }),
};

const bulletproofPlus: Codec<BulletproofPlus> = {
  write(proof, w) {
    for (const p of [proof.A, proof.A1, proof.B]) point.write(p, w);
    for (const s of [proof.r1, proof.s1, proof.d1]) scalar.write(s, w);
    list(point).write(proof.L, w);
    list(point).write(proof.R, w);
  },
  read: (r) =>
    checkRounds({
      A: point.read(r),
      A1: point.read(r),
      B: point.read(r),
      r1: scalar.read(r),
      s1: scalar.read(r),
      d1: scalar.read(r),
      L: list(point).read(r),
      R: list(point).read(r),
    }),
};

/** Returns the codec of a list of range proofs, which together must cover all outputs. */
const rangeProofs = <P extends { readonly L: readonly ProofPoint[] }>(
  count: Codec<number>,
  proof: Codec<P>,
  outputs: number,
): Codec<readonly P[]> => ({
  write(proofs, w) {
    count.write(proofs.length, w);
    for (const one of proofs) proof.write(one, w);
  },
  read(r) {
    const length = count.read(r);
    if (length > outputs) throw new CodecError('more range proofs than outputs');
    const proofs = Array.from({ length }, () => proof.read(r));
    const covered = proofs.reduce((total, { L }) => total + 2 ** (L.length - MIN_ROUNDS), 0);
    if (covered < outputs) throw new CodecError('range proofs do not cover every output');
    return proofs;
  },
});

const clsag = (ringSize: number): Codec<Clsag> => ({
  write(sig, w) {
    repeat(ringSize, scalar).write(sig.s, w);
    scalar.write(sig.c1, w);
    point.write(sig.D, w);
  },
  read: (r) => ({ s: repeat(ringSize, scalar).read(r), c1: scalar.read(r), D: point.read(r) }),
});

const mlsag = (ringSize: number, columns: number): Codec<Mlsag> => ({
  write(sig, w) {
    repeat(ringSize, repeat(columns, scalar)).write(sig.ss, w);
    scalar.write(sig.cc, w);
  },
  read: (r) => ({ ss: repeat(ringSize, repeat(columns, scalar)).read(r), cc: scalar.read(r) }),
});

/** Returns the codec of the proofs of type 7, whose numbers of inputs and layers the reference limits. */
const fcmpProofs = (inputs: number): Codec<FcmpProofs> => ({
  write({ referenceBlock, layers, proof }, w) {
    varintNumber.write(referenceBlock, w);
    w.byte(layers);
    raw(fcmpProofSize(inputs, layers)).write(proof, w);
  },
  read(r) {
    const referenceBlock = varintNumber.read(r);
    const layers = r.byte();
    if (inputs === 0 || inputs > MOST_FCMP_INPUTS)
      throw new CodecError('membership proof: wrong number of inputs');
    if (layers === 0 || layers > MOST_TREE_LAYERS)
      throw new CodecError('membership proof: wrong number of layers');
    return { referenceBlock, layers, proof: raw(fcmpProofSize(inputs, layers)).read(r) };
  },
});

const NOTHING: RctPrunable = {
  rangeSigs: [],
  bulletproofs: [],
  bulletproofsPlus: [],
  mlsags: [],
  clsags: [],
  pseudoOuts: [],
};

/**
 * Returns the codec of the part that pruning removes.
 * @param ringSize ring size of the first input, which the reference uses for all inputs. Source: rctTypes.h
 * `serialize_rctsig_prunable`.
 */
export function rctPrunable(
  type: RctType,
  inputs: number,
  outputs: number,
  ringSize: number,
): Codec<RctPrunable> {
  const plusProofs = rangeProofs(varintNumber, bulletproofPlus, outputs);
  const proofs = rangeProofs(type === 3 ? u32 : varintNumber, bulletproof, outputs);
  const rangeSigs = repeat(outputs, rangeSig);
  const clsags = repeat(inputs, clsag(ringSize));
  const mlsags = type === 1 ? repeat(1, mlsag(ringSize, inputs + 1)) : repeat(inputs, mlsag(ringSize, 2));
  const fcmp = fcmpProofs(inputs);
  const pseudoOuts = repeat(inputs, commitment);
  return {
    write(prunable, w) {
      if (type === 0) return;
      if (type >= 6) plusProofs.write(prunable.bulletproofsPlus, w);
      else if (type >= 3) proofs.write(prunable.bulletproofs, w);
      else rangeSigs.write(prunable.rangeSigs, w);
      if (type === RCT_FCMP) {
        if (prunable.fcmp === undefined) throw new RangeError('the membership proof is missing');
        fcmp.write(prunable.fcmp, w);
      } else if (type >= 5) clsags.write(prunable.clsags, w);
      else mlsags.write(prunable.mlsags, w);
      if (type >= 3) pseudoOuts.write(prunable.pseudoOuts, w);
    },
    read(r) {
      if (type === 0) return NOTHING;
      // The fields are read in the order of the encoding.
      const bulletproofsPlus = type >= 6 ? plusProofs.read(r) : [];
      const bulletproofs = type >= 3 && type < 6 ? proofs.read(r) : [];
      const borromean = type < 3 ? rangeSigs.read(r) : [];
      return {
        bulletproofsPlus,
        bulletproofs,
        rangeSigs: borromean,
        ...(type === RCT_FCMP ? { fcmp: fcmp.read(r) } : {}),
        clsags: type === 5 || type === 6 ? clsags.read(r) : [],
        mlsags: type < 5 ? mlsags.read(r) : [],
        pseudoOuts: type >= 3 ? pseudoOuts.read(r) : [],
      };
    },
  };
}

/**
 * Computes the size of {@link rctPrunable} [bytes] from the numbers of inputs, outputs and ring members, without the
 * signatures and proofs. From type 3 on there is one range proof for all outputs. Source: rctTypes.h
 * `serialize_rctsig_prunable`; rctSigs.cpp `is_canonical_bulletproof_layout`.
 * The size of type 7 is an estimate: it depends on the height and the layers of the tree, which the part at hand does not
 * name, so that it is taken as weights take it.
 */
export function rctPrunableSize(type: RctType, inputs: number, outputs: number, ringSize: number): number {
  if (type === 0) return 0;
  const mlsagSize = (columns: number): number => 32 * (ringSize * columns + 1);
  const roundsSize = 2 * (1 + 32 * (MIN_ROUNDS + Math.ceil(Math.log2(Math.max(1, outputs)))));
  // A proof consists of a count of 4 bytes or 1, then points and scalars, and two lists with a point per round.
  const proofs: Record<Exclude<RctType, 0>, number> = {
    1: outputs * 32 * 193,
    2: outputs * 32 * 193,
    3: 4 + 32 * 9 + roundsSize,
    4: 1 + 32 * 9 + roundsSize,
    5: 1 + 32 * 9 + roundsSize,
    6: 1 + 32 * 6 + roundsSize,
    7: 1 + 32 * 6 + roundsSize,
  };
  if (type === RCT_FCMP)
    return proofs[type] + WEIGHED_HEIGHT_BYTES + 1 + fcmpProofSize(inputs, WEIGHED_LAYERS) + 32 * inputs;
  const signatures =
    type === 1 ? mlsagSize(inputs + 1) : inputs * (type >= 5 ? 32 * (ringSize + 2) : mlsagSize(2));
  return proofs[type] + signatures + (type >= 3 ? 32 * inputs : 0);
}
