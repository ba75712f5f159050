import { derivationToScalar, deriveSubaddressPublicKey } from '../../crypto/derivation.js';
import { loadCurve } from '../../crypto/curve/load-curve.js';
import { scalarBytes } from '../../crypto/scalar.js';
import type { Commitment, KeyDerivation, KeyImage, PublicKey, SecretKey } from '../../crypto/types.js';
import { ownKeyImages, type OwnOutputs, type WalletSecrets } from '../../cryptonote/own-outputs.js';
import type { SubaddressIndex, Transaction } from '../../cryptonote/types.js';
import { commitsTo } from '../../ringct/commitment.js';
import { decryptOutput, type Opening } from '../../ringct/ecdh.js';
import type { Amount } from '../../../util/amount.js';
import { concatBytes, equalBytes } from '../../../util/bytes.js';
import type { SubaddressTable } from './subaddress-table.js';

/** Finds the index of an address of the wallet by its spend key. */
export type KnownAddresses = Pick<SubaddressTable, 'find'>;

/** Keys with which outputs are recognised; with the spend secret key, key images are computed too. */
export interface ReceivingKeys {
  readonly viewSecret: SecretKey;
  /** Spend secret key; absent: key images remain unknown. */
  readonly spendSecret?: SecretKey;
}

/** A received output without its position in the chain. */
export interface FoundOutput {
  readonly outputIndex: number;
  readonly publicKey: PublicKey;
  readonly subaddress: SubaddressIndex;
  readonly derivationKey: PublicKey;
  readonly amount: Amount;
  readonly mask: bigint;
  readonly keyImage?: KeyImage;
}

/** An output to an address of the wallet whose claimed amount is not verified yet. */
export interface Claim {
  readonly outputIndex: number;
  readonly publicKey: PublicKey;
  readonly subaddress: SubaddressIndex;
  readonly derivationKey: PublicKey;
  readonly derivation: KeyDerivation;
  readonly amount: Amount;
  readonly mask: bigint;
  /** Commitment to verify the amount against; absent for a plain amount. */
  readonly commitment?: Commitment;
}

/** Batch arithmetic for received outputs; kernel.ts implements it. */
export interface OutputArithmetic {
  /** Computes the commitments `mask·G + amount·H`, 32 bytes each. */
  commit(amounts: readonly bigint[], masks: Uint8Array): Uint8Array;
  /** Computes the key images of outputs of the wallet, 32 bytes each. */
  ownKeyImages(outputs: OwnOutputs, secrets: WalletSecrets): Uint8Array;
}

/**
 * Checks whether an output, with one of its transaction's derivations, pays an address of the table.
 * @returns its claimed amount, or undefined.
 * @param spendKey `P - Hs(D, i)·G` if it is already computed. Source: wallet2.cpp `check_acc_out_precomp`,
 * `scan_output`.
 */
export function claimOutput(
  table: KnownAddresses,
  tx: Transaction,
  outputIndex: number,
  derivation: KeyDerivation,
  derivationKey: PublicKey,
  spendKey?: PublicKey,
): Claim | undefined {
  const output = tx.prefix.outputs[outputIndex];
  if (output === undefined) return undefined;
  const { publicKey } = output;
  const spendPublicKey = spendKey ?? tryBasePoint(publicKey, derivation, outputIndex);
  const subaddress = spendPublicKey && table.find(spendPublicKey);
  if (subaddress === undefined) return undefined;
  const claimed = claimedAmount(tx, outputIndex, derivation);
  return claimed && { outputIndex, publicKey, subaddress, derivationKey, derivation, ...claimed };
}

/**
 * Returns the claimed amount and mask of an output; with the commitment that verifies them, unless the amount is plain.
 */
