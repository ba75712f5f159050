import type { SubaddressIndex } from '../../monero/cryptonote/types.js';
import type { WalletContext } from '../context/wallet-context.js';
import { differenceOf } from '../../model/request-state.js';
import { sum } from '../../util/amount.js';
import { toHex } from '../../util/bytes.js';
import type { Json } from '../../util/json.js';
import type { PayoutFacts } from '../../model/payout.js';
import type { RequestPrice } from '../../model/payment-request.js';
import type {
  PaymentFacts,
  RequestFacts,
  SpentOutputFacts,
  TransferFacts,
  WalletEvent,
} from '../../model/events.js';

/** An event in the JSON form that clients receive. */
export interface EventJson {
  readonly id: number;
  readonly type: WalletEvent['type'];
  /** Time at which the event was recorded, in ISO 8601. */
  readonly timestamp: string;
  /** Name of the wallet; empty for a wallet in memory. */
  readonly wallet: string;
  /** True if the block of the event was mined before the wallet came to this server; otherwise absent. */
  readonly history?: true;
  readonly data: { readonly [key: string]: Json | undefined };
}

/** Parts of the context of a wallet that its events need in their JSON form. */
export type EventContext = Pick<WalletContext, 'name'> & {
  readonly addresses: Pick<WalletContext['addresses'], 'text'>;
  readonly keystore: Pick<WalletContext['keystore'], 'hidesNotes'>;
};

/** Returns the text of an own address. */
type AddressText = (index: SubaddressIndex) => string;

const paymentJson = (facts: PaymentFacts, addressText: AddressText) => ({
  tx_hash: toHex(facts.txHash),
  address: addressText(facts.subaddress),
  subaddr_index: { major: facts.subaddress.major, minor: facts.subaddress.minor },
  amount: facts.amount,
  coinbase: facts.coinbase,
  unlock_time: facts.unlockTime,
  tx_timestamp: facts.timestamp,
  // A transaction without a payment id contains an encrypted payment id of zeros.
  ...(facts.paymentId?.some((byte) => byte !== 0) === true ? { payment_id: toHex(facts.paymentId) } : {}),
});

const transferJson = ({ txHash, account, amountIn, change, fee }: TransferFacts) => ({
  tx_hash: toHex(txHash),
  account_index: account,
  amount_in: amountIn,
  change,
  fee,
});

const spentOutputJson = (
  { txHash, keyImage, subaddress, amount }: SpentOutputFacts,
  addressText: AddressText,
) => ({
  tx_hash: toHex(txHash),
  key_image: toHex(keyImage),
  address: addressText(subaddress),
  subaddr_index: { major: subaddress.major, minor: subaddress.minor },
  amount,
});

const requestJson = (facts: RequestFacts, addressText: AddressText) => {
  const { requestId, reference, subaddress, state, amount, price, received, unconfirmed, locked, late } =
    facts;
  return {
    request_id: requestId,
    ...(reference === undefined ? {} : { reference }),
    address: addressText(subaddress),
    subaddr_index: { major: subaddress.major, minor: subaddress.minor },
    state,
    ...(amount === undefined ? {} : { amount }),
    ...(price === undefined ? {} : { price: priceJson(price) }),
    received,
    received_unconfirmed: unconfirmed,
    received_locked: locked,
    ...differenceOf(amount, sum([received, unconfirmed])),
    late,
    refunded: facts.refunded,
    refundable: facts.refundable,
  };
};

/** Converts a price to JSON. */
export const priceJson = ({ currency, amount, rate, rateTime, source }: RequestPrice) => ({
  ...{ currency, amount, rate, rate_time: rateTime },
  ...(source === undefined ? {} : { source }),
});

const payoutJson = ({
  payoutId,
  reference,
  account,
  address,
  amount,
  was,
  reason,
  txHash,
  height,
  fee,
}: PayoutFacts) => ({
  payout_id: payoutId,
  ...(reference === undefined ? {} : { reference }),
  account_index: account,
  address,
  amount,
  ...(was === undefined ? {} : { was }),
  ...(reason === undefined ? {} : { reason }),
  ...(txHash === undefined ? {} : { tx_hash: toHex(txHash) }),
  ...(height === undefined ? {} : { height }),
  ...(fee === undefined ? {} : { fee }),
});

function dataOf(event: WalletEvent, addressText: AddressText): EventJson['data'] {
  switch (event.type) {
    case 'payment.seen':
      return paymentJson(event.data, addressText);
    case 'payment.mined': {
      const { height, seen } = event.data;
      return { ...paymentJson(event.data, addressText), height, ...(seen === undefined ? {} : { seen }) };
    }
    case 'payment.confirmed': {
      const { height, confirmations } = event.data;
      return { ...paymentJson(event.data, addressText), height, confirmations };
    }
    case 'payment.unlocked':
      return { ...paymentJson(event.data, addressText), height: event.data.height };
    case 'payment.reversed': {
      const { height, reverses, reason } = event.data;
      return {
        ...paymentJson(event.data, addressText),
        ...(height === undefined ? {} : { height }),
        ...(reverses === undefined ? {} : { reverses }),
        reason,
      };
    }
    case 'transfer.relayed':
      return transferJson(event.data);
    case 'transfer.mined':
      return { ...transferJson(event.data), height: event.data.height };
    case 'transfer.failed':
      return { ...transferJson(event.data), reason: event.data.reason };
    case 'output.spent':
      return spentOutputJson(event.data, addressText);
    case 'output.unspent': {
      const { reverses, reason } = event.data;
      return { ...spentOutputJson(event.data, addressText), reverses, reason };
    }
    case 'request.partial':
    case 'request.seen':
    case 'request.paid':
    case 'request.overpaid':
    case 'request.expired':
    case 'request.late':
      return requestJson(event.data, addressText);
    case 'request.reversed':
      return { ...requestJson(event.data, addressText), was: event.data.was };
    case 'request.refund': {
      const { payoutId, amount, state, txHash } = event.data.refund;
      const refund = { refund_id: payoutId, amount, state, ...(txHash && { tx_hash: toHex(txHash) }) };
      return { ...requestJson(event.data, addressText), refund };
    }
    case 'wallet.synced':
      return { height: event.data.height };
    case 'wallet.reorganised':
      return { from_height: event.data.fromHeight, depth: event.data.depth };
    case 'balance.low': {
      const { account, balance, unlocked, limit } = event.data;
      return { account_index: account, balance, unlocked_balance: unlocked, low_water: limit };
    }
    default:
      return payoutJson(event.data);
  }
}

/** Returns an event without the reference of its request or payout. */
function withoutReference(event: WalletEvent): WalletEvent {
  if (!('reference' in event.data)) return event;
  const { reference: _, ...data } = event.data;
  return { ...event, data } as WalletEvent;
}

/** Converts an event of a wallet to its JSON form, which lacks references while notes are hidden. */
export const eventJson = (event: WalletEvent, { name, addresses, keystore }: EventContext): EventJson => ({
  id: event.id,
  type: event.type,
  timestamp: new Date(event.time).toISOString(),
  wallet: name,
  ...(event.history === true ? { history: true } : {}),
  data: dataOf(keystore.hidesNotes ? withoutReference(event) : event, (index) => addresses.text(index)),
});
