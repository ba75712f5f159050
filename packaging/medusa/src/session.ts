import type { CreatePaymentRequestResult, GetPaymentRequestResult } from 'wallet-rpc-client';

/** A payment request in any answer of the server. */
export type PaymentRequest = GetPaymentRequestResult | CreatePaymentRequestResult;

/** Member of the metadata of a request that names its session in Medusa. */
const SESSION = 'medusa_session';
/** Member that counts the requests of a session: each change of its amount needs another one. */
const REVISION = 'revision';

type HasMetadata = Pick<PaymentRequest, 'metadata'>;

/** Creates the metadata of a request. */
export const metadataOf = (session: string, revision: number): Record<string, unknown> => ({
  [SESSION]: session,
  [REVISION]: revision,
});

const member = ({ metadata }: HasMetadata, name: string): unknown =>
  (metadata as Readonly<Record<string, unknown>> | undefined)?.[name];

/** Returns the session of a request, or undefined for a request that this provider has not made. */
export function sessionOf(request: HasMetadata): string | undefined {
  const session = member(request, SESSION);
  return typeof session === 'string' ? session : undefined;
}

/** Returns the number of a request among those of its session. */
export const revisionOf = (request: HasMetadata): number => Number(member(request, REVISION) ?? 1);

/** Names a request: reference, which is unique in the wallet, and idempotency key. */
export const nameOf = (session: string, revision: number): string =>
  revision === 1 ? session : `${session}/${revision}`;

/**
 * Returns what Medusa keeps of a request with its session, and shows to the storefront. Amounts are texts, since JSON has no
 * bigints.
 */
export function dataOf(request: PaymentRequest): Record<string, unknown> {
  const { request_id, state, address, uri, pay_url, amount, price, expires_at, refund_address } = request;
  return {
    ...{ session_id: sessionOf(request), request_id, state, address, uri, pay_url },
    ...{ amount: String(amount), price, expires_at, refund_address },
    ...{ received: String(request.received), received_unconfirmed: String(request.received_unconfirmed) },
    ...{ refunded: String(request.refunded), refundable: String(request.refundable) },
    refunds: request.refunds.map((refund) => ({
      ...{ refund_id: refund.refund_id, state: refund.state },
      ...{ amount: String(refund.amount), tx_hash: refund.tx_hash },
    })),
  };
}
