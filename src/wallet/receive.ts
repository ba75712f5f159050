import {
  deriveSecretKey,
  deriveSubaddressPublicKey,
  derivationToScalar,
  keyImage,
} from '../crypto/derivation.js';
import { reduce, scalarBytes, toScalar } from '../crypto/scalar.js';
import type { KeyDerivation, KeyImage, PublicKey, SecretKey } from '../crypto/types.js';
import { subaddressSecret } from '../cryptonote/subaddress-keys.js';
import type { SubaddressIndex, Transaction } from '../cryptonote/types.js';
import { openOutput } from '../ringct/ecdh.js';
import type { Amount } from '../util/amount.js';
import type { SubaddressTable } from './subaddress-table.js';

/** The keys that recognise and, where the spend key is there, own outputs. */
export interface ReceivingKeys {
  readonly viewSecret: SecretKey;
  /** Absent: key images stay unknown. */
  readonly spendSecret?: SecretKey;
}

/** An output found to be ours, before it has a place in the chain. */
export interface FoundOutput {
  readonly outputIndex: number;
  readonly publicKey: PublicKey;
  readonly subaddress: SubaddressIndex;
  readonly derivationKey: PublicKey;
  readonly amount: Amount;
  readonly mask: bigint;
  readonly keyImage?: KeyImage;
}

/**
 * Secret key of an output: `Hs(8aR, i) + b`, plus the address's own secret unless it is the primary one.
 * Source: cryptonote_format_utils.cpp `generate_key_image_helper_precomp`.
 */
export function outputSecretKey(
  keys: { readonly viewSecret: SecretKey; readonly spendSecret: SecretKey },
  derivation: KeyDerivation,
  outputIndex: number,
  subaddress: SubaddressIndex,
): SecretKey {
  const primary = deriveSecretKey(derivation, outputIndex, keys.spendSecret);
  if (subaddress.major === 0 && subaddress.minor === 0) return primary;
  return scalarBytes(reduce(toScalar(primary) + subaddressSecret(keys.viewSecret, subaddress)));
}

/**
 * Tries one output with one derivation: is it to an address of the table, and does its amount open?
 * An output of zero amount, or whose amount does not match its commitment, is nobody's money.
 * @param spendKey `P - Hs(D, i)·G` where it is known already.
 * Source: wallet2.cpp `check_acc_out_precomp`, `scan_output`.
 */
export function receiveOutput(
  keys: ReceivingKeys,
  table: SubaddressTable,
  tx: Transaction,
  outputIndex: number,
  derivation: KeyDerivation,
  derivationKey: PublicKey,
  spendKey?: PublicKey,
): FoundOutput | undefined {
  const output = tx.prefix.outputs[outputIndex];
  if (output === undefined) return undefined;
  const spendPublicKey = spendKey ?? tryBasePoint(output.publicKey, derivation, outputIndex);
  const subaddress = spendPublicKey && table.find(spendPublicKey);
  if (subaddress === undefined) return undefined;
  const opened = openAmount(tx, outputIndex, derivation);
  if (opened === undefined || opened.amount === 0n) return undefined;
  const found = { outputIndex, publicKey: output.publicKey, subaddress, derivationKey, ...opened };
  const { viewSecret, spendSecret } = keys;
  if (spendSecret === undefined) return found;
  const secret = outputSecretKey({ viewSecret, spendSecret }, derivation, outputIndex, subaddress);
  return { ...found, keyImage: keyImage(output.publicKey, secret) };
}

/** `P - Hs(D, i)·G`, or undefined when the output's key is not a point. */
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

/**
 * Amount and mask of an output that a derivation belongs to.
 * @returns undefined where they do not match its commitment, or there is no such output.
 */
export function openAmount(
  tx: Transaction,
  outputIndex: number,
  derivation: KeyDerivation,
): { readonly amount: Amount; readonly mask: bigint } | undefined {
  const output = tx.prefix.outputs[outputIndex];
  const base = tx.rct?.base;
  if (output === undefined) return undefined;
  if (base === undefined || base.type === 0) return { amount: output.amount, mask: 1n };
  const info = base.ecdhInfo[outputIndex];
  const commitment = base.outPk[outputIndex];
  if (info === undefined || commitment === undefined) return undefined;
  return openOutput(info, base.type, scalarBytes(derivationToScalar(derivation, outputIndex)), commitment);
}
