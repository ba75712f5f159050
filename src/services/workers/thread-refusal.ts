import { faultOf, WalletError, type Fault } from '../../model/wallet-error.js';

/** Refusal of a service's thread: a `fault` for the client, or a `problem` of the input. */
export type ThreadRefusal = { readonly fault: Fault } | { readonly problem: string };

/** Returns the refusal for an error of a job, if the error is expected. */
export function faultRefusal(error: unknown): ThreadRefusal | undefined {
  const fault = faultOf(error);
  return fault && { fault };
}

/**
 * Returns a function that makes an error of the refusal of a thread.
 * @param problem creates the error for input that a thread cannot use.
 */
export const refusalError =
  (problem: (text: string) => Error) =>
  (refusal: ThreadRefusal): Error =>
    'fault' in refusal ? new WalletError(refusal.fault) : problem(refusal.problem);
