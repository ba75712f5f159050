import { DaemonError } from '../../daemon/errors.js';
import { assertRepeats, type KeyedCall } from '../../model/keyed-call.js';
import { faultOf, WalletError } from '../../model/wallet-error.js';
import { type PaymentRequest, type RequestPrice, confirmationsFor } from '../../model/payment-request.js';
import { isIndexed, type RequestFilter } from '../../store/tables/request-lists.js';
import type { TrackedRequest } from '../../store/tables/request-row.js';
import type { WalletReader } from '../../store/wallet-reader.js';
import type { Amount } from '../../util/amount.js';
import { toHex } from '../../util/bytes.js';
import { unixSeconds } from '../../util/clock.js';
import type { NumberRange, Period } from '../../util/ranges.js';
import type { ZeroConfRule } from '../../model/zero-conf.js';
import type { Accounts } from '../accounts/accounts.js';
import { newestFirst, oldestFirst } from '../context/row-pages.js';
import type { WalletContext } from '../context/wallet-context.js';
import type { WalletSync } from '../sync/wallet-sync.js';
import { RequestExpiry } from './request-expiry.js';
import { ZeroConf } from './zero-conf.js';
import { RequestViews, type RequestView, type ViewRequests } from './request-views.js';
import {
  badRequest,
  checkZeroConf,
  refundAddressOf,
  checkAmount,
  checkExpiry,
  checkLocale,
  checkPrice,
  checkReturnUrl,
} from './request-terms.js';

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
  /** True: the pay page goes back by itself after the payment. */
  readonly returnsAuto?: boolean;
  readonly price?: RequestPrice;
  /** Language of the pay page; absent: the language of its visitor. */
  readonly locale?: string;
  /** True: the customer may give an address for refunds on the pay page. */
  readonly asksRefundAddress?: boolean;
  readonly refundAddress?: string;
  /** Rule by which payments in the mempool count. */
  readonly zeroConf?: ZeroConfRule;
  /** Call that creates the request once, by its key; absent without a key. */
  readonly call?: KeyedCall;
}

/** Name of a payment request: exactly one member is present. */
export interface RequestName {
  readonly requestId?: string;
  readonly address?: string;
  readonly reference?: string;
}

/** Requests of a list, latest first. */
export interface RequestList {
  readonly requests: readonly PaymentRequest[];
  readonly viewsOf: ViewRequests;
}

const ID_BYTES = 16;
const TOKEN_BYTES = 16;
/** Number of newest blocks that a reorganisation may replace, so that a later payment may be mined at their heights. */
const MAX_REPLACED = 60;
/** Longest time for which a new request waits for an answer of the daemon [ms]. */
const DAEMON_DEADLINE_MS = 3000;

/** Checks that no request has the reference of a new request. @throws WalletError `reference_taken` */
function assertFree({ requests }: Pick<WalletReader, 'requests'>, reference: string | undefined): void {
  if (reference === undefined) return;
  const other = requests.byReference(reference);
  if (other !== undefined)
    throw new WalletError({ kind: 'reference_taken', reference, requestId: other.requestId });
}

/** Payment requests of one wallet: each request has an address of its own, whose payments decide its state. */
export class PaymentRequests {
  readonly #context: Context;
  readonly #services: Services;
  readonly #expiry: RequestExpiry;
  readonly #views: RequestViews;
  readonly #zeroConf: ZeroConf;
  /** True if the wallet has requests, which are never deleted; undefined: not read yet. */
  #hasAny: boolean | undefined;

  constructor(context: Context, services: Services) {
    this.#context = context;
    this.#services = services;
    this.#expiry = new RequestExpiry(context, services);
    this.#views = new RequestViews(context, services);
    this.#zeroConf = new ZeroConf(context);
  }

  /** Starts to record expiries. To be called once. */
  start(): void {
    this.#expiry.start();
    this.#zeroConf.start();
  }

  /** Must be called after each commit with events. */
  onEvents(): void {
    this.#expiry.onEvents();
    this.#zeroConf.onEvents();
  }

