import { loadCurve } from '../../crypto/curve/load-curve.js';
import { deriveSubaddressPublicKey, publicKeysOf } from '../../crypto/derivation.js';
import { keccak } from '../../crypto/keccak.js';
import { isInMainSubgroup } from '../../crypto/curve/points.js';
import { checkRing, signAlone } from '../../crypto/ring-signature.js';
import { reduce, scalarBytes, toScalar } from '../../crypto/scalar.js';
import { checkSignature, signHashes } from '../../crypto/signature.js';
import {
  checkSharedSecret,
  derivationOf,
  proveSharedSecrets,
  type TxProofVersion,
} from '../../crypto/tx-proof.js';
import type { Hash, KeyDerivation, KeyImage, PublicKey, SecretKey } from '../../crypto/types.js';
import { outputSecretKey } from '../../cryptonote/own-outputs.js';
import { addressSecret, type AddressKeys } from '../../cryptonote/subaddress-keys.js';
import type { SubaddressIndex, Transaction } from '../../cryptonote/types.js';
import { sum, ZERO, type Amount } from '../../../util/amount.js';
import { toHex } from '../../../util/bytes.js';
import { Writer } from '../../../util/codec.js';
import type { Rng } from '../../../util/random.js';
import { zip } from '../../../util/zip.js';
import type { FetchedTx } from '../scan/fetched-tx.js';
import { sumOfOutputs } from './amount-received.js';
import { badProof, ProofError } from './proof-text.js';
import { assertProvable, provableTx } from './provable-tx.js';
import { openAmount } from '../scan/receive.js';
import type { OwnedOutput } from '../scan/findings.js';
import {
  formatReserveProof,
  type ReserveEntry,
  type ReserveProof,
  type SignedSpendKey,
} from './reserve-proof-text.js';
import { publishedKeys } from './tx-key.js';

/** Computes the message that a proof signs: `keccak(message || spend key || view key || key images)`. */
export function proofMessage(
  message: Uint8Array,
  { spendPublicKey, viewPublicKey }: AddressKeys,
  outputs: readonly { readonly keyImage: KeyImage }[],
): Hash {
  const w = new Writer();
  for (const part of [message, spendPublicKey, viewPublicKey]) w.bytes(part);
  for (const output of outputs) w.bytes(output.keyImage);
  return keccak(w.finish());
}

/**
 * Checks that the sum of outputs reaches an amount.
 * @throws ProofError `invalid` for a smaller sum, and for an amount of zero.
 */
export function assertReserve(outputs: readonly { readonly amount: Amount }[], least: Amount): void {
  if (least === 0n)
    throw new ProofError({
      kind: 'invalid',
      reason: 'the amount to prove is zero',
      text: 'Proved amount must be greater than 0',
    });
  if (sum(outputs.map(({ amount }) => amount)) < least)
    throw new ProofError({
      kind: 'invalid',
      reason: 'the account holds less than the amount to prove',
      text: 'Not enough balance in this account for the requested minimum reserve amount',
    });
}

/**
 * Data from which a reserve proof is made. A plain value.
 * @example
 * const claim: ReserveToProve = { message: new Uint8Array(), address: account, outputs, keys: account };
 * readReserveProof(proveReserve(claim, systemRng)).entries.length; // => 1
 */
export interface ReserveToProve {
  readonly message: Uint8Array;
  /** Public keys of the primary address. */
  readonly address: AddressKeys;
  readonly outputs: readonly (Pick<
    OwnedOutput,
    'txHash' | 'outputIndex' | 'publicKey' | 'derivationKey' | 'subaddress' | 'carrot'
  > & { readonly keyImage: KeyImage })[];
  readonly keys: { readonly viewSecret: SecretKey; readonly spendSecret: SecretKey };
}

const PRIMARY: SubaddressIndex = { major: 0, minor: 0 };

/**
 * Makes a reserve proof. @returns `ReserveProofV2` followed by base58.
 * @throws ProofError `fork_proof` for outputs in the form of the fork. Source: wallet2.cpp `get_reserve_proof`.
 * @example
 * const claim = { message: new Uint8Array(), address: parseAddress(primary), outputs, keys: account };
 * proveReserve(claim, systemRng).slice(0, 14); // => 'ReserveProofV2'
 */
