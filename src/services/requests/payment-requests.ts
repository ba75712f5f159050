import { DaemonError } from '../../daemon/errors.js';
import { writeUri } from '../../monero/cryptonote/uri.js';
import type { SubaddressIndex } from '../../monero/cryptonote/types.js';
import { assertRepeats, type KeyedCall } from '../../model/keyed-call.js';
import { faultOf, WalletError } from '../../model/wallet-error.js';
import { MAX_LABEL_BYTES, type PaymentRequest, confirmationsFor } from '../../model/payment-request.js';
import { requestStatus, type RequestStatus } from '../../model/request-state.js';
import { rescanTo } from '../../store/events/chain-progress.js';
import type { RequestFilter } from '../../store/tables/payment-requests.js';
import type { TrackedRequest } from '../../store/tables/request-row.js';
import type { WalletReader } from '../../store/wallet-reader.js';
import { ZERO, type Amount } from '../../util/amount.js';
import { toHex } from '../../util/bytes.js';
import { unixSeconds } from '../../util/clock.js';
import type { Accounts } from '../accounts/accounts.js';
import { verifiedCounter } from '../context/daemon-access.js';
import type { WalletContext } from '../context/wallet-context.js';
import type { WalletSync } from '../sync/wallet-sync.js';
import { RequestExpiry } from './request-expiry.js';

type Context = Pick<
  WalletContext,
  | 'addresses'
  | 'assertOpen'
  | 'clock'
  | 'daemon'
  | 'events'
  | 'keystore'
  | 'log'
  | 'name'
  | 'requestSettings'
  | 'rng'
  | 'store'
>;

/** Other services of the wallet that this service calls. */
interface Services {
  readonly accounts: Accounts;
  readonly sync: WalletSync;
}

/** Terms of a new payment request. */
export interface RequestSpec {
  /** Requested amount [atomic units]; absent: an open request. */
  readonly amount?: Amount;
  /** Time after which payments are late [Unix s]; absent: never. */
  readonly expires?: number;
  /** Account that gets the address. */
  readonly account: number;
  /** Number of confirmations, if it is greater than the number for the amount. */
  readonly confirmations: number;
  /** Largest difference to the amount that is ignored [atomic units]. */
  readonly tolerance: Amount;
  /** Label of the address; empty: no label. */
  readonly label: string;
  readonly reference?: string;
  /** JSON object, as text. */
  readonly metadata?: string;
  readonly returnUrl?: string;
  /** Call that creates the request once, by its key; absent without a key. */
  readonly call?: KeyedCall;
}

/** Name of a payment request: exactly one member is present. */
export interface RequestName {
  readonly requestId?: string;
  readonly address?: string;
  readonly reference?: string;
}

/** A payment request with its state and payments. */
export interface RequestView {
  readonly request: PaymentRequest;
  readonly status: RequestStatus;
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

const ID_BYTES = 16;
const TOKEN_BYTES = 16;
/** Largest integer of SQLite. */
const MAX_AMOUNT = (1n << 63n) - 1n;
/** Longest time until an expiry: ten years [s]. */
const MAX_LIFETIME = 10 * 365 * 86_400;

/** Number of newest blocks that a reorganisation may replace, so that a later payment may be mined at their heights. */
const MAX_REPLACED = 60;
/** Longest time for which a new request waits for the height of the daemon [ms]. */
const HEIGHT_DEADLINE_MS = 3000;

const bad = (reason: string): WalletError => new WalletError({ kind: 'bad_payment_request', reason });

/** Checks that no request has the reference of a new request. @throws WalletError `reference_taken` */
function assertFree({ requests }: Pick<WalletReader, 'requests'>, reference: string | undefined): void {
  if (reference === undefined) return;
  const other = requests.byReference(reference);
  if (other !== undefined)
    throw new WalletError({ kind: 'reference_taken', reference, requestId: other.requestId });
}

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

/** Payment requests of one wallet: each request has an address of its own, whose payments decide its state. */
export class PaymentRequests {
  readonly #context: Context;
  readonly #services: Services;
  readonly #expiry: RequestExpiry;
  /** True if the wallet has requests, which are never deleted; undefined: not read yet. */
  #hasAny: boolean | undefined;

  constructor(context: Context, services: Services) {
    this.#context = context;
    this.#services = services;
    this.#expiry = new RequestExpiry(context, services);
  }

  /** Starts to record expiries. To be called once. */
  start(): void {
    this.#expiry.start();
  }

  /** Must be called after each commit with events. */
  onEvents(): void {
    this.#expiry.onEvents();
  }

  close(): void {
    this.#expiry.close();
  }

