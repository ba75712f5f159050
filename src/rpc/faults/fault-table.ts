import type { ErrorFacts } from '../../http/calls/errors.js';
import type { Fault } from '../../model/wallet-error.js';
import { additionFaults } from './additions.js';
import { addressFaults, inputFaults } from './input.js';
import { coldSigningFaults, multisigFaults, proofFaults } from './signing.js';
import { daemonFaults } from './daemon.js';
import type { Facts, FaultEntry, FaultTable, Kind, Surroundings, Text, Texts } from './fault-entry.js';
import { keyFaults, walletFaults } from './wallets.js';
import { paymentFaults } from './payments.js';

/**
 * Code, message and explanation of every kind of fault; a kind without an entry does not compile. Each kind is in the
 * file of its family. Clients compare or search the messages; methods replace some messages, as in the reference.
 * Sources: wallet_rpc_server_error_codes.h, wallet_rpc_server.cpp `handle_rpc_exception`, wallet_errors.h, wallet2.cpp.
 */
export const FAULTS: FaultTable = {
  ...walletFaults,
  ...keyFaults,
  ...inputFaults,
  ...addressFaults,
  ...paymentFaults,
  ...coldSigningFaults,
  ...proofFaults,
  ...multisigFaults,
  ...daemonFaults,
  ...additionFaults,
};

const explainKind = <K extends Kind>(kind: K, fault: Facts[K]): string => {
  const { explanation }: FaultEntry<K> = FAULTS[kind];
  return typeof explanation === 'string' ? explanation : explanation(fault);
};

/** Returns the HTTP status of a fault, and the time after which the call may be repeated, if the table has them. */
export const httpOf = <K extends Kind>(kind: K): Pick<FaultEntry<K>, 'status' | 'retryAfter'> => {
  const { status, retryAfter }: FaultEntry<K> = FAULTS[kind];
  return {
    ...(status === undefined ? {} : { status }),
    ...(retryAfter === undefined ? {} : { retryAfter }),
  };
};

const factsOfKind = <K extends Kind>(kind: K, fault: Facts[K]): ErrorFacts | undefined => {
  const { facts }: FaultEntry<K> = FAULTS[kind];
  return facts?.(fault);
};

/** Returns the facts of a fault for `data` of its error; undefined if the table has none. */
export const factsOf = (fault: Fault): ErrorFacts | undefined => factsOfKind(fault.kind, fault);

/** Explains a fault with its facts in one sentence. Contains no secrets. */
export const explain = (fault: Fault): string => explainKind(fault.kind, fault);

const textOfKind = <K extends Kind>(
  kind: K,
  fault: Facts[K],
  own: Partial<Texts>,
  surroundings: Surroundings,
): string => {
  const text: Text<K> | undefined = own[kind] ?? FAULTS[kind].text;
  if (text === undefined) return explainKind(kind, fault);
  return typeof text === 'string' ? text : text(fault, surroundings);
};

/** Returns the message of a fault. @param own messages of the method that differ from {@link FAULTS}. */
export const textOf = (fault: Fault, own: Partial<Texts>, surroundings: Surroundings): string =>
  textOfKind(fault.kind, fault, own, surroundings);
