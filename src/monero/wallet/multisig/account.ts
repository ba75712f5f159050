import { keyDerivation, publicKeyOf, publicKeysOf } from '../../crypto/derivation.js';
import { IDENTITY } from '../../crypto/curve/curve.js';
import type { PublicKey, SecretKey } from '../../crypto/types.js';
import { compareBytes, equalBytes, toHex, paddedName } from '../../../util/bytes.js';
import type { Rng } from '../../../util/random.js';
import { firstKexMessage, laterKexMessage, type KexMessage } from './kex-message.js';
import {
  assertConfirmed,
  assertRound,
  keysOfRound,
  recommendedKeys,
  refused,
  type ExpectedRound,
} from './kex-round.js';
import { loadCurve } from '../../crypto/curve/load-curve.js';
import { hashToScalar, reduce, scalarBytes, toScalar } from '../../crypto/scalar.js';

/** Largest number of signers in a group. Source: cryptonote_config.h `MULTISIG_MAX_SIGNERS`. */
export const MAX_SIGNERS = 16;

/** Secret keys with which a participant enters a group. */
export interface Signer {
  /** Secret key that signs messages; its public key identifies the participant. */
  readonly signerSecret: SecretKey;
  /** The participant's share of the common view secret key; after round 1, the common view secret key itself. */
  readonly commonSecret: SecretKey;
}

/**
 * A participant of an M-of-N group, after round 1. Each secret share of the group is held by N - M + 1 participants, so
 * that any M participants together hold all shares. Source: multisig_account.h.
 */
export interface MultisigAccount extends Signer, GroupState {
  /** Spend public key of the group; the identity until the main rounds are completed. */
  readonly spendPublicKey: PublicKey;
}

/** Members of a group, and the progress of its key exchange. */
export interface GroupState {
  /** M: number of signers that a transaction needs. */
  readonly threshold: number;
  /** Public keys of all N signers, ascending. */
  readonly signers: readonly PublicKey[];
  /** Number of completed rounds; {@link mainRounds} + 1 when all participants have confirmed. */
  readonly roundsPassed: number;
  /** Secret shares of this participant; multiplied by their coefficients when the main rounds are completed. */
  readonly shares: readonly SecretKey[];
  /** Keys that this participant shares with others in the present round. Secret except in the last main round. */
  readonly roundKeys: readonly PublicKey[];
}

type Group = Pick<GroupState, 'threshold' | 'signers' | 'roundsPassed'>;

/** Returns the number of main rounds, N - M + 1. Source: `multisig_kex_rounds_required`. */
const mainRounds = ({ signers, threshold }: Pick<GroupState, 'signers' | 'threshold'>): number =>
  signers.length - threshold + 1;

/** Returns true if all shares are known, so that at most the confirmation round is missing. */
export const isExchanged = (group: Group): boolean => group.roundsPassed >= mainRounds(group);

export const isReady = (group: Group): boolean => group.roundsPassed === mainRounds(group) + 1;

/**
 * Derives the secret keys with which a wallet enters a group. Source: wallet2.cpp `get_uninitialized_multisig_account`.
 */
export const signerOf = (spendSecret: SecretKey, viewSecret: SecretKey): Signer => ({
  signerSecret: blindedSecret(spendSecret),
  commonSecret: blindedSecret(viewSecret),
});

/** Makes the message of round 1. */
export const openingMessage = ({ signerSecret, commonSecret }: Signer, rng: Rng): string =>
  firstKexMessage(signerSecret, commonSecret, rng);

function assertGroup(threshold: number, total: number): void {
  if (threshold < 1 || threshold > total)
    throw refused(
      `the threshold must be 1 to ${total} for ${total} participants`,
      'multisig account: tried to set invalid threshold.',
    );
  if (total < 2 || total > MAX_SIGNERS)
    throw refused(
      `a group has 2 to ${MAX_SIGNERS} participants, ${total} were given`,
      total < 2
        ? 'Must be at least one other multisig signer.'
        : 'multisig account: tried to set invalid number of signers.',
    );
}

/**
 * Completes round 1: determines the participants and the common view secret key.
 * @param messages messages of round 1, one per participant; the own message may be left out.
 * @throws MultisigError `multisig_refused`. Source: wallet2.cpp `make_multisig`, multisig_account.cpp `initialize_kex`.
 */
