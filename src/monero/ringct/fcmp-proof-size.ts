/** Sizes of a point or scalar of a proof, and of the proof that the blind of the root is known [bytes]. */
const ELEMENT = 32;
const ROOT_BLIND_PROOF = 64;
/** Size of the rerandomised output of an input without its pseudo output: three points. Source: fcmp++.h. */
const INPUT_TUPLE = 3 * ELEMENT;
/** Size of the proof that an input may be spent and has its key image. Source: fcmp++.h `FCMP_PP_SAL_PROOF_SIZE_V1`. */
const SPEND_PROOF = 12 * ELEMENT;

/** Rows of the circuit over Selene: for the leaves of an input, and for each further branch; and the fewest rows. */
const LEAF_ROWS = 97;
const SELENE_ROWS = 52;
const LEAST_SELENE_ROWS = 256;
/** Rows of the circuit over Helios for each branch of an input, and the fewest rows. */
const HELIOS_ROWS = 32;
const LEAST_HELIOS_ROWS = 128;

/** Length of a word of a vector commitment, and numbers of words: of a point with its logarithm, and of a divisor. */
const WORD = 128;
const POINT_WORDS = 4;
const DIVISOR_WORDS = 2;

/** Returns the exponent of the least power of two that is not less than a number. */
const roundsOf = (rows: number): number => Math.ceil(Math.log2(rows));

/**
 * Returns the number of points and scalars in the proof of one circuit: four of each proof, the commitments, three
 * points more for each of them, and two points for each round.
 */
function elementsOf(rounds: number, branches: number, words: number): number {
  const commitments = branches + Math.ceil((words * WORD) / 2 ** rounds);
  return 8 + 2 * rounds + commitments + (3 * commitments + 5);
}

/**
 * Computes the size of a membership proof of the inputs of a transaction [bytes].
 * @param inputs at least 1. @param layers number of layers of the tree of outputs, at least 1. Source: monero-oxide fcmps
 * `Fcmp::proof_size`, `Fcmp::ipa_rows`; `stage` fcmp_pp_types.cpp `membership_proof_len`.
 */
export function membershipProofSize(inputs: number, layers: number): number {
  // The layers of a tree are alternately over Selene, from the leaves on, and over Helios; all inputs share the root.
  const isRootSelene = layers % 2;
  const seleneAboveLeaves = Math.floor((layers - 1) / 2);
  const helios = Math.floor(layers / 2);
  const seleneRounds = roundsOf(
    Math.max(LEAST_SELENE_ROWS, inputs * (LEAF_ROWS + seleneAboveLeaves * SELENE_ROWS)),
  );
  const heliosRounds = roundsOf(Math.max(LEAST_HELIOS_ROWS, inputs * helios * HELIOS_ROWS));
  const ofSelene = elementsOf(
    seleneRounds,
    inputs * helios + isRootSelene,
    inputs * (DIVISOR_WORDS + 4 * POINT_WORDS + seleneAboveLeaves * POINT_WORDS),
  );
  const ofHelios = elementsOf(
    heliosRounds,
    inputs * seleneAboveLeaves + (1 - isRootSelene),
    inputs * helios * POINT_WORDS,
  );
  return ELEMENT * (ofSelene + ofHelios) + ROOT_BLIND_PROOF;
}

/**
 * Computes the size of the proofs that RingCT type 7 has in place of ring signatures [bytes]: for each input its
 * rerandomised output and a proof of the right to spend it, then a {@link membershipProofSize} for all inputs. Source:
 * `stage` fcmp_pp_types.cpp `fcmp_pp_proof_len`.
 */
export const fcmpProofSize = (inputs: number, layers: number): number =>
  inputs * (INPUT_TUPLE + SPEND_PROOF) + membershipProofSize(inputs, layers);