export const proveReserve = (claim: ReserveToProve, rng: Rng): string =>
  formatReserveProof(signReserve(claim, rng));

/**
 * Makes the parts of a reserve proof: entries in the order of the outputs, and spend keys in the order of
 * {@link receiversOf}. @throws ProofError `fork_proof`
 */
export function signReserve(
  { message, address, outputs, keys }: ReserveToProve,
  rng: Rng,
): Omit<ReserveProof, 'version'> {
  assertProvable(outputs);
  const signed = proofMessage(message, address, outputs);
  const curve = loadCurve();
  const sharedSecrets = curve.multiplySecret(
    outputs.map(({ derivationKey }) => derivationKey),
    outputs.map(() => keys.viewSecret),
  ) as PublicKey[];
  const derivations = curve.multiplyEach(sharedSecrets, 8n) as KeyDerivation[];
  const owned = zip(outputs, sharedSecrets, derivations).map(([output, shared, derivation]) => {
    const secret = outputSecretKey(keys, derivation, output.outputIndex, output.subaddress);
    return { ...output, hash: signed, secret, shared };
  });
  const imageSignatures = signAlone(owned, rng);
  for (const { secret } of owned) secret.fill(0);
  const secretSignatures = proveSharedSecrets(
    owned.map(({ derivationKey: A, shared: D }) => ({ message: signed, R: address.viewPublicKey, A, D })),
    keys.viewSecret,
    rng,
  );
  const entries = zip(owned, secretSignatures, imageSignatures).map(
    ([output, sharedSecretSignature, keyImageSignature]): ReserveEntry => {
      const { txHash, outputIndex, keyImage, shared: sharedSecret } = output;
      return { txHash, outputIndex, sharedSecret, keyImage, sharedSecretSignature, keyImageSignature };
    },
  );
  return { entries, spendKeys: signedSpendKeys(signed, outputs, keys, rng) };
}

/** Returns the index of the primary address, and those of all other addresses that received one of the outputs. */
export const receiversOf = (
  outputs: readonly { readonly subaddress: SubaddressIndex }[],
): SubaddressIndex[] => [
  ...new Map(
    [PRIMARY, ...outputs.map(({ subaddress }) => subaddress)].map((index) => [
      `${index.major}/${index.minor}`,
      index,
    ]),
  ).values(),
];

/**
 * Signs with the spend key of the primary address, and with the spend keys of all addresses that received one of the
 * outputs.
 */
function signedSpendKeys(
  signed: Hash,
  outputs: ReserveToProve['outputs'],
  keys: ReserveToProve['keys'],
  rng: Rng,
): SignedSpendKey[] {
  const secrets = receiversOf(outputs).map((index) =>
    scalarBytes(reduce(toScalar(keys.spendSecret) + addressSecret(keys.viewSecret, index))),
  );
  const own = zip(publicKeysOf(secrets), secrets).map(([publicKey, secret]) => ({
    publicKey,
    secret,
  }));
  const signatures = signHashes(signed, own, rng);
  for (const secret of secrets) secret.fill(0);
  return zip(own, signatures).map(([{ publicKey }, signature]) => ({ publicKey, signature }));
}

/**
 * A reserve proof to be verified, with the chain's data about its outputs. A plain value.
 * @example
 * const text = proveReserve({ message: new Uint8Array(), address: account, outputs, keys: account }, systemRng);
 * const claim: ReserveToCheck = {
 *   proof: readReserveProof(text),
 *   message: new Uint8Array(),
 *   address: account,
 *   txs: [txs[1]],
 *   spent: [true],
 * };
 * checkReserve(claim); // => { good: true, total: 250_000_000_000n, spent: 250_000_000_000n }
 */
export interface ReserveToCheck {
  readonly proof: ReserveProof;
  readonly message: Uint8Array;
  readonly address: AddressKeys;
  /** Transactions that contain the outputs, in the order of the entries. */
  readonly txs: readonly FetchedTx[];
  /** For each entry in order, true if its key image is spent. */
  readonly spent: readonly boolean[];
}

/**
 * Result of a check of a reserve proof: sums of the outputs; `total` includes the spent outputs.
 * @example
 * const verdict: ReserveVerdict = { good: true, total: amount(5n), spent: amount(2n) };
 * verdict.total - verdict.spent; // => 3n
 */