  /**
   * Creates a request with a new address, in one transaction that is on disk when this resolves. A known key returns
   * the request of the first call with this key.
   * @param onSkipped receives the number of addresses that were left out before the new address.
   * @throws WalletError `bad_payment_request`, `reference_taken`, `account_out_of_range`, `order_mismatch`
   */
  async create(
    spec: RequestSpec,
    onSkipped: (skipped: number) => void = () => undefined,
  ): Promise<RequestView> {
    const { store, rng, requestSettings } = this.#context;
    const known = this.#created(spec);
    if (known !== undefined) {
      // The call that created the request may not have flushed it yet.
      await store.flushToDisk();
      return this.#view(known);
    }
    const { accounts } = this.#services;
    this.#check(spec);
    const { amount, expires, tolerance, reference, metadata, returnUrl, call } = spec;
    const needed = amount === undefined ? 0 : confirmationsFor(requestSettings.scale, amount);
    const terms = {
      requestId: toHex(rng(ID_BYTES)),
      token: rng(TOKEN_BYTES),
      amount,
      tolerance,
      confirmations: Math.max(needed, spec.confirmations),
      created: unixSeconds(this.#context.clock),
      firstHeight: Math.max(0, (await this.#chainHeight()) - MAX_REPLACED),
      ...{ expires, reference, metadata, returnUrl, call },
    };
    try {
      await accounts.createAddresses(spec.account, 1, spec.label, (w, subaddress, skipped) => {
        assertFree(w, reference);
        if (call !== undefined && w.requests.byKey(call.key) !== undefined) throw new KeyTaken();
        w.requests.add({ ...terms, subaddress });
        w.events.beginRequest(subaddress);
        onSkipped(skipped);
      });
    } catch (error) {
      // A concurrent call with the same key has created the request first.
      const first = isTaken(error) ? this.#created(spec) : undefined;
      if (first === undefined) throw error;
      await store.flushToDisk();
      return this.#view(first);
    }
    this.#hasAny = true;
    this.#expiry.onExpiry(expires);
    this.#noteChange(terms);
    return this.get({ requestId: terms.requestId });
  }

  /**
   * Returns the number of blocks of the chain, if it is known. Asks the daemon if the wallet has not read blocks since
   * it was opened: after a restore it holds no blocks.
   */
  async #chainHeight(): Promise<number> {
    const { store, daemon } = this.#context;
    const { sync } = this.#services;
    const known = Math.max(store.height(), sync.daemonHeight);
    if (sync.isSynced || sync.daemonHeight > 0) return known;
    try {
      const { height } = await daemon.client().getInfo({ deadline: HEIGHT_DEADLINE_MS });
      return Math.max(known, height);
    } catch (error) {
      if (error instanceof DaemonError) return known;
      throw error;
    }
  }

  /** Returns the time that lies a number of seconds after now [Unix s]. */
  expiryAfter(seconds: number): number {
    return unixSeconds(this.#context.clock) + seconds;
  }

  /** Returns the request that an earlier call with the same key created. @throws WalletError `order_mismatch` */
  #created({ call }: RequestSpec): TrackedRequest | undefined {
    if (call === undefined) return undefined;
    const known = this.#context.store.read((r) => r.requests.byKey(call.key));
    if (known !== undefined) assertRepeats(known.call, call);
    return known?.request;
  }

  #check({ amount, tolerance, expires, reference, account }: RequestSpec): void {
    this.#services.accounts.assertAccount(account);
    if (amount === 0n) throw bad('the amount is 0; without an amount the request is open');
    if (amount !== undefined && amount > MAX_AMOUNT) throw bad(`the amount is greater than ${MAX_AMOUNT}`);
    if (amount === undefined && tolerance > 0n) throw bad('a request without amount has no tolerance');
    if (amount !== undefined && tolerance >= amount) throw bad('the tolerance is not less than the amount');
    if (expires !== undefined) this.#checkExpiry(expires);
    this.#context.store.read((r) => assertFree(r, reference));
  }

  #checkExpiry(expires: number): void {
    const now = unixSeconds(this.#context.clock);
    if (expires <= now) throw bad('the expiry is not in the future');
    if (expires > now + MAX_LIFETIME) throw bad('the expiry is more than ten years away');
  }

  /** Returns a request by a name. @throws WalletError `request_missing`, `wrong_address` */
  get(name: RequestName): RequestView {
    return this.#view(this.#find(name));
  }

  /** Returns the request that a token names; undefined if there is no such request. */
  byToken(token: Uint8Array): RequestView | undefined {
    const { store } = this.#context;
    // A search for a token asks every open wallet; a wallet without requests reads its store only once.
    this.#hasAny ??= store.read((r) => !r.requests.isEmpty);
    const request = this.#hasAny ? store.read((r) => r.requests.byToken(token)) : undefined;
    return request && this.#view(request);
  }

  /**
   * Lists requests, latest first, with their present states.
   * @returns the requests, and a function that views some of them, which reads their labels, which may be long in
   * stores of earlier versions.
   */
  list(filter: RequestFilter): {
    readonly requests: readonly PaymentRequest[];
    readonly viewsOf: ViewRequests;
  } {
    const { store } = this.#context;
    // States are recorded when the pages of blocks are committed.
    store.commitPages();
    const requests = store.read((r) => r.requests.list(filter));
    return { requests, viewsOf: this.#viewing(requests) };
  }

  /**
   * Cancels a request: later payments to it are late. A cancelled request stays cancelled.
   * @throws WalletError `request_missing`, `bad_payment_request` if enough was paid
   */
  cancel(name: RequestName): RequestView {
    const { store, clock } = this.#context;
    const found = this.#find(name);
    if (found.cancelled === undefined) {
      const { state } = this.#view(found).status;
      if (state === 'seen' || state === 'confirming' || state === 'paid')
        throw bad(`the payment request is ${state}`);
      const cancelled = unixSeconds(clock);
      store.write((w) => {
        w.requests.cancel(found.sequence, cancelled);
        w.events.reviseRequest({ ...found, cancelled });
      });
      this.#noteChange(found);
    }
    return this.get({ requestId: found.requestId });
  }

  /**
   * Sets a later expiry. Late payments that arrived before the new expiry count again.
   * @param expires Unix time [s]. @throws WalletError `request_missing`, `bad_payment_request`
   */
  extend(name: RequestName, expires: number): RequestView {
    const found = this.#find(name);
    this.#checkExpiry(expires);
    if (found.cancelled !== undefined) throw bad('the payment request is cancelled');
    if (found.expires === undefined) throw bad('the payment request does not expire');
    if (expires < found.expires) throw bad('the expiry is earlier than before');
    this.#context.store.write((w) => {
      w.requests.extend(found.sequence, expires);
      const reported = { ...found.reported, isExpiryReported: false };
      w.events.reviseRequest({ ...found, expires, ended: false, reported });
    });
    this.#expiry.onExpiry(expires);
    this.#noteChange(found);
    return this.get({ requestId: found.requestId });
  }

