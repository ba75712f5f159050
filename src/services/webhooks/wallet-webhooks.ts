import { StoreDeliveryLog } from '../../store/webhook-log.js';
import type { Delivery, DeliveryFilter } from '../../store/tables/webhook-deliveries.js';
import type { Webhook } from '../../store/tables/webhooks.js';
import { toHex } from '../../util/bytes.js';
import { isEventType, type EventType, type WalletEvent } from '../../model/events.js';
import { WalletError } from '../../model/wallet-error.js';
import { activeSecrets, createSecret, formatSecret, signatureHeaders } from '../../net/webhooks/signature.js';
import { writeWholeJson } from '../../util/json-writer.js';
import type { Secret } from '../../util/secret.js';
import type { WalletContext } from '../context/wallet-context.js';
import { FlushedEvents } from '../events/flushed-events.js';
import type { TestResult, WebhookSending } from './webhook-sending.js';
import type { EventSource, QueuedEvent } from '../../net/webhooks/delivery-log.js';
import { eventJson, type EventContext } from '../events/event-json.js';

type Context = Pick<WalletContext, 'addresses' | 'keystore' | 'log' | 'name' | 'rng' | 'store'>;

/** Largest number of endpoints of a wallet. */
const MAX_WEBHOOKS = 16;
/** Largest number of rows that are counted for a {@link WebhookStatus}. */
const MAX_COUNT = 1000;
/**
 * Time that running attempts have to end when the wallet closes [ms]; a later answer is lost, and the event is sent
 * again.
 */
const CLOSE_GRACE_MS = 2000;
const ID_BYTES = 16;

/** Request to add an endpoint. */
export interface WebhookRequest {
  readonly url: string;
  /** Event types; empty: all types. */
  readonly types: readonly string[];
}

/** Endpoint with the state of its deliveries. */
export interface WebhookStatus {
  readonly webhook: Webhook;
  /** Number of events that wait for their first attempt, at most 1000. */
  readonly backlog: number;
  /** Number of deliveries that wait for a further attempt, at most 1000. */
  readonly pending: number;
  /** Delivery of the latest event for which there was an attempt. */
  readonly last?: Delivery;
}

const bad = (reason: string): WalletError => new WalletError({ kind: 'bad_webhook', reason });

const typesOf = ({ types }: Webhook): readonly EventType[] | undefined =>
  types.length === 0 ? undefined : types.filter(isEventType);

/** Events and deliveries that the endpoints of a wallet have not received yet. */
export interface WebhookBacklog {
  /** Number of events that wait for their first attempt, at most 1000 per endpoint. */
  readonly events: number;
  /** Number of deliveries that wait for a further attempt. */
  readonly retries: number;
}

/** Endpoints of one open wallet that receive its events. They are stored in the encrypted store of the wallet. */
export class WalletWebhooks {
  readonly #context: Context;
  readonly #sending: WebhookSending;
  readonly #flushed: FlushedEvents;
  /** Prefix of the ids in the dispatcher: an open copy of this wallet has webhooks with the same ids. */
  readonly #prefix: string;
  readonly #served = new Set<string>();
  readonly #closing = new AbortController();
  #isClosed = false;

