import { writeUri } from '../../monero/cryptonote/uri.js';
import type { SubaddressIndex } from '../../monero/cryptonote/types.js';
import { MAX_LABEL_BYTES, type PaymentRequest } from '../../model/payment-request.js';
import { refundable, type Refund } from '../../model/refund.js';
import { requestStatus, type RequestStatus } from '../../model/request-state.js';
import { rescanTo } from '../../store/events/chain-progress.js';
import { ZERO, type Amount } from '../../util/amount.js';
import { toHex } from '../../util/bytes.js';
import { unixSeconds } from '../../util/clock.js';
import type { Accounts } from '../accounts/accounts.js';
import { verifiedCounter } from '../context/daemon-access.js';
import type { WalletContext } from '../context/wallet-context.js';
import type { WalletSync } from '../sync/wallet-sync.js';

type Context = Pick<WalletContext, 'clock' | 'daemon' | 'keystore' | 'requestSettings' | 'store'>;

/** Other services of the wallet that this service calls. */
interface Services {
  readonly accounts: Accounts;
  readonly sync: WalletSync;
}

/** A payment request with its state and payments. */
export interface RequestView {
  readonly request: PaymentRequest;
  readonly status: RequestStatus;
  /** Refunds of the request, the oldest first. */
  readonly refunds: readonly Refund[];
  /** Time of the view [Unix s]. */
  readonly now: number;
  /** Amount that may still be refunded [atomic units]. */
  readonly refundable: Amount;
  readonly address: string;
  /** Label of the address; empty: no label. */
  readonly label: string;
  /** URI that wallets open, with the amount, and with the label unless it exceeds the present limit of labels. */
  readonly uri: string;
  /** Address of the pay page of the request; absent if there are no pay pages. */
  readonly payUrl?: string;
  /** True if the wallet has all blocks of the daemon. */
  readonly isSynced: boolean;
  /** Check for which the blocks of the wallet wait; undefined if for none. */
  readonly waitingFor: 'work' | 'nodes' | undefined;
}

/** Views some of the requests of a list. */
export type ViewRequests = (some: readonly PaymentRequest[]) => readonly RequestView[];

/** Returns a request without its facts that concern the merchant alone. */
function withoutNotes(request: PaymentRequest): PaymentRequest {
  const { reference: _, metadata: __, ...rest } = request;
  return rest;
}

/**
 * Writes the URI of a request. A label beyond the limit, from an earlier version, is left out, because no QR code can
 * contain it.
 */
const uriOf = (address: string, asked: Amount | undefined, label: string): string =>
  writeUri({
    ...{ address, amount: asked ?? ZERO, paymentId: '', recipientName: '' },
    description: label.length > MAX_LABEL_BYTES ? '' : label,
  });

/** Views requests: adds their states, payments and refunds. */
export class RequestViews {
  readonly #context: Context;
  readonly #services: Services;

  constructor(context: Context, services: Services) {
    this.#context = context;
    this.#services = services;
  }

  /** Views a request. */
  view(request: PaymentRequest): RequestView {
    const [view] = this.of([request])([request]);
    if (view === undefined) throw new Error('a request has no view');
    return view;
  }

  /**
   * Reads the states of requests.
   * @returns a function that views some of the requests, with their labels at the time of its call.
   */
  of(requests: readonly PaymentRequest[]): ViewRequests {
    const { keystore, requestSettings, daemon } = this.#context;
    const { waitingFor } = daemon;
    const { accounts, sync } = this.#services;
    const { payUrl } = requestSettings;
    const isSynced = sync.isComplete && this.#context.store.read((r) => rescanTo(r.meta)) === undefined;
    const indices = requests.map(({ subaddress }) => subaddress);
    accounts.prepare(indices);
    const statusOf = this.#statuses(indices);
    const statuses = new Map(requests.map((request) => [request.sequence, statusOf(request)]));
    const refundsOf = this.#context.store.read((r) =>
      r.refunds.ofEach(requests.map(({ sequence }) => sequence)),
    );
    const now = unixSeconds(this.#context.clock);
    return (some) => {
      const labels = accounts.labelsOf(some.map(({ subaddress }) => subaddress));
      return some.map((request, i) => {
        const address = accounts.address(request.subaddress);
        const label = labels[i] ?? '';
        const status = statuses.get(request.sequence) ?? statusOf(request);
        const refunds = refundsOf.get(request.sequence) ?? [];
        return {
          request: keystore.hidesNotes ? withoutNotes(request) : request,
          ...{ status, refunds, refundable: refundable('all', request.amount, status.settled, refunds) },
          ...{ now, address, label, isSynced, waitingFor, uri: uriOf(address, request.amount, label) },
          ...(payUrl === undefined ? {} : { payUrl: `${payUrl}${toHex(request.token)}` }),
        };
      });
    };
  }

  /** Reads the payments to the addresses of requests. @returns a function that computes the state of one request. */
  #statuses(subaddresses: readonly SubaddressIndex[]): (request: PaymentRequest) => RequestStatus {
    const { store, clock, daemon } = this.#context;
    const payments = store.read((r) => r.requests.paymentsTo(subaddresses));
    const verified = verifiedCounter(daemon, store);
    const view = { tip: store.height() - 1, now: unixSeconds(clock), verified };
    return (request) => requestStatus(request, payments(request.subaddress), view);
  }
}
