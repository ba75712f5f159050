import { PaymentActions, PaymentSessionStatus } from '@medusajs/framework/utils';
import type { GetPaymentRequestResult } from 'wallet-rpc-client';

/** State of a payment request. */
export type RequestState = GetPaymentRequestResult['state'];

/** State from which an order may be placed. */
export type PlaceOrderAt = 'seen' | 'paid';

/**
 * Returns the status of a payment session. Money that is not confirmed is never authorized, since Medusa would let it be captured:
 * an order that is placed before has a session whose authorization is pending, and no payment.
 */
export function sessionStatus(state: RequestState, placeOrderAt: PlaceOrderAt): PaymentSessionStatus {
  switch (state) {
    case 'waiting':
    case 'partial':
      return PaymentSessionStatus.PENDING;
    case 'seen':
    case 'confirming':
      return placeOrderAt === 'seen'
        ? PaymentSessionStatus.PENDING_AUTHORIZATION
        : PaymentSessionStatus.PENDING;
    case 'paid':
      return PaymentSessionStatus.CAPTURED;
    case 'expired':
    case 'cancelled':
      return PaymentSessionStatus.CANCELED;
  }
}

/** Returns the action of a webhook for a state. */
export function webhookAction(state: RequestState, placeOrderAt: PlaceOrderAt): PaymentActions {
  switch (sessionStatus(state, placeOrderAt)) {
    case PaymentSessionStatus.CAPTURED:
      return PaymentActions.SUCCESSFUL;
    case PaymentSessionStatus.PENDING_AUTHORIZATION:
      return PaymentActions.PENDING_AUTHORIZATION;
    case PaymentSessionStatus.CANCELED:
      return PaymentActions.CANCELED;
    default:
      return PaymentActions.PENDING;
  }
}