  constructor(context: Context, { sending }: { readonly sending: WebhookSending }) {
    this.#context = context;
    this.#sending = sending;
    this.#prefix = toHex(context.rng(ID_BYTES));
    this.#flushed = new FlushedEvents(context.store, sending.clock, {
      onFlushed: () => this.#wakeAll(),
      onError: (error) => context.log.error({ err: error }, 'events for webhooks cannot be flushed to disk'),
    });
  }

  /** Starts the deliveries to the stored endpoints. To be called once. */
  start(): void {
    for (const webhook of this.#context.store.read((r) => r.webhooks.list())) this.#serve(webhook);
    this.onEvents();
  }

  /** Wakes the deliveries; to be called when events were appended to the store. */
  onEvents(): void {
    if (this.#served.size > 0) this.#flushed.advance();
  }

  /**
   * Adds an endpoint, which receives the events after this call.
   * @returns the endpoint, and its secret in text form, which cannot be read later.
   * @throws WalletError `bad_webhook`
   */
  add({ url, types }: WebhookRequest): { readonly webhook: Webhook; readonly secret: string } {
    const { store, rng } = this.#context;
    this.#sending.assertTarget(url);
    const unknown = types.find((type) => !isEventType(type));
    if (unknown !== undefined) throw bad(`there is no event type '${unknown}'`);
    if (store.read((r) => r.webhooks.list()).length >= MAX_WEBHOOKS)
      throw bad(`a wallet has at most ${MAX_WEBHOOKS} webhooks`);
    const webhook: Webhook = {
      id: toHex(rng(ID_BYTES)),
      url,
      types: [...new Set(types)],
      position: store.read((r) => r.events.last()),
      created: this.#sending.clock.now(),
    };
    const secret = createSecret(rng);
    const text = formatSecret(secret);
    store.write((w) => w.webhooks.add(webhook, secret));
    secret.wipe();
    this.#serve(webhook);
    this.onEvents();
    return { webhook, secret: text };
  }

  /** Returns all endpoints, oldest first. */
  list(): WebhookStatus[] {
    const { store } = this.#context;
    return store.read((r) => r.webhooks.list()).map((webhook) => this.#status(webhook));
  }

  /** Counts the endpoints that are enabled, and those that are disabled because they answered 410. */
  counts(): { readonly enabled: number; readonly disabled: number } {
    if (this.#served.size === 0) return { enabled: 0, disabled: 0 };
    const all = this.#context.store.read((r) => r.webhooks.list());
    const enabled = all.filter(({ disabled }) => disabled === undefined).length;
    return { enabled, disabled: all.length - enabled };
  }

  /** Counts the events and deliveries that enabled endpoints have not received yet. */
  backlog(): WebhookBacklog {
    if (this.#served.size === 0) return { events: 0, retries: 0 };
    const { store } = this.#context;
    const enabled = store.read((r) => r.webhooks.list()).filter(({ disabled }) => disabled === undefined);
    const sum = (count: (webhook: Webhook) => number): number =>
      enabled.reduce((total, webhook) => total + count(webhook), 0);
    return {
      events: sum((webhook) => this.#eventsOf(webhook).count(webhook.position, MAX_COUNT)),
      retries: sum(({ id }) => store.read((r) => r.webhookDeliveries.pendingCount(id))),
    };
  }

  /**
   * Deletes an endpoint with its secrets and deliveries, and aborts its attempts.
   * @throws WalletError `webhook_missing`
   */
  async remove(id: string): Promise<void> {
    this.#assertFound(this.#context.store.write((w) => w.webhooks.remove(id)));
    this.#served.delete(id);
    await this.#sending.dispatcher.remove(this.#keyOf(id));
  }

  /**
   * Replaces the secret of an endpoint. For a time, deliveries are signed with the former secret as well.
   * @param overlap time for which the former secret is used as well [ms]. @returns the new secret in text form, which
   * cannot be read later.
   * @throws WalletError `webhook_missing`
   */
  rotateSecret(id: string, overlap: number): string {
    const { store, rng } = this.#context;
    const secret = createSecret(rng);
    const text = formatSecret(secret);
    const now = this.#sending.clock.now();
    const isFound = store.write((w) => w.webhooks.rotateSecret(id, secret, now, overlap));
    secret.wipe();
    this.#assertFound(isFound);
    return text;
  }

  /** Enables an endpoint that was disabled because it answered 410. @throws WalletError `webhook_missing` */
  enable(id: string): void {
    this.#assertFound(this.#context.store.write((w) => w.webhooks.setDisabled(id, undefined)));
    this.#wake(id);
  }

  /** Returns deliveries of an endpoint, newest event first. @throws WalletError `webhook_missing` */
  deliveries(id: string, filter: DeliveryFilter): Delivery[] {
    this.#find(id);
    return this.#context.store.read((r) => r.webhookDeliveries.list(id, filter));
  }

  /** Returns the deliveries of an event, with the endpoints that have had an attempt. */
  deliveriesOf(eventId: number): { readonly webhook: Webhook; readonly delivery: Delivery }[] {
    if (this.#served.size === 0) return [];
    return this.#context.store.read((r) =>
      r.webhooks.list().flatMap((webhook) => {
        const [delivery] = r.webhookDeliveries.list(webhook.id, { before: eventId + 1, limit: 1 });
        return delivery?.eventId === eventId ? [{ webhook, delivery }] : [];
      }),
    );
  }

  /**
   * Sends an event again, with the full number of attempts; also an event from before the endpoint was added.
   * @throws WalletError `webhook_missing`; `bad_webhook` for an event that is not stored, that the endpoint does not
   * subscribe to, or that had no first attempt yet.
   */
  redeliver(id: string, eventId: number): void {
    const { store } = this.#context;
    const webhook = this.#find(id);
    if (eventId > webhook.position) throw bad('the event was not sent yet: it is sent in its turn');
    if (this.#eventsOf(webhook).byId(eventId) === undefined)
      throw bad('no event of the types of this webhook is stored under this id');
    const now = this.#sending.clock.now();
    store.write((w) => w.webhookDeliveries.requeue(id, eventId, now));
    this.#wake(id);
  }

  /**
   * Sends an event `webhook.test` to an endpoint once, also to a disabled one. The test is not an event of the wallet:
   * it is not recorded, and its answer neither delays a delivery nor disables the endpoint.
   * @throws WalletError `webhook_missing`; `bad_webhook` while too many tests run; `no_wallet` if the wallet closes.
   */
  async test(id: string): Promise<TestResult & { readonly messageId: string }> {
    const { url } = this.#find(id);
    const { name: wallet, rng } = this.#context;
    const now = this.#sending.clock.now();
    const messageId = `test_${toHex(rng(ID_BYTES))}`;
    const timestamp = new Date(now).toISOString();
    const body = writeWholeJson({ type: 'webhook.test', timestamp, data: { webhook: id }, wallet });
    const signed = { id: messageId, timestamp: Math.floor(now / 1000), body };
    const headers = signatureHeaders(signed, this.#secretsOf(id, now));
    const tested = await this.#sending.test(url, { headers, body }, this.#closing.signal);
    if (tested.result.kind === 'aborted') throw new WalletError({ kind: 'no_wallet' });
    return { ...tested, messageId };
  }

  /** Ends the deliveries to all endpoints. Once the promise resolves, the store is not used any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#closing.abort();
    const ids = [...this.#served];
    this.#served.clear();
    const { dispatcher } = this.#sending;
    await Promise.all([
      this.#flushed.close(),
      ...ids.map((id) => dispatcher.remove(this.#keyOf(id), CLOSE_GRACE_MS)),
    ]);
  }

  #serve(webhook: Webhook): void {
    const { store } = this.#context;
    const { id, url } = webhook;
    if (this.#isClosed) return;
    this.#sending.dispatcher.add({
      id: this.#keyOf(id),
      url,
      secrets: (now) => this.#secretsOf(id, now),
      log: new StoreDeliveryLog(store, id),
      events: this.#eventsOf(webhook),
    });
    this.#served.add(id);
  }

  /** Returns the secrets that sign at a time, newest first. @param now Unix time [ms]. */
  #secretsOf(id: string, now: number): readonly Secret[] {
    return activeSecrets(
      this.#context.store.read((r) => r.webhooks.secrets(id)),
      now,
    );
  }

  #status(webhook: Webhook): WebhookStatus {
    const { id, position } = webhook;
    return this.#context.store.read(({ webhookDeliveries }) => {
      const [last] = webhookDeliveries.list(id, { limit: 1 });
      return {
        webhook,
        backlog: this.#eventsOf(webhook).count(position, MAX_COUNT),
        pending: webhookDeliveries.list(id, { state: 'pending', limit: MAX_COUNT }).length,
        ...(last === undefined ? {} : { last }),
      };
    });
  }

  #eventsOf(webhook: Webhook): StoredEvents {
    const { history } = this.#sending;
    return new StoredEvents(this.#context, this.#flushed, typesOf(webhook), { history });
  }

  #find(id: string): Webhook {
    const webhook = this.#context.store.read((r) => r.webhooks.byId(id));
    if (webhook === undefined) throw new WalletError({ kind: 'webhook_missing' });
    return webhook;
  }

  #assertFound(isFound: boolean): void {
    if (!isFound) throw new WalletError({ kind: 'webhook_missing' });
  }

  #wake(id: string): void {
    this.#sending.dispatcher.wake(this.#keyOf(id));
  }

  #wakeAll(): void {
    for (const id of this.#served) this.#wake(id);
  }

  #keyOf(id: string): string {
    return `${this.#prefix}/${id}`;
  }
}

