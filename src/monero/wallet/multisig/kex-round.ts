import type { PublicKey } from '../../crypto/types.js';
import { compareBytes, equalBytes, toHex } from '../../../util/bytes.js';
import { ProtocolError, type Reasoned } from '../protocol-error.js';
import { choose } from './combinations.js';
import type { KexMessage } from './kex-message.js';

/** Properties that the messages of one round must have for a participant. */
export interface ExpectedRound {
  readonly round: number;
  readonly signers: readonly PublicKey[];
  readonly ownKey: PublicKey;
  /** Keys that the participant shares with others in this round. */
  readonly ownKeys: readonly PublicKey[];
  /** True: messages of fewer than all signers are accepted, if these signers together know all keys. */
  readonly incomplete: boolean;
}

/** Keys that signers recommend, each with the signers who recommend it. */
type Recommendations = ReadonlyMap<string, { readonly key: PublicKey; readonly by: ReadonlySet<string> }>;

/** Facts of a {@link MultisigError}. `multisig_import_needed`: unused nonces of too few signers are known. */
export type MultisigFault =
  | ({ readonly kind: 'multisig_refused' } & Reasoned)
  | { readonly kind: 'multisig_import_needed' };

/** Error of a group that cannot be formed, or cannot sign yet. */
export class MultisigError extends ProtocolError<MultisigFault> {
  override readonly name = 'MultisigError';
}

/** Returns the error of a refused exchange. @param text the reference's message for the same cause. */
export const refused = (reason: string, text?: string, cause?: unknown): MultisigError =>
  new MultisigError({ kind: 'multisig_refused', reason, ...(text === undefined ? {} : { text }) }, { cause });

/**
 * Checks that all messages belong to a round.
 * @param text the reference's message for a wrong round.
 * @throws MultisigError `multisig_refused` for a wrong round, or if there is no message.
 */
export function assertRound(
  messages: readonly KexMessage[],
  round: number,
  text = "Messages don't have the expected kex round number.",
): void {
  if (messages.length === 0)
    throw refused('no key exchange messages were given', 'At least one input message expected.');
  for (const message of messages)
    if (message.round !== round)
      throw refused(
        `a message is of round ${message.round} of the key exchange, where round ${round} is due`,
        text,
      );
}

/** The reference's error messages. Source: multisig_account_kex_impl.cpp. */
const UNEXPECTED_COUNT =
  'A pubkey recommended by multisig kex messages had an unexpected number of recommendations.';
const UNEXPECTED_SIGNER = 'Multisig kex message with unexpected signer encountered.';

/** Returns the keys that a message recommends; in round 1 that is the sender's signing key. */
const recommendedBy = ({ round, signer, keys }: KexMessage): readonly PublicKey[] =>
  round === 1 ? [signer] : keys;

function collectRecommendations(
  messages: readonly KexMessage[],
  excluded: readonly PublicKey[],
): Recommendations {
  const own = new Set(excluded.map(toHex));
  const found = new Map<string, { key: PublicKey; by: Set<string> }>();
  for (const message of messages)
    for (const key of recommendedBy(message)) {
      const name = toHex(key);
      if (message.round > 1 && own.has(name)) continue;
      const entry = found.get(name) ?? { key, by: new Set<string>() };
      entry.by.add(toHex(message.signer));
      found.set(name, entry);
    }
  return found;
}

/** Returns the keys that the other signers recommend. */
function recommendedByOthers(
  found: Recommendations,
  ownKey: PublicKey,
): { key: PublicKey; by: Set<string> }[] {
  const self = toHex(ownKey);
  return [...found.values()].flatMap(({ key, by }) => {
    const others = new Set([...by].filter((signer) => signer !== self));
    return others.size === 0 ? [] : [{ key, by: others }];
  });
}

/**
 * Returns the keys of a round that the participant does not share, ascending. In a round, every set of `round` signers
 * shares one key.
 * @throws MultisigError `multisig_refused` if a signer is missing, if a message is by a non-member, or if the counts show
 * that a signer sent different messages to different participants. Source: multisig_account_kex_impl.cpp
 * `evaluate_multisig_kex_round_msgs`.
 */