export type ReserveVerdict =
  | { readonly good: false }
  | { readonly good: true; readonly total: Amount; readonly spent: Amount };

/** Checks that a proof is about an address. @throws ProofError `bad_proof` if the proof is about other addresses. */
export function assertProofOf({ spendKeys: keys }: ReserveProof, { spendPublicKey }: AddressKeys): void {
  const wanted = toHex(spendPublicKey);
  if (keys.every((one) => toHex(one.publicKey) !== wanted))
    throw badProof('the proof is about another address', "The given address isn't found in the proof");
}

/** Facts that all entries of a proof have in common. */
export interface EntryContext {
  /** Message that the proof signs, see {@link proofMessage}. */
  readonly signed: Hash;
  readonly address: Pick<AddressKeys, 'viewPublicKey'>;
  readonly version: TxProofVersion;
  /** Spend keys of the addresses in the proof, in hex. */
  readonly receivers: ReadonlySet<string>;
}

/**
 * Returns the amount of one entry [atomic units]; undefined if a signature of the entry is invalid.
 * @param tx transaction with the hash of the entry.
 * @param keys public keys of the transaction, one of which gives the shared secret of the output.
 * @throws ProofError `bad_proof`
 */
export function openEntry(
  one: ReserveEntry,
  tx: Transaction,
  keys: readonly (PublicKey | undefined)[],
  { signed, address: { viewPublicKey: R }, version, receivers }: EntryContext,
): Amount | undefined {
  const output = tx.prefix.outputs[one.outputIndex];
  if (output === undefined)
    throw badProof('the proof lists an output that does not exist', 'index_in_tx is out of bound');
  const isProven = keys.some(
    (A) =>
      A !== undefined &&
      checkSharedSecret({ message: signed, R, A, D: one.sharedSecret }, one.sharedSecretSignature, version),
  );
  // A key image with torsion would be a second key image of the same output, which the chain has never seen spent.
  if (!isProven || !isInMainSubgroup(one.keyImage)) return undefined;
  if (!checkRing(signed, one.keyImage, [output.publicKey], [one.keyImageSignature])) return undefined;
  const derivation = derivationOf(one.sharedSecret);
  const receiver = deriveSubaddressPublicKey(output.publicKey, derivation, one.outputIndex);
  if (!receivers.has(toHex(receiver)))
    throw badProof(
      'an output of the proof was paid to another address',
      "The address doesn't seem to have received the fund",
    );
  return openAmount(tx, one.outputIndex, derivation)?.amount ?? ZERO;
}

/**
 * Verifies every output of a proof. An amount that does not match its commitment counts as zero.
 * @throws ProofError `bad_proof`, `fork_proof`, ScanError Source: wallet2.cpp `check_reserve_proof`.
 * @example
 * const claim = { message: new Uint8Array(), address: parseAddress(primary) };
 * const text = proveReserve({ ...claim, outputs, keys: account }, systemRng);
 * checkReserve({ ...claim, proof: readReserveProof(text), txs: [txs[1]], spent: [false] }); // => { good: true, total: 250_000_000_000n, spent: 0n }
 */
export function checkReserve({ proof, message, address, txs, spent }: ReserveToCheck): ReserveVerdict {
  assertProofOf(proof, address);
  const signed = proofMessage(message, address, proof.entries);
  const receivers = new Set(proof.spendKeys.map((one) => toHex(one.publicKey)));
  const amounts: Amount[] = [];
  for (const [i, one] of proof.entries.entries()) {
    const tx = txs[i];
    if (tx === undefined) throw new Error('a reserve proof without its transactions');
    const parsed = provableTx(tx);
    const { main, additional } = publishedKeys(parsed);
    const keys = [...main, additional[one.outputIndex]];
    const amount = openEntry(one, parsed, keys, { signed, address, version: proof.version, receivers });
    if (amount === undefined) return { good: false };
    amounts.push(amount);
  }
  if (proof.spendKeys.some((one) => !checkSignature(signed, one.publicKey, one.signature)))
    return { good: false };
  const total = sumOfOutputs(amounts);
  return { good: true, total, spent: sumOfOutputs(amounts.filter((_, i) => spent[i])) };
}
