import { keccak } from '../../crypto/keccak.js';
import {
  checkSharedSecret,
  derivationOf,
  proveSharedSecret,
  sharedSecret,
  type SharedSecretClaim,
  type TxProofVersion,
} from '../../crypto/tx-proof.js';
import { isPoint } from '../../crypto/curve/points.js';
import type { Hash, PublicKey, SecretKey, Signature } from '../../crypto/types.js';
import { encodeBase58 } from '../../cryptonote/base58.js';
import type { Address } from '../../cryptonote/types.js';
import { ZERO, type Amount } from '../../../util/amount.js';
import { bytes32, fixedBytes, utf8 } from '../../../util/bytes.js';
import type { Rng } from '../../../util/random.js';
import { amountReceived } from './amount-received.js';
import type { FetchedTx } from '../scan/fetched-tx.js';
import { provableTx } from './provable-tx.js';
import { badProof, KEY_CHARS, proofBytes, SIGNATURE_CHARS, ProofError } from './proof-text.js';
import { publicKeyFor, publishedKeys, type PublishedKeys } from './tx-key.js';

/** Which party made a proof. `out`: the payer, with the tx secret keys. `in`: the payee, with the view secret key. */
export type TxProofDirection = 'out' | 'in';

/**
 * Proof about one public key of the transaction; the first entry is about the tx public key, the other entries about
 * the additional public keys.
 */
interface TxProofEntry {
  readonly sharedSecret: PublicKey;
  readonly signature: Signature;
}

interface TxProof {
  readonly direction: TxProofDirection;
  readonly version: TxProofVersion;
  readonly entries: readonly TxProofEntry[];
}

const HEADER = /^(Out|In)ProofV([12])/;
const ENTRY_CHARS = KEY_CHARS + SIGNATURE_CHARS;

const formatTxProof = (direction: TxProofDirection, entries: readonly TxProofEntry[]): string =>
  entries.reduce(
    (text, entry) => text + encodeBase58(entry.sharedSecret) + encodeBase58(entry.signature),
    direction === 'out' ? 'OutProofV2' : 'InProofV2',
  );

const WRONG_SIZE = 'Wrong signature size';
const WRONG_COUNT = 'Signature size mismatch with additional tx pubkeys';
/**
 * Message of the reference for a proof that is too short: the message of the exception of `std::string::substr` in
 * libc++, with which monero-ts compares. Builds with libstdc++ add a position.
 */
const TOO_SHORT = 'basic_string';

/**
 * Returns the reference's message for an unknown header: the reference reads the version at its position, then counts
 * the bytes after it. Source: wallet2.cpp `check_tx_proof`.
 */
function textForUnknownHeader(text: string): string {
  const header = text.startsWith('Out') ? 'OutProofV2' : 'InProofV2';
  const size = utf8(text).length;
  if (size < header.length - 'V2'.length) return TOO_SHORT;
  return Math.max(0, size - header.length) % ENTRY_CHARS === 0 ? WRONG_COUNT : WRONG_SIZE;
}

/** Parses a proof. @throws ProofError `bad_proof` */
function readTxProof(text: string): TxProof {
  const [header, direction, version] = HEADER.exec(text) ?? [];
  if (header === undefined)
    throw badProof('the proof does not start with OutProofV2 or InProofV2', textForUnknownHeader(text));
  const body = text.slice(header.length);
  if (body.length % ENTRY_CHARS !== 0) throw badProof('the proof has a wrong length', WRONG_SIZE);
  const entries = Array.from({ length: body.length / ENTRY_CHARS }, (_, i): TxProofEntry => {
    const entry = body.slice(i * ENTRY_CHARS, (i + 1) * ENTRY_CHARS);
    return {
      sharedSecret: bytes32(proofBytes(entry.slice(0, KEY_CHARS)), 'PublicKey'),
      signature: fixedBytes(proofBytes(entry.slice(KEY_CHARS)), 64, 'Signature'),
    };
  });
  return { direction: direction === 'Out' ? 'out' : 'in', version: version === '1' ? 1 : 2, entries };
}

/** Computes the message that both kinds of proofs sign, from the transaction hash and the caller's message. */
const proofMessage = (txHash: Hash, message: Uint8Array): Hash => keccak(txHash, message);

/**
 * Returns the claim about one public key `T` of a transaction. The payer claims `T = r·G` (or `r·B`) and `D = r·A`; the
 * payee claims `A = a·G` (or `a·B`) and `D = a·T`.
 */
function claimOf(
  direction: TxProofDirection,
  message: Hash,
  txKey: PublicKey,
  { kind, spendPublicKey, viewPublicKey }: Address,
  secret: PublicKey,
): SharedSecretClaim {
  const base = kind === 'subaddress' ? { B: spendPublicKey } : {};
  return direction === 'out'
    ? { message, R: txKey, A: viewPublicKey, ...base, D: secret }
    : { message, R: viewPublicKey, A: txKey, ...base, D: secret };
}

/** Returns the public keys that a proof covers, one per entry. @throws ProofError `invalid` if there is no such key. */
function provenKeys({ main: [first], additional }: PublishedKeys): PublicKey[] {
  if (first === undefined)
    throw new ProofError({
      kind: 'invalid',
      reason: 'the transaction has no public key',
      text: 'Tx pubkey was not found',
    });
  return [first, ...additional];
}

/** Entry for a public key that cannot be proven; it is never valid. */
const NO_ENTRY: TxProofEntry = {
  sharedSecret: Uint8Array.of(1, ...new Uint8Array(31)) as PublicKey,
  signature: new Uint8Array(64) as Signature,
};