type StoredContext = EventContext & Pick<WalletContext, 'store'>;

/** Events of one wallet to which an endpoint subscribes, up to the last event on disk. */
export class StoredEvents implements EventSource {
  readonly #context: StoredContext;
  readonly #flushed: { readonly upTo: number };
  readonly #types: readonly EventType[] | undefined;
  readonly #kind: { readonly live: boolean };

  /**
   * @param flushed position up to which events are on disk. @param types absent: all types.
   * @param options.history true: includes the history of a restored or imported wallet.
   */
  constructor(
    context: StoredContext,
    flushed: { readonly upTo: number },
    types?: readonly EventType[],
    { history = false }: { readonly history?: boolean } = {},
  ) {
    this.#context = context;
    this.#flushed = flushed;
    this.#types = types;
    this.#kind = { live: !history };
  }

  /** Finds the next event on disk after an id; skips events that retention has deleted. */
  next(after: number): ReturnType<EventSource['next']> {
    const { upTo } = this.#flushed;
    if (after >= upTo) return { upTo };
    const [event] = this.#context.store.read((r) => r.events.after(after, 1, this.#types, this.#kind));
    return event !== undefined && event.id <= upTo ? { event: this.#queued(event) } : { upTo };
  }

  /** Finds an event by its id, also an event of the history. */
  byId(id: number): QueuedEvent | undefined {
    const [event] = this.#context.store.read((r) => r.events.after(id - 1, 1, this.#types));
    return event?.id === id ? this.#queued(event) : undefined;
  }

  /** Counts the events after an id, whether on disk or not. @param limit largest result. */
  count(after: number, limit: number): number {
    return this.#context.store.read((r) => r.events.after(after, limit, this.#types, this.#kind)).length;
  }

  #queued(event: WalletEvent): QueuedEvent {
    const { id, ...body } = eventJson(event, this.#context);
    const { type, timestamp, data, wallet, history } = body;
    const marked = history === undefined ? {} : { history };
    const trace = this.#context.store.read((r) => r.events.traceOf(id));
    return {
      id,
      body: writeWholeJson({ type, timestamp, data, wallet, ...marked }),
      ...(trace === undefined ? {} : { trace }),
    };
  }
}