export function startExchange(
  { signerSecret, commonSecret }: Signer,
  threshold: number,
  messages: readonly KexMessage[],
): MultisigAccount {
  const ownKey = publicKeyOf(signerSecret);
  const messageSigners = messages.map(({ signer }) => signer);
  if (new Set(messageSigners.map(toHex)).size !== messageSigners.length)
    throw refused(
      'two of the messages are of the same participant',
      'Duplicate signers not allowed when converting a wallet to multisig.',
    );
  const isOwn = (signer: PublicKey): boolean => equalBytes(signer, ownKey);
  const signers = [...messageSigners.filter((signer) => !isOwn(signer)), ownKey].sort(compareBytes);
  assertGroup(threshold, signers.length);
  assertRound(
    messages,
    1,
    "Trying to make multisig with message that has invalid multisig kex round (should be '1').",
  );
  const others = messages.flatMap(({ signer, commonSecret: part }) =>
    isOwn(signer) || part === undefined ? [] : [part],
  );
  // In an N-of-N group the secret key of each participant is that participant's only share.
  const started: MultisigAccount = {
    threshold,
    signers,
    roundsPassed: 0,
    signerSecret,
    commonSecret: commonSecretOf([commonSecret, ...others]),
    spendPublicKey: IDENTITY,
    shares: threshold === signers.length ? [signerSecret] : [],
    roundKeys: [ownKey],
  };
  return finishRound(started, messages, false);
}

/**
 * Completes the present round.
 * @param incomplete true: messages of fewer than all participants are accepted.
 * @returns the account after the round; `account` is not changed.
 * @throws MultisigError `multisig_refused`. Source: multisig_account.cpp `kex_update`.
 */
export function continueExchange(
  account: MultisigAccount,
  messages: readonly KexMessage[],
  incomplete = false,
): MultisigAccount {
  if (isReady(account))
    throw refused(
      'the key exchange is complete already',
      'Multisig kex has already completed all required rounds (including post-kex verification).',
    );
  return finishRound(account, messages, incomplete);
}

const expectedOf = (account: MultisigAccount, incomplete: boolean): ExpectedRound => ({
  round: account.roundsPassed + 1,
  signers: account.signers,
  ownKey: publicKeyOf(account.signerSecret),
  ownKeys: account.roundKeys,
  incomplete,
});

/**
 * Computes the shared key `8·k·K`, which the holders of the secret keys in K also know; without the 8, torsion in K
 * would reveal k modulo 8.
 */
const shareWith = (publicKey: PublicKey, { signerSecret }: Signer): PublicKey =>
  keyDerivation(publicKey, signerSecret) as Uint8Array as PublicKey;

function finishRound(
  account: MultisigAccount,
  messages: readonly KexMessage[],
  incomplete: boolean,
): MultisigAccount {
  const expected = expectedOf(account, incomplete);
  const { round } = expected;
  const last = mainRounds(account);
  const passed = { ...account, roundsPassed: round };
  if (round > last) {
    assertConfirmed(messages, expected, [account.spendPublicKey, publicKeyOf(account.commonSecret)]);
    return passed;
  }
  // With a threshold of 1 all participants hold the same single share, so no keys of other participants are needed.
  if (account.threshold === 1 && round === last) assertRound(messages, round);
  const keys = account.threshold === 1 && round === last ? [] : keysOfRound(messages, expected);
  if (round === last) {
    const { publicKey, secrets } = aggregateKeys(keys, account.shares);
    return { ...passed, spendPublicKey: publicKey, shares: secrets, roundKeys: [] };
  }
  const shared = keys.map((key) => shareWith(key, account));
  if (round + 1 < last) return { ...passed, roundKeys: shared };
  const shares = shared.map(blindedSecret);
  return { ...passed, shares, roundKeys: publicKeysOf(shares) };
}

/**
 * Makes the message of the present round; after the main rounds, the confirmation. Source:
 * multisig_account_kex_impl.cpp `finalize_kex_update`.
 */
export function nextMessage(account: MultisigAccount, rng: Rng): string {
  const round = Math.min(account.roundsPassed, mainRounds(account)) + 1;
  const keys = isExchanged(account)
    ? [account.spendPublicKey, publicKeyOf(account.commonSecret)]
    : account.roundKeys;
  return laterKexMessage(round, keys, account.signerSecret, rng);
}