  /** Reports a change of the terms of a request, which may have no event. */
  #noteChange({ token }: Pick<PaymentRequest, 'token'>): void {
    this.#context.events.onRequest?.(this.#context.name, token);
  }

  #find({ requestId, address, reference }: RequestName): TrackedRequest {
    const index = address === undefined ? undefined : this.#services.accounts.ownIndex(address);
    const found = this.#context.store.read(({ requests }) => {
      if (requestId !== undefined) return requests.byId(requestId);
      if (reference !== undefined) return requests.byReference(reference);
      return index && requests.byAddress(index);
    });
    if (found === undefined) throw new WalletError({ kind: 'request_missing' });
    return found;
  }

  #view(request: PaymentRequest): RequestView {
    const [view] = this.#viewing([request])([request]);
    if (view === undefined) throw new Error('a request has no view');
    return view;
  }

  /**
   * Reads the states of requests.
   * @returns a function that views some of the requests, with their labels at the time of its call.
   */
  #viewing(requests: readonly PaymentRequest[]): (some: readonly PaymentRequest[]) => readonly RequestView[] {
    const { keystore, requestSettings, daemon } = this.#context;
    const { waitingFor } = daemon;
    const { accounts, sync } = this.#services;
    const { payUrl } = requestSettings;
    const isSynced = sync.isComplete && this.#context.store.read((r) => rescanTo(r.meta)) === undefined;
    const indices = requests.map(({ subaddress }) => subaddress);
    accounts.prepare(indices);
    const statusOf = this.#statuses(indices);
    const statuses = new Map(requests.map((request) => [request.sequence, statusOf(request)]));
    return (some) => {
      const labels = accounts.labelsOf(some.map(({ subaddress }) => subaddress));
      return some.map((request, i) => {
        const address = accounts.address(request.subaddress);
        const label = labels[i] ?? '';
        return {
          request: keystore.hidesNotes ? withoutNotes(request) : request,
          status: statuses.get(request.sequence) ?? statusOf(request),
          ...{ address, label, isSynced, waitingFor, uri: uriOf(address, request.amount, label) },
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

/** Error inside the transaction that creates a request, if another call has created a request with the same key. */
class KeyTaken extends Error {}

/** True for the error that another request has the key or the reference of a new request. */
const isTaken = (error: unknown): boolean =>
  error instanceof KeyTaken || faultOf(error)?.kind === 'reference_taken';
