import { MedusaError } from '@medusajs/framework/utils';
import { WalletClientError, WalletRpcError, WebhookError } from 'wallet-rpc-client';

/** Error code of a call whose idempotency key belongs to a call with other parameters. */
export const KEY_MISMATCH = -54;
/** Error code of a request that does not exist. */
export const REQUEST_MISSING = -62;

/** True for an error of the server with a code. */
export const hasCode = (error: unknown, code: number): boolean =>
  error instanceof WalletRpcError && error.code === code;

const notAllowed = (text: string): MedusaError => new MedusaError(MedusaError.Types.NOT_ALLOWED, text);

/** Translates an error for Medusa: what the server refuses is not allowed, and a lost server is unexpected. */
function medusaError(error: unknown): unknown {
  if (error instanceof RangeError) return notAllowed(error.message);
  if (hasCode(error, REQUEST_MISSING))
    return new MedusaError(MedusaError.Types.NOT_FOUND, 'wallet-rpc has no such payment request');
  if (error instanceof WalletRpcError) return notAllowed(error.data?.explanation ?? error.message);
  if (error instanceof WebhookError) return new MedusaError(MedusaError.Types.UNAUTHORIZED, error.message);
  if (error instanceof WalletClientError)
    return new MedusaError(
      MedusaError.Types.UNEXPECTED_STATE,
      `wallet-rpc, ${error.method}: ${error.message}`,
    );
  return error;
}

/** Runs a task, and throws its errors as errors of Medusa. */
export async function withMedusaErrors<T>(task: () => Promise<T>): Promise<T> {
  try {
    return await task();
  } catch (error) {
    throw medusaError(error);
  }
}