function claimedAmount(
  tx: Transaction,
  outputIndex: number,
  derivation: KeyDerivation,
): (Opening & { readonly commitment?: Commitment }) | undefined {
  const output = tx.prefix.outputs[outputIndex];
  const base = tx.rct?.base;
  if (output === undefined) return undefined;
  if (base === undefined || base.type === 0) return { amount: output.amount, mask: 1n };
  const info = base.ecdhInfo[outputIndex];
  const commitment = base.outPk[outputIndex];
  if (info === undefined || commitment === undefined) return undefined;
  const sharedSecret = scalarBytes(derivationToScalar(derivation, outputIndex));
  const opening = decryptOutput(info, base.type, sharedSecret);
  return opening && { ...opening, commitment };
}

/**
 * Decrypts amount and mask of an output with a derivation and verifies them; undefined if they do not match the
 * commitment.
 */
export function openAmount(
  tx: Transaction,
  outputIndex: number,
  derivation: KeyDerivation,
): Opening | undefined {
  const claimed = claimedAmount(tx, outputIndex, derivation);
  return claimed?.commitment === undefined || commitsTo(claimed.commitment, claimed.amount, claimed.mask)
    ? claimed
    : undefined;
}

/**
 * Verifies claims against their commitments. An output with an amount of zero or with a wrong commitment is void.
 * @returns one entry per claim; undefined for a void output.
 */
export function openClaims(
  keys: ReceivingKeys,
  claims: readonly Claim[],
  arithmetic: OutputArithmetic,
): (FoundOutput | undefined)[] {
  const committed = claims.filter(({ commitment }) => commitment !== undefined);
  const commitments = arithmetic.commit(
    committed.map(({ amount }) => amount),
    concatBytes(...committed.map(({ mask }) => scalarBytes(mask))),
  );
  const mismatched = new Set(
    committed.filter(
      ({ commitment }, i) =>
        commitment === undefined || !equalBytes(commitments.subarray(32 * i, 32 * i + 32), commitment),
    ),
  );
  const valid = claims.filter((claim) => claim.amount > 0n && !mismatched.has(claim));
  const images = keyImagesOf(keys, valid, arithmetic);
  const found = new Map(
    valid.map((claim, i) => {
      const { outputIndex, publicKey, subaddress, derivationKey, amount, mask } = claim;
      const image = images?.subarray(32 * i, 32 * i + 32) as KeyImage | undefined;
      const output = { outputIndex, publicKey, subaddress, derivationKey, amount, mask };
      return [claim, image === undefined ? output : { ...output, keyImage: image }];
    }),
  );
  return claims.map((claim) => found.get(claim));
}

function keyImagesOf(
  { viewSecret, spendSecret }: ReceivingKeys,
  claims: readonly Claim[],
  arithmetic: OutputArithmetic,
): Uint8Array | undefined {
  if (spendSecret === undefined) return undefined;
  const derivations = concatBytes(...claims.map(({ derivation }) => derivation));
  const images = arithmetic.ownKeyImages(
    {
      outputKeys: concatBytes(...claims.map(({ publicKey }) => publicKey)),
      derivations,
      outputIndices: Uint32Array.from(claims, ({ outputIndex }) => outputIndex),
      subaddresses: Uint32Array.from(claims.flatMap(({ subaddress: { major, minor } }) => [major, minor])),
    },
    { viewSecret, spendSecret },
  );
  derivations.fill(0);
  return images;
}

const curveArithmetic: OutputArithmetic = {
  commit: (amounts, masks) => loadCurve().commit(amounts, masks),
  ownKeyImages,
};

/** Checks and verifies one output: {@link claimOutput}, then {@link openClaims}. */
export function receiveOutput(
  keys: ReceivingKeys,
  table: KnownAddresses,
  tx: Transaction,
  outputIndex: number,
  derivation: KeyDerivation,
  derivationKey: PublicKey,
): FoundOutput | undefined {
  const claim = claimOutput(table, tx, outputIndex, derivation, derivationKey);
  return claim && openClaims(keys, [claim], curveArithmetic)[0];
}

/** Computes `P - Hs(D, i)·G`; undefined if the output key is not a point. */
function tryBasePoint(
  outputKey: PublicKey,
  derivation: KeyDerivation,
  outputIndex: number,
): PublicKey | undefined {
  try {
    return deriveSubaddressPublicKey(outputKey, derivation, outputIndex);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