/**
 * Transaction, address and message that a proof is about. A plain value.
 * @example
 * const subject: TxProofSubject = {
 *   tx: txs[1],
 *   address: parseAddress(address),
 *   message: new TextEncoder().encode('order 17'),
 * };
 * checkTxProof({ ...subject, proof }).good; // => true
 */
export interface TxProofSubject {
  readonly tx: FetchedTx;
  readonly address: Address;
  readonly message: Uint8Array;
}

/**
 * Result of verifying a proof of payment.
 * @example
 * const message = new TextEncoder().encode('order 18');
 * const verdict: TxVerdict = checkTxProof({ tx: txs[1], address: parseAddress(address), message, proof });
 * verdict; // => { good: false, received: 0n }
 */
export interface TxVerdict {
  readonly good: boolean;
  /** Proven amount [atomic units]; zero if the proof is invalid, or if it is valid but the address received nothing. */
  readonly received: Amount;
}

/**
 * Verifies a proof, and adds up the amounts of the outputs for which its entries are valid.
 * @throws ProofError `bad_proof` for a malformed proof or a proof about another transaction, `invalid`, `fork_proof`,
 * ScanError Source: wallet2.cpp `check_tx_proof`.
 * @example
 * const message = new TextEncoder().encode('order 17');
 * const verdict = checkTxProof({ tx: txs[1], address: parseAddress(address), message, proof });
 * verdict.received; // => 250_000_000_000n
 */
export function checkTxProof({
  tx: fetched,
  address,
  message,
  proof: text,
}: TxProofSubject & { readonly proof: string }): TxVerdict {
  const { direction, version, entries } = readTxProof(text);
  const tx = provableTx(fetched);
  const keys = provenKeys(publishedKeys(tx));
  if (entries.length !== keys.length)
    throw badProof(
      `the proof has ${entries.length} parts where the transaction has ${keys.length} keys`,
      WRONG_COUNT,
    );
  const signed = proofMessage(fetched.hash, message);
  const derivations = keys.map((key, i) => {
    const { sharedSecret: secret, signature } = entries[i] ?? NO_ENTRY;
    const claim = claimOf(direction, signed, key, address, secret);
    return checkSharedSecret(claim, signature, version) ? derivationOf(secret) : undefined;
  });
  if (derivations.every((derivation) => derivation === undefined)) return { good: false, received: ZERO };
  const [main, ...additional] = derivations;
  return { good: true, received: amountReceived(tx, address.spendPublicKey, { main, additional }) };
}

/**
 * Checks that a proof proves an amount.
 * @returns the proof.
 * @throws ProofError `invalid` if the proof proves no amount.
 */
function assertPaysAddress(subject: TxProofSubject, proof: string): string {
  const { good, received } = checkTxProof({ ...subject, proof });
  if (!good || received === 0n)
    throw new ProofError({
      kind: 'invalid',
      reason: 'the transaction pays nothing to this address',
      text: 'No funds received in this tx.',
    });
  return proof;
}

/**
 * Proves as the payer that an address was paid.
 * @param keys the tx secret key, then the additional secret keys.
 * @returns `OutProofV2` followed by base58.
 * @throws ProofError `invalid`, `bad_proof`, `fork_proof`, ScanError Source: wallet2.cpp `get_tx_proof`.
 * @example
 * const subject = { tx: txs[1], address: parseAddress(address), message: new Uint8Array() };
 * try {
 *   proveSent({ ...subject, keys: [randomSecretKey(systemRng)] }, systemRng);
 * } catch (error) {
 *   error.message; // => 'the transaction pays nothing to this address'
 * }
 */
export function proveSent(
  { keys, ...subject }: TxProofSubject & { readonly keys: readonly SecretKey[] },
  rng: Rng,
): string {
  const signed = proofMessage(subject.tx.hash, subject.message);
  const entries = keys.map((key): TxProofEntry => {
    const secret = sharedSecret(subject.address.viewPublicKey, key);
    const claim = claimOf('out', signed, publicKeyFor(key, subject.address), subject.address, secret);
    return { sharedSecret: secret, signature: proveSharedSecret(claim, key, rng) };
  });
  return assertPaysAddress(subject, formatTxProof('out', entries));
}

/**
 * Proves as the payee that an address of this wallet was paid.
 * @returns `InProofV2` followed by base58.
 * @throws ProofError `invalid`, `fork_proof`, ScanError Source: wallet2.cpp `get_tx_proof`.
 * @example
 * const subject = { tx: txs[1], address: parseAddress(address), message: new Uint8Array() };
 * const made = proveReceived({ ...subject, viewSecret: account.viewSecret }, systemRng);
 * checkTxProof({ ...subject, proof: made }).good; // => true
 */
export function proveReceived(
  { viewSecret, ...subject }: TxProofSubject & { readonly viewSecret: SecretKey },
  rng: Rng,
): string {
  const signed = proofMessage(subject.tx.hash, subject.message);
  const entries = provenKeys(publishedKeys(provableTx(subject.tx))).map((key): TxProofEntry => {
    // A payer may publish invalid points besides the valid keys.
    if (!isPoint(key)) return NO_ENTRY;
    const secret = sharedSecret(key, viewSecret);
    const claim = claimOf('in', signed, key, subject.address, secret);
    return { sharedSecret: secret, signature: proveSharedSecret(claim, viewSecret, rng) };
  });
  return assertPaysAddress(subject, formatTxProof('in', entries));
}
