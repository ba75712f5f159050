import { Facts } from './facts.js';
import { draw, EXPECTED_REFUSALS, RECORD_CALLS, SMALLEST_PAYMENT, type Caller } from './random-calls.js';
import type { Random } from '../support/fakes/seeded-random.js';
import { readShownFacts } from './shown-facts.js';
import { ask, Refusal, type Callable } from './wallet-client.js';
import { killMoment } from '../support/processes/kill-moment.js';
import type { Loose } from '../support/network/json-rpc.js';
import { CallStatistics, NOT_REPLICATED, WALLET_ELSEWHERE } from './call-statistics.js';

/** Error codes that a client of a cluster answers by calling again. */
const AGAIN: ReadonlySet<number> = new Set([NOT_REPLICATED, WALLET_ELSEWHERE]);

/** Error code: the payment of the order has failed, and only `retry_failed` pays it anew. */
const ORDER_FAILED = -55;

/** Pause before a failed call is repeated, by default [ms]. */
const PAUSE_MS = 50;

/** Number of workers that change records of a wallet, by default. */
const RECORD_WORKERS = 2;

/** Probability that an answered order is repeated in place of a new one. */
const REPEAT_SHARE = 0.3;

/** Share of the facts that were read before and never change, which a check reads again. */
const SAMPLE_SHARE = 0.05;

/** Facts that are read one by one, and do not change once they are acknowledged. */
const READ_ALONE = /^(?:payment|key|request|frozen)\//;

const PAGE = 1000;

/** Payment with an idempotency key. */
export interface Order {
  params: Loose;
  /** Result of the call as JSON; undefined until it is answered, and after its payment has failed. */
  answer?: string | undefined;
  /** Hash of its transaction, once it is answered. */
  txid?: string;
  /** Hashes of its transactions that have failed. */
  readonly failed: Set<string>;
  /** True after a refusal: there may be no payment. */
  isRefused?: boolean;
}

/** Parts of a {@link WalletLoad}. */
export interface WalletLoadParts {
  readonly wallet: string;
  /** Chooses a process to call the wallet through; undefined while none runs. */
  readonly reach: () => Callable | undefined;
  readonly random: Random;
  /** Address of the wallet. */
  readonly address: string;
  /** Chooses an address to pay to. */
  readonly payee: () => string;
  readonly onFault: (fault: string) => void;
  /** True for an error code after which a client calls again; absent: those of a cluster. */
  readonly isPassing?: (code: number) => boolean;
  /** True: payments may fail after their answer, because of the chain; such an order is paid anew. */
  readonly mayFail?: boolean;
  /** Number of workers that change records; 2 by default. */
  readonly recordWorkers?: number;
  /** Pause between two orders, and after a failed call [ms]; 50 by default. */
  readonly pauseMs?: number;
  /** Pause of a worker between two calls that change records [ms]; none by default. */
  readonly recordPauseMs?: number;
}

/**
 * Random calls of clients of one wallet through any process of a cluster: records, orders, events by cursor. It
 * remembers what was acknowledged, and compares it with the wallet.
 */
export class WalletLoad {
  readonly wallet: string;
  readonly facts = new Facts();
  readonly orders = new Map<string, Order>();
  /** Statistics since {@link begin}. */
  statistics = new CallStatistics();
  readonly #parts: WalletLoadParts;
  /** Events as JSON in the order in which the reader got them. */
  readonly #events: string[] = [];
  #cursor: number | undefined;
  readonly #read = new Set<string>();
  #isRunning = false;
  #workers: Promise<unknown> = Promise.resolve();

  constructor(parts: WalletLoadParts) {
    this.#parts = parts;
    this.wallet = parts.wallet;
  }

  /** Number of events that the reader got. */
  get events(): number {
    return this.#events.length;
  }

  /** Events that the reader got, as JSON. */
  get eventTexts(): readonly string[] {
    return this.#events;
  }

  /** Begins to call. */
  begin(): void {
    this.#isRunning = true;
    this.statistics = new CallStatistics();
    this.#workers = Promise.all([
      ...Array.from({ length: this.#recordWorkers }, (_, worker) => this.#changeRecords(worker)),
      this.#pay(),
      this.#followEvents(),
    ]);
  }

  /** Ends the calls, once each worker has its answer. */
  async end(): Promise<void> {
    this.#isRunning = false;
    await this.#workers;
  }