  close(): void {
    this.#expiry.close();
    this.#zeroConf.close();
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
      return this.#views.view(known);
    }
    const { accounts } = this.#services;
    const checked = await this.#checked(spec);
    const { amount, expires, tolerance, reference, call } = spec;
    const needed = amount === undefined ? 0 : confirmationsFor(requestSettings.scale, amount);
    const terms = {
      requestId: toHex(rng(ID_BYTES)),
      token: rng(TOKEN_BYTES),
      amount,
      tolerance,
      confirmations: Math.max(needed, spec.confirmations),
      created: unixSeconds(this.#context.clock),
      firstHeight: Math.max(0, (await this.#chainHeight()) - MAX_REPLACED),
      ...{ expires, reference, metadata: spec.metadata, call, ...checked },
      ...{ returnsAuto: spec.returnsAuto, asksRefundAddress: spec.asksRefundAddress, price: spec.price },
      zeroConf: spec.zeroConf,
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
      return this.#views.view(first);
    }
    this.#hasAny = true;
    this.#expiry.onExpiry(expires);
    this.noteChange(terms);
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
      const { height } = await daemon.client().getInfo({ deadline: DAEMON_DEADLINE_MS });
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

  /** Checks the terms of a new request. @returns its texts in their standard spellings. @throws WalletError */
  async #checked(spec: RequestSpec): Promise<Pick<PaymentRequest, 'returnUrl' | 'locale' | 'refundAddress'>> {
    const { accounts } = this.#services;
    const { amount, tolerance, expires, price, returnUrl, locale, refundAddress } = spec;
    accounts.assertAccount(spec.account);
    checkAmount(amount, tolerance);
    if (expires !== undefined) checkExpiry(expires, unixSeconds(this.#context.clock));
    if (price !== undefined) checkPrice(price, amount, tolerance);
    if (spec.zeroConf !== undefined) checkZeroConf(spec.zeroConf, this.#context.daemon.listedCount);
    if (spec.returnsAuto === true && returnUrl === undefined) throw badRequest('return needs return_url');
    this.#context.store.read((r) => assertFree(r, spec.reference));
    return {
      ...(returnUrl === undefined
        ? {}
        : { returnUrl: await checkReturnUrl(returnUrl, () => this.#isMain()) }),
      ...(locale === undefined ? {} : { locale: checkLocale(locale) }),
      ...(refundAddress === undefined ? {} : { refundAddress: refundAddressOf(accounts, refundAddress) }),
    };
  }

  /** True if the network is the main one, as far as is known: regtest has the addresses of the main network. */
  async #isMain(): Promise<boolean> {
    const { keystore, daemon } = this.#context;
    if (keystore.keys.network !== 'mainnet') return false;
    try {
      const { network } = await daemon.client().getInfo({ deadline: DAEMON_DEADLINE_MS });
      return network !== 'fakechain';
    } catch (error) {
      if (error instanceof DaemonError || faultOf(error) !== undefined) return true;
      throw error;
    }
  }

  /** Returns a request by a name. @throws WalletError `request_missing`, `wrong_address` */
  get(name: RequestName): RequestView {
    return this.#views.view(this.find(name));
  }

  /** Returns the request that a token names; undefined if there is no such request. */
  byToken(token: Uint8Array): RequestView | undefined {
    const { store } = this.#context;
    // A search for a token asks every open wallet; a wallet without requests reads its store only once.
    this.#hasAny ??= store.read((r) => !r.requests.isEmpty);
    const request = this.#hasAny ? store.read((r) => r.requests.byToken(token)) : undefined;
    return request && this.#views.view(request);
  }

  /**
   * Lists requests, latest first, with their present states.
   * @param before number that the requests lie below.
   * @returns the requests, and a function that views some of them, which reads their labels, which may be long in
   * stores of earlier versions.
   */
  async list(filter: RequestFilter, before: number, limit: number): Promise<RequestList> {
    const { store, keystore, assertOpen } = this.#context;
    const { hidesNotes } = keystore;
    // States are recorded when the pages of blocks are committed.
    store.commitPages();
    const requests = await this.#search({ ...filter, byNotes: !hidesNotes }, before, limit);
    assertOpen();
    return { requests, viewsOf: this.#views.of(requests) };
  }

  async #search(filter: RequestFilter, before: number, limit: number): Promise<readonly PaymentRequest[]> {
    const { store, assertOpen } = this.#context;
    if (filter.reference !== undefined) {
      if (filter.byNotes === false) return [];
      const found = store.read((r) => r.requests.byReference(filter.reference ?? ''));
      if (found === undefined || found.sequence >= before) return [];
      const range = { from: found.sequence, to: found.sequence + 1 };
      return store.read((r) => r.requestLists.matching(filter, range, limit));
    }
    if (isIndexed(filter)) return store.read((r) => r.requestLists.inStates(filter.states, before, limit));
    const below = Math.min(before, store.read((r) => r.requests.last()) + 1);
    const read = (range: NumberRange, most: number): readonly PaymentRequest[] =>
      store.read((r) => r.requestLists.matching(filter, range, most));
    return newestFirst(below, limit, read, assertOpen);
  }

  /** Reads the requests that were created in a period, page by page, the oldest first. */
  async *createdIn(period: Period): AsyncGenerator<readonly RequestView[]> {
    const { store, assertOpen } = this.#context;
    store.commitPages();
    const pages = oldestFirst(
      (above, limit) => store.read((r) => r.requestLists.createdIn(period, above, limit)),
      assertOpen,
    );
    for await (const page of pages) yield this.#views.of(page)(page);
  }

  /**
   * Cancels a request: later payments to it are late. A cancelled request stays cancelled.
   * @throws WalletError `request_missing`, `bad_payment_request` if enough was paid
   */
  cancel(name: RequestName): RequestView {
    const { store, clock } = this.#context;
    const found = this.find(name);
    if (found.cancelled === undefined) {
      const { state } = this.#views.view(found).status;
      if (state === 'seen' || state === 'confirming' || state === 'paid')
        throw badRequest(`the payment request is ${state}`);
      const cancelled = unixSeconds(clock);
      store.write((w) => {
        w.requests.cancel(found.sequence, cancelled);
        w.events.reviseRequest({ ...found, cancelled });
      });
      this.noteChange(found);
    }
    return this.get({ requestId: found.requestId });
  }

  /**
   * Sets a later expiry. Late payments that arrived before the new expiry count again.
   * @param expires Unix time [s]. @throws WalletError `request_missing`, `bad_payment_request`
   */
  extend(name: RequestName, expires: number): RequestView {
    const found = this.find(name);
    checkExpiry(expires, unixSeconds(this.#context.clock));
    if (found.cancelled !== undefined) throw badRequest('the payment request is cancelled');
    if (found.expires === undefined) throw badRequest('the payment request does not expire');
    if (expires < found.expires) throw badRequest('the expiry is earlier than before');
    this.#context.store.write((w) => {
      w.requests.extend(found.sequence, expires);
      const reported = { ...found.reported, isExpiryReported: false };
      w.events.reviseRequest({ ...found, expires, ended: false, reported });
    });
    this.#expiry.onExpiry(expires);
    this.noteChange(found);
    return this.get({ requestId: found.requestId });
  }

  /** Reports a change of the terms of a request, which may have no event. */
  noteChange({ token }: Pick<PaymentRequest, 'token'>): void {
    this.#context.events.onRequest?.(this.#context.name, token);
  }

  /** Finds a request by a name. @throws WalletError `request_missing`, `wrong_address` */
  find({ requestId, address, reference }: RequestName): TrackedRequest {
    const index = address === undefined ? undefined : this.#services.accounts.ownIndex(address);
    const found = this.#context.store.read(({ requests }) => {
      if (requestId !== undefined) return requests.byId(requestId);
      if (reference !== undefined) return requests.byReference(reference);
      return index && requests.byAddress(index);
    });
    if (found === undefined) throw new WalletError({ kind: 'request_missing' });
    return found;
  }
}

/** Error inside the transaction that creates a request, if another call has created a request with the same key. */
class KeyTaken extends Error {}

/** True for the error that another request has the key or the reference of a new request. */
const isTaken = (error: unknown): boolean =>
  error instanceof KeyTaken || faultOf(error)?.kind === 'reference_taken';
