import { DaemonError, NewerBlock } from '../../daemon/errors.js';
import { RpcError } from '../../http/calls/errors.js';
import { describeDaemonError, isUnreachable } from '../../services/context/fault-reason.js';
import { faultOf, WalletError, type Fault } from '../../model/wallet-error.js';
import type { Kind, Surroundings, Texts } from './fault-entry.js';
import { explain, factsOf, FAULTS, httpOf, textOf } from './fault-table.js';

/** Error code of a method that restricted mode refuses. */
export const DENIED = -7;

const UNKNOWN_ERROR = -1;

/** Codes and messages of a method that differ from the table of faults. */
export interface OwnErrors {
  readonly codes?: Partial<Readonly<Record<Kind, number>>>;
  readonly texts?: Partial<Texts>;
}

function daemonFault(error: DaemonError): Fault | undefined {
  if (error instanceof NewerBlock) return { kind: 'newer_fork', ...error.block };
  if (isUnreachable(error)) return { kind: 'daemon_unreachable', reason: describeDaemonError(error) };
  return error.kind === 'busy' ? { kind: 'daemon_busy' } : undefined;
}

/** Longest error message [characters]: messages of the reference contain arguments of any length. */
const MAX_MESSAGE_LENGTH = 400;

const truncated = (text: string): string =>
  text.length > MAX_MESSAGE_LENGTH ? `${text.slice(0, MAX_MESSAGE_LENGTH)}…` : text;

function errorFor(
  fault: Fault,
  cause: unknown,
  { codes, texts }: OwnErrors,
  surroundings: Surroundings,
): RpcError {
  // The message of `partly_relayed` is never truncated, since the client must know all relayed payments.
  const limited = fault.kind === 'partly_relayed' ? (text: string): string => text : truncated;
  const message = limited(textOf(fault, texts ?? {}, surroundings));
  const explanation = limited(explain(fault));
  const facts = factsOf(fault);
  return new RpcError(codes?.[fault.kind] ?? FAULTS[fault.kind].code, message, {
    cause,
    ...httpOf(fault.kind),
    ...(explanation === message && facts === undefined ? {} : { explanation }),
    ...(facts === undefined ? {} : { facts }),
  });
}

/**
 * Converts an error to the error that the client receives; undefined for a bug. Code and message are taken from the
 * reference if it has the same error; `data.explanation` adds details for clients that ask for it. The cause of an
 * error from the table is the WalletError, or the error of the protocol library.
 */
export function toRpcError(error: unknown, own: OwnErrors, surroundings: Surroundings): RpcError | undefined {
  if (error instanceof RpcError) return error;
  const expected = faultOf(error);
  if (expected !== undefined) return errorFor(expected, error, own, surroundings);
  if (!(error instanceof DaemonError)) return undefined;
  const fault = daemonFault(error);
  return fault === undefined
    ? new RpcError(UNKNOWN_ERROR, error.message)
    : errorFor(fault, new WalletError(fault, { cause: error }), own, surroundings);
}
