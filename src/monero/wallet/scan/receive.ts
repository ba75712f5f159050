import { outputSecrets } from '../../carrot/output-secrets.js';
import { loadCurve } from '../../crypto/curve/load-curve.js';
import { derivationToScalar } from '../../crypto/derivation.js';
import { scalarBytes } from '../../crypto/scalar.js';
import type { Commitment, KeyDerivation, KeyImage, PublicKey } from '../../crypto/types.js';
import type { OwnOutputs, WalletSecrets } from '../../cryptonote/own-outputs.js';
import type { Transaction } from '../../cryptonote/types.js';
import { commitsTo, decryptOutput, type Opening } from '../../ringct/commitment.js';
import type { BalanceTier } from '../../carrot/account.js';
import { concatBytes, equalBytes, joinBytes } from '../../../util/bytes.js';
import { claimEnote, openCarrotClaims, type CarrotClaim } from './carrot-claims.js';
import type { FoundOutput, ReceivingKeys } from './found-output.js';
import type { OutputMatch } from './output-matches.js';
import type { KnownAddresses } from './subaddress-table.js';

/** An output to an address of the wallet whose contents are not verified yet. */
export type Claim = LegacyClaim | CarrotClaim;

/** An output of the old form to an address of the wallet whose claimed amount is not verified yet. */
export interface LegacyClaim extends Omit<FoundOutput, 'keyImage' | 'carrot'> {
  readonly kind: 'legacy';
  /** Index of the transaction among the scanned transactions. */
  readonly tx: number;
  readonly derivation: KeyDerivation;
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
 * Returns the claim of an output that pays an address of the table.
 * @returns undefined when the table lacks the address, or the amount cannot be read.
 */
export const claimOutput = (table: KnownAddresses, tx: Transaction, match: OutputMatch): Claim | undefined =>
  match.spendKey === undefined ? claimEnote(table, tx, match) : claimLegacy(table, tx, match, match.spendKey);

/** Reads the amount that an output of the old form claims. Source: wallet2.cpp `check_acc_out_precomp`, `scan_output`. */
function claimLegacy(
  table: KnownAddresses,
  tx: Transaction,
  { tx: at, outputIndex, key, derivation }: OutputMatch,
  spendKey: PublicKey,
): LegacyClaim | undefined {
  const publicKey = tx.prefix.outputs[outputIndex]?.publicKey;
  const subaddress = table.find(spendKey);
  if (publicKey === undefined || subaddress === undefined) return undefined;
  const claimed = claimedAmount(tx, outputIndex, derivation);
  if (claimed === undefined) return undefined;
  // A copy: a view would keep the keys of the whole batch, and take them along to another thread.
  const derivationKey = key.slice() as PublicKey;
  return {
    kind: 'legacy',
    tx: at,
    ...{ outputIndex, publicKey, subaddress, derivationKey, derivation, ...claimed },
  };
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
  if (output.carrot !== undefined) return undefined;
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
 * Verifies claims. An output with a wrong commitment is void, and so is one of the old form with an amount of zero.
 * @returns one entry per claim; undefined for a void output.
 */
export function openClaims(
  keys: ReceivingKeys,
  claims: readonly Claim[],
  arithmetic: OutputArithmetic,
): (FoundOutput | undefined)[] {
  const legacy = openLegacyClaims(
    keys,
    claims.filter((claim) => claim.kind === 'legacy'),
    arithmetic,
  ).values();
  const carrot = openCarrotClaims(
    keys,
    claims.filter((claim) => claim.kind === 'carrot'),
  ).values();
  return claims.map(({ kind }) => (kind === 'legacy' ? legacy : carrot).next().value);
}

function openLegacyClaims(
  keys: ReceivingKeys,
  claims: readonly LegacyClaim[],
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
      const image = images?.slice(32 * i, 32 * i + 32) as KeyImage | undefined;
      const output = { outputIndex, publicKey, subaddress, derivationKey, amount, mask };
      return [claim, image === undefined ? output : { ...output, keyImage: image }];
    }),
  );
  return claims.map((claim) => found.get(claim));
}

function keyImagesOf(
  { viewSecret, spendSecret, balance }: ReceivingKeys,
  claims: readonly LegacyClaim[],
  arithmetic: OutputArithmetic,
): Uint8Array | undefined {
  if (balance !== undefined) return imagesOfCarrotAccount(balance, claims);
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

/** True for an output that adds to a balance; outputs of the form of the fork may have an amount of zero. */
export const hasAmount = ({ amount }: FoundOutput): boolean => amount > 0n;

/**
 * Computes the key images `x·Hp(K)` of outputs of the old form to addresses of an account of the fork, 32 bytes each. Their keys
 * are `K = x·G + y·T`, so that no ring signature can spend them, but a membership proof. Source: key_image_device_composed.cpp
 * `derive_key_image_prescanned` with the biased hash.
 */
function imagesOfCarrotAccount(balance: BalanceTier, claims: readonly LegacyClaim[]): Uint8Array {
  const scalars = joinBytes(
    claims.map(({ derivation, outputIndex, subaddress }) => {
      const g = derivationToScalar(derivation, outputIndex);
      return outputSecrets({ hierarchy: 'carrot', keys: balance }, { g, t: 0n }, subaddress).x;
    }),
  );
  const images = loadCurve().keyImages(joinBytes(claims.map(({ publicKey }) => publicKey)), scalars);
  scalars.fill(0);
  return images;
}

/**
 * Groups opened claims by the index of their transaction, by ascending output index. The first key that opens an output
 * counts.
 * @param opened result of {@link openClaims} for the claims, in their order.
 */
export function outputsByTx(
  claims: readonly Claim[],
  opened: readonly (FoundOutput | undefined)[],
): Map<number, FoundOutput[]> {
  const found = new Map<number, Map<number, FoundOutput>>();
  claims.forEach(({ tx }, i) => {
    const output = opened[i];
    if (output === undefined) return;
    const outputs = found.get(tx) ?? new Map<number, FoundOutput>();
    found.set(tx, outputs);
    if (!outputs.has(output.outputIndex)) outputs.set(output.outputIndex, output);
  });
  return new Map(
    [...found].map(([tx, outputs]) => [
      tx,
      [...outputs.values()].sort((a, b) => a.outputIndex - b.outputIndex),
    ]),
  );
}