  /** Calls the wallet through a random process that runs. */
  readonly any: Callable = {
    call: async (method, params) => {
      const reached = this.#parts.reach();
      if (reached === undefined) throw new Error('no process runs');
      const started = performance.now();
      try {
        const reply = await reached.call(method, params);
        this.statistics.count(reply.error?.code, performance.now() - started);
        return reply;
      } catch (error) {
        this.statistics.countBroken();
        throw error;
      }
    },
  };

  /** Calls the wallet through processes that run, until one answers with a result or an error that the wallet gives. */
  readonly patient: Callable = {
    call: async (method, params) => {
      for (;;)
        try {
          const reply = await this.any.call(method, params);
          if (reply.error === undefined || !this.#isPassing(reply.error.code)) return reply;
          await this.#pause();
        } catch {
          await this.#pause();
        }
    },
  };

  #pause(): Promise<void> {
    return killMoment(this.#parts.pauseMs ?? PAUSE_MS);
  }

  #isPassing(code: number): boolean {
    return this.#parts.isPassing?.(code) ?? AGAIN.has(code);
  }

  get #recordWorkers(): number {
    return this.#parts.recordWorkers ?? RECORD_WORKERS;
  }

  #fault(text: string): void {
    this.#parts.onFault(`${this.wallet}: ${text}`);
  }

  async #changeRecords(worker: number): Promise<void> {
    const { random, address, recordPauseMs = 0 } = this.#parts;
    const caller: Caller = {
      ...{ server: this.any, facts: this.facts, random, address },
      ...{ worker, workers: this.#recordWorkers },
    };
    while (this.#isRunning)
      try {
        await draw(random, RECORD_CALLS)(caller);
        if (recordPauseMs > 0) await killMoment(recordPauseMs);
      } catch (error) {
        if (error instanceof Refusal && !EXPECTED_REFUSALS.has(error.code) && !this.#isPassing(error.code))
          this.#fault(error.message);
        await this.#pause();
      }
  }

  async #pay(): Promise<void> {
    const { random } = this.#parts;
    while (this.#isRunning) {
      const known = [...this.orders].filter(([, { answer }]) => answer !== undefined);
      const [again] = known.slice(random.below(Math.max(known.length, 1)));
      if (again !== undefined && random.chance(REPEAT_SHARE)) await this.#order(...again);
      else await this.#order(...this.#newOrder());
      await this.#pause();
    }
  }

  #newOrder(): [string, Order] {
    const { random, payee } = this.#parts;
    const key = `${this.wallet} order ${this.orders.size}`;
    const destinations = Array.from({ length: 1 + random.below(2) }, () => ({
      amount: SMALLEST_PAYMENT * (1 + random.below(2000)) + this.orders.size,
      address: payee(),
    }));
    const order: Order = {
      params: { destinations, get_tx_key: true, idempotency_key: key },
      failed: new Set(),
    };
    this.orders.set(key, order);
    return [key, order];
  }

  /** Calls for an order until it is answered or refused, or the load ends. @param isLast goes on after the end. */
  async #order(key: string, order: Order, isLast = false): Promise<void> {
    while (this.#isRunning || isLast)
      try {
        const result = await ask(this.any, 'transfer', order.params);
        const answer = JSON.stringify(result);
        if (order.answer !== undefined && order.answer !== answer)
          this.#fault(`${key} has two answers: ${order.answer.slice(0, 120)} and ${answer.slice(0, 120)}`);
        order.answer = answer;
        order.txid = String(result.tx_hash);
        this.facts.acknowledge(`payment/${order.txid}`, 'made');
        this.facts.acknowledge(`key/${order.txid}`, String(result.tx_key));
        return;
      } catch (error) {
        if (this.#parts.mayFail === true && error instanceof Refusal && error.code === ORDER_FAILED) {
          // Its payment was excluded from the chain, and is made anew.
          if (order.txid !== undefined) order.failed.add(order.txid);
          order.answer = undefined;
          order.params = { ...order.params, retry_failed: true };
          return;
        }
        if (error instanceof Refusal && !this.#isPassing(error.code)) {
          if (!EXPECTED_REFUSALS.has(error.code)) this.#fault(`${key}: ${error.message}`);
          if (order.answer === undefined) order.isRefused = true;
          else if (this.#parts.mayFail !== true)
            this.#fault(`${key} is refused after its answer: ${error.message}`);
          return;
        }
        await this.#pause();
      }
  }

  /** Calls again for all orders without an answer. */
  async finishOrders(): Promise<void> {
    for (const [key, order] of this.orders)
      if (order.answer === undefined && order.isRefused !== true) await this.#order(key, order, true);
  }

  /** Reads the next events. @returns their number. */
  async #readEvents(callable: Callable, wait_ms: number): Promise<number> {
    const { events = [], cursor } = await ask(callable, 'get_events', {
      ...(this.#cursor === undefined ? {} : { after: this.#cursor }),
      wait_ms,
    });
    for (const event of events as Loose[]) {
      if (this.#cursor !== undefined && event.id <= this.#cursor)
        this.#fault(`event ${String(event.id)} came after ${this.#cursor}`);
      this.#events.push(JSON.stringify(event));
    }
    this.#cursor = cursor as number;
    return (events as Loose[]).length;
  }

  /** Reads all events that the reader lacks. */
  async catchUp(): Promise<void> {
    while ((await this.#readEvents(this.patient, 0)) > 0);
  }

  async #followEvents(): Promise<void> {
    while (this.#isRunning)
      try {
        await this.#readEvents(this.any, 500);
      } catch (error) {
        if (error instanceof Refusal && !this.#isPassing(error.code)) this.#fault(error.message);
        await this.#pause();
      }
  }

  /** Reads all events up to the cursor of the reader. */
  async #allEvents(): Promise<string[]> {
    const all: string[] = [];
    let after: number | undefined;
    while (this.#cursor !== undefined && (after ?? 0) < this.#cursor) {
      const { events = [], cursor } = await ask(
        this.patient,
        'get_events',
        after === undefined ? {} : { after },
      );
      for (const event of events as Loose[]) if (event.id <= this.#cursor) all.push(JSON.stringify(event));
      if (cursor === after) break;
      after = cursor as number;
    }
    return all;
  }

  /** Compares everything acknowledged with the wallet. @param isComplete reads also all facts that were read before. */
  async check(isComplete = false): Promise<void> {
    const { random } = this.#parts;
    const isRead = (fact: string): boolean =>
      isComplete ||
      !READ_ALONE.test(fact) ||
      !this.#read.has(fact) ||
      this.facts.isUncertain(fact) ||
      random.chance(SAMPLE_SHARE);
    const chosen = new Set(this.facts.allNames('').filter(isRead));
    const shown = await readShownFacts(this.patient, this.facts, (fact) => chosen.has(fact));
    for (const { fact, shown: value, allowed } of this.facts.check(shown, (fact) => chosen.has(fact)))
      this.#fault(`${fact} is ${JSON.stringify(value)}, not one of ${JSON.stringify(allowed)}`);
    for (const fact of chosen) this.#read.add(fact);
    const stored = await this.storedOrders();
    for (const [key, { txid, failed }] of this.orders)
      if (txid !== undefined && !failed.has(txid) && !(stored.get(key) ?? []).includes(txid))
        this.#fault(`${key} was answered with ${txid}, and has ${JSON.stringify(stored.get(key))}`);
    if (isComplete) await this.checkEvents();
  }

  /** Compares the events that the reader got with all events of the wallet. */
  async checkEvents(): Promise<void> {
    const events = await this.#allEvents();
    const lost = this.#events.filter((event, i) => events[i] !== event);
    if (lost.length > 0 || events.length !== this.#events.length)
      this.#fault(
        `the reader got ${this.#events.length} events, the wallet has ${events.length}; first difference: ${lost[0]}`,
      );
  }

  /** Allows the payments until now to have failed, and frozen outputs to be gone: the chain may have excluded them. */
  excusePayments(): void {
    for (const name of this.facts.names('payment/'))
      for (const value of ['made', 'failed']) this.facts.send(name, value);
    for (const name of this.facts.names('frozen/')) this.facts.send(name, 'gone');
  }

  /** Lists the hashes of the transactions of all orders, by key. */
  async storedOrders(): Promise<Map<string, string[]>> {
    const stored = new Map<string, string[]>();
    for (let cursor: string | undefined; ;) {
      const page = await ask(this.patient, 'list_orders', {
        limit: PAGE,
        ...(cursor === undefined ? {} : { cursor }),
      });
      for (const { idempotency_key, transactions = [] } of (page.orders ?? []) as Loose[])
        stored.set(
          String(idempotency_key),
          (transactions as Loose[]).map(({ tx_hash }) => String(tx_hash)),
        );
      if (page.cursor === undefined) return stored;
      cursor = page.cursor as string;
    }
  }
}
