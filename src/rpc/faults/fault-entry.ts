import type { Fault } from '../../monero/wallet/model/wallet-error.js';

/** Name of a fault. */
export type Kind = Fault['kind'];

/** Faults by their kind. */
export type Facts = { readonly [F in Fault as F['kind']]: F };

/** Facts beside the fault that a message may contain. */
export interface Surroundings {
  /** `host:port` as configured; empty when offline. */
  readonly daemonAddress: string;
}

/** Message of a kind of fault: always the same one, or made of the facts. */
export type Text<K extends Kind> = string | ((fault: Facts[K], surroundings: Surroundings) => string);

/** Messages by kind. */
export type Texts = { readonly [K in Kind]: Text<K> };

/** Code, message and explanation of one kind of fault. */
export interface FaultEntry<K extends Kind> {
  /** Error code of the reference. Codes below -53 are additions. */
  readonly code: number;
  /** Error message of the reference; absent where it has no such error: then the explanation is the message. */
  readonly text?: Text<K>;
  /** One sentence with the facts, for `data.explanation` of the error. Contains no secrets. */
  readonly explanation: string | ((fault: Facts[K]) => string);
}

/** Entries by kind. */
export type FaultTable = { readonly [K in Kind]: FaultEntry<K> };

type Reasoned = Extract<Fault, { reason: string }>;

/** Cause of a fault, in one sentence. */
export const reasonOf = ({ reason }: Reasoned): string => reason;

/** Upstream's message for the cause; our reason where upstream has none. */
export const causeText = ({ text, reason }: Reasoned): string => text ?? reason;

/** Upstream's message for the cause; the usual one where the cause has none of its own. */
export const orText =
  (usual: string) =>
  ({ text }: Reasoned): string =>
    text ?? usual;

/** Upstream's prefix followed by the message of the cause. */
export const prefixed =
  (prefix: string) =>
  (fault: Reasoned): string =>
    prefix + causeText(fault);