/**
 * A participant that makes a booster message. Before round 1, threshold and size of the group are given in addition.
 */
export type Booster = MultisigAccount | (Signer & { readonly threshold: number; readonly total: number });

/**
 * Makes the message of the round after the present one from some messages of the present round, so that another
 * participant can continue without all messages ("booster").
 * @throws MultisigError `multisig_refused` if there is no such round. Source: multisig_account_kex_impl.cpp
 * `get_multisig_kex_round_booster`.
 */
export function boosterMessage(booster: Booster, messages: readonly KexMessage[], rng: Rng): string {
  const started = 'signers' in booster ? booster : undefined;
  const total = 'signers' in booster ? booster.signers.length : booster.total;
  assertGroup(booster.threshold, total);
  const ownKey = publicKeyOf(booster.signerSecret);
  const round = (started?.roundsPassed ?? 0) + 1;
  const last = total - booster.threshold + 1;
  if (round >= last) throw refused('the key exchange has no further round for a booster message');
  assertRound(messages, round);
  const shared = recommendedKeys(messages, { ownKey, ownKeys: started?.roundKeys ?? [ownKey] }).map((key) =>
    shareWith(key, booster),
  );
  const keys = round + 1 === last ? publicKeysOf(shared.map(blindedSecret)) : shared;
  return laterKexMessage(round + 1, keys, booster.signerSecret, rng);
}

/**
 * Domain names in the hashes below. Source: cryptonote_config.h `HASH_KEY_MULTISIG`,
 * `HASH_KEY_MULTISIG_KEY_AGGREGATION`.
 */
const BLINDING = paddedName('Multisig');
const AGGREGATION = paddedName('Multisig_key_agg');

/**
 * Computes `Hs(key || salt)`, which converts an ordinary or a shared secret into a secret key of the key exchange.
 * @param key 32 bytes, a scalar or the bytes of a shared point.
 * @throws RangeError for zeros. Source: multisig.cpp `get_multisig_blinded_secret_key`.
 */
function blindedSecret(key: Uint8Array): SecretKey {
  if (key.every((byte) => byte === 0)) throw new RangeError('a secret of zeros cannot be blinded');
  return scalarBytes(hashToScalar(key, BLINDING));
}

/**
 * Computes the common view secret key of all participants: a hash of their sorted contributions. Source:
 * multisig_account_kex_impl.cpp `make_multisig_common_privkey`.
 */
const commonSecretOf = (contributions: readonly SecretKey[]): SecretKey =>
  scalarBytes(hashToScalar(...[...contributions].sort(compareBytes)));

/** Computes the aggregation coefficient of one key. It depends on all keys, which prevents rogue-key attacks. */
const coefficientOf = (publicKey: PublicKey, sorted: readonly PublicKey[]): bigint =>
  hashToScalar(publicKey, ...sorted, AGGREGATION);

/** Result of {@link aggregateKeys}. */
interface Aggregate {
  readonly publicKey: PublicKey;
  /** Secret shares of this participant, each multiplied by its coefficient. */
  readonly secrets: readonly SecretKey[];
}

/**
 * Computes the spend key of the group by aggregation as in MuSig, `Σ H(Kᵢ, all)·Kᵢ`.
 * @param others public keys of the shares that this participant does not hold.
 * @param own secret shares of this participant.
 * @throws RangeError for a duplicate key or an invalid point. Source: multisig_account_kex_impl.cpp
 * `generate_multisig_aggregate_key`.
 */
function aggregateKeys(others: readonly PublicKey[], own: readonly SecretKey[]): Aggregate {
  const ownKeys = publicKeysOf(own);
  const sorted = [...others, ...ownKeys].sort(compareBytes);
  if (new Set(sorted.map(toHex)).size !== sorted.length) throw new RangeError('a key share is listed twice');
  const publicKey = loadCurve().multiexp(
    sorted,
    sorted.map((share) => coefficientOf(share, sorted)),
  ) as PublicKey;
  const secrets = own.map((secret, i) =>
    scalarBytes(reduce(toScalar(secret) * coefficientOf(ownKeys[i] as PublicKey, sorted))),
  );
  return { publicKey, secrets };
}
