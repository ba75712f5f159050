import type { Hash } from '../../monero/crypto/types.js';
import { toHex } from '../../util/bytes.js';
import type { EventType, WalletEvent } from '../../monero/wallet/model/events.js';
import type { WalletContext } from '../context/wallet-context.js';

type Context = Pick<WalletContext, 'log' | 'name' | 'store'>;

/** Starts the command of a transaction. @param txid 64 hex digits. @returns false if it cannot be started. */
export type StartCommand = (txid: string) => boolean;

/** Incoming transactions of one wallet for which a command runs. */
export interface NoticeSource {
  /** Name of the wallet; empty in memory. */
  readonly wallet: string;
  /** Starts the command of the next transaction, and records it. Never throws. @returns false if there is none. */
  startNext(start: StartCommand): boolean;
}

/** Runs the commands of several sources. */
export interface NoticeRunner {
  /** Whether it runs commands for the history of restored and imported wallets too. */
  readonly history?: boolean;
  /** Starts the commands of a source soon, until it has none left. */
  wake(source: NoticeSource): void;
  /** Starts no further command of a source. */
  remove(source: NoticeSource): void;
}

/** Events that decide which commands run. */
const TYPES: readonly EventType[] = ['payment.seen', 'payment.mined', 'payment.reversed'];

/** Events read at once. */
const PAGE = 100;

/**
 * Starts a command once for each transaction that pays the wallet: at the first event of one of its payments. The store
 * keeps the position in the events and the transactions whose command was started. A process that is killed after a
 * start and before its record starts that command again when the wallet is next opened. Events of a store that was never
 * opened with a command start none, nor does the history of a wallet that was restored or imported.
 */
export class TxNotices implements NoticeSource {
  readonly #context: Context;
  readonly #runner: NoticeRunner;
  /** Events that were read and not handled, in the order of their ids. */
  readonly #events: WalletEvent[] = [];
  /** Id up to which events were read. */
  #read = 0;
  /** Id up to which events were handled. */
  #handled = 0;
  /** Handled transactions that are not recorded. */
  readonly #unrecorded = new Map<string, Hash>();
  /** Transactions whose command could not be started: the recorded position stays before the first of them. */
  readonly #failed = new Set<string>();
  #isChanged = false;
  #isClosed = false;

  constructor(context: Context, { runner }: { readonly runner: NoticeRunner }) {
    this.#context = context;
    this.#runner = runner;
  }

  get wallet(): string {
    return this.#context.name;
  }

  /** Continues at the recorded position; in a store without one, after its last event. To be called once. */
  start(): void {
    const { store } = this.#context;
    const { known, last, expired } = store.read((r) => ({
      known: r.meta.get('notify_position'),
      last: r.events.last(),
      expired: r.events.expiredUpTo(),
    }));
    if (known === undefined) store.writeRecoverable((w) => w.meta.set('notify_position', String(last)));
    this.#read = Math.max(expired, known === undefined ? last : Number(known));
    this.#handled = this.#read;
    this.onEvents();
  }

  /** To be called when events were appended to the store. */
  onEvents(): void {
    if (!this.#isClosed) this.#runner.wake(this);
  }

  startNext(start: StartCommand): boolean {
    if (this.#isClosed) return false;
    try {
      for (let event = this.#next(); event !== undefined; event = this.#next())
        if (this.#handle(event, start)) return true;
    } catch (error) {
      this.#context.log.error({ err: error }, 'transactions for --tx-notify cannot be read');
    }
    if (this.#isChanged) this.#record();
    return false;
  }

  /** Starts no further command. */
  close(): void {
    this.#isClosed = true;
    this.#runner.remove(this);
  }

  #next(): WalletEvent | undefined {
    if (this.#events.length > 0) return this.#events.shift();
    const { page, last } = this.#context.store.readCommitted((r) => ({
      last: r.events.last(),
      page: r.events.after(this.#read, PAGE, TYPES),
    }));
    this.#read = page.length < PAGE ? Math.max(this.#read, last) : (page.at(-1)?.id ?? last);
    this.#events.push(...page);
    return this.#events.shift();
  }

  /** @returns true if the event has a command, whether it was started or failed. */
  #handle(event: WalletEvent, start: StartCommand): boolean {
    this.#handled = event.id;
    this.#isChanged = true;
    if (event.type !== 'payment.seen' && event.type !== 'payment.mined' && event.type !== 'payment.reversed')
      return false;
    const { txHash } = event.data;
    const txid = toHex(txHash);
    if (this.#unrecorded.has(txid) || this.#context.store.read((r) => r.notifiedTxs.has(txHash)))
      return false;
    if (event.type === 'payment.reversed') {
      // Its first event started a command, or is older than the first position.
      if (!this.#failed.has(txid)) this.#unrecorded.set(txid, txHash);
      return false;
    }
    if (event.history === true && this.#runner.history !== true) return false;
    // The event in the mempool had the command.
    if (event.type === 'payment.mined' && event.data.seen !== undefined) return false;
    if (start(txid)) {
      this.#unrecorded.set(txid, txHash);
      this.#failed.delete(txid);
      this.#record();
    } else this.#failed.add(txid);
    return true;
  }

  /** Records the handled transactions. After a failure the next record contains them too. */
  #record(): void {
    const { store, log } = this.#context;
    try {
      store.writeRecoverable((w) => {
        for (const txHash of this.#unrecorded.values()) w.notifiedTxs.add(txHash);
        if (this.#failed.size === 0) w.meta.set('notify_position', String(this.#handled));
      });
      this.#unrecorded.clear();
      this.#isChanged = false;
    } catch (error) {
      log.error({ err: error }, 'the transactions whose --tx-notify was started cannot be recorded');
    }
  }
}