export function keysOfRound(messages: readonly KexMessage[], expected: ExpectedRound): PublicKey[] {
  const { round, signers, ownKey, ownKeys, incomplete } = expected;
  assertRound(messages, round);
  const found = recommendedByOthers(collectRecommendations(messages, ownKeys), ownKey);
  const perSigner = new Map<string, number>();
  for (const { by } of found) {
    if (by.size < (incomplete ? 1 : round))
      throw refused(
        'participants of the key exchange contradict each other about a shared key',
        UNEXPECTED_COUNT,
      );
    for (const signer of by) perSigner.set(signer, (perSigner.get(signer) ?? 0) + 1);
  }
  const members = new Set(signers.map(toHex));
  if ([...perSigner.keys()].some((signer) => !members.has(signer)))
    throw refused(
      'a key exchange message is by a signer who is not a member of this group',
      UNEXPECTED_SIGNER,
    );
  const needed = signers.length - 1 - (incomplete ? round - 1 : 0);
  if (perSigner.size < needed)
    throw refused(
      `key exchange messages of ${needed} others are needed, ${perSigner.size} were given`,
      'Number of unique other signers does not equal number of other signers that recommended pubkeys.',
    );
  if (ownKeys.length !== choose(signers.length - 1, round - 1))
    throw refused(
      'the state of the key exchange does not match this round',
      'Local account did not recommend expected number of multisig keys.',
    );
  const each = choose(signers.length - 2, round - 1);
  if ([...perSigner.values()].some((count) => count !== each))
    throw refused('a participant of the key exchange gives too few keys, or too many', UNEXPECTED_COUNT);
  return found.map(({ key }) => key).sort(compareBytes);
}

/**
 * Checks the confirmation round, in which every participant confirms the two public keys of the group.
 * @throws MultisigError `multisig_refused` if a participant is missing or has computed other keys. Source:
 * multisig_account_kex_impl.cpp `evaluate_multisig_post_kex_round_msgs`.
 */
export function assertConfirmed(
  messages: readonly KexMessage[],
  { round, signers, ownKey, incomplete }: ExpectedRound,
  groupKeys: readonly [PublicKey, PublicKey],
): void {
  assertRound(messages, round);
  const found = [...collectRecommendations(messages, []).values()];
  const [first, second] = found;
  const agreed =
    found.length === 2 &&
    groupKeys.every((key) => found.some((entry) => equalBytes(entry.key, key))) &&
    first?.by.size === second?.by.size &&
    [...(first?.by ?? [])].every((signer) => second?.by.has(signer) === true);
  if (!agreed)
    throw refused(
      'the participants have not computed the same keys: the key exchange has failed',
      'Multisig post-kex round messages from other signers did not all recommend the same pubkey pair.',
    );
  const confirmed = new Set([...(first?.by ?? []), toHex(ownKey)]);
  const members = new Set(signers.map(toHex));
  if ([...confirmed].some((signer) => !members.has(signer)))
    throw refused(
      'a key exchange message is by a signer who is not a member of this group',
      "Multisig post-kex round message origins don't line up with multisig signer set.",
    );
  if (!incomplete && confirmed.size < signers.length)
    throw refused(
      `all ${signers.length} participants must confirm, ${confirmed.size} have`,
      'Could not find an expected signer in multisig post-kex round messages (all signers expected).',
    );
}

/**
 * Returns the keys that other signers recommend in a round, without any check. Source:
 * `get_multisig_kex_round_booster`.
 */
export const recommendedKeys = (
  messages: readonly KexMessage[],
  { ownKey, ownKeys }: Pick<ExpectedRound, 'ownKey' | 'ownKeys'>,
): PublicKey[] =>
  recommendedByOthers(collectRecommendations(messages, ownKeys), ownKey).map(({ key }) => key);
