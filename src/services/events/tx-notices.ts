import type { Hash } from '../../monero/crypto/types.js';
import { toHex } from '../../util/bytes.js';
import type { EventType, WalletEvent } from '../../model/events.js';
import type { WalletContext } from '../context/wallet-context.js';

type Context = Pick<WalletContext, 'holding' | 'log' | 'name' | 'store'>;

/** Starts the command for a transaction. @param txid 64 hex digits. @returns false if the command cannot be started. */
export type StartCommand = (txid: string) => boolean;

/** Incoming transactions of one wallet for which a command must be started. */
export interface NoticeSource {
  /** Name of the wallet; empty in memory. */
  readonly wallet: string;
  /**
   * Starts the command for the next transaction, and records the start. Never throws. @returns false if no transaction
   * is left.
   */
  startNext(start: StartCommand): boolean;
}

/** Starts the commands for the transactions of several wallets. */
export interface NoticeRunner {
  /** True if commands also run for the history of restored and imported wallets. */
  readonly history?: boolean;
  /** Starts the commands of a source soon, until the source has no transaction left. */
  wake(source: NoticeSource): void;
  /** Starts no further commands of a source. */
  remove(source: NoticeSource): void;
}

/** Types of events that decide which commands are started. */
const TYPES: readonly EventType[] = ['payment.seen', 'payment.mined', 'payment.reversed'];

/** Number of events read in one step. */
const PAGE = 100;

/**
 * Starts a command once for each transaction that pays the wallet, at the first event of one of its payments. The store
 * keeps the position in the events, and the transactions whose command was started. If the process is killed between a
 * start and its record, the command is started again when the wallet is next opened. No command is started for events
 * of a store that was never opened with a command, nor for the history of a restored or imported wallet.
 */
export class TxNotices implements NoticeSource {
  readonly #context: Context;
  readonly #runner: NoticeRunner;
  /** Events that were read and are not handled yet, in the order of their ids. */
  readonly #events: WalletEvent[] = [];
  /** Id of the last event that was read. */
  #read = 0;
  /** Id of the last event that was handled. */
  #handled = 0;
  /** Transactions that were handled and are not recorded yet, by txid. */
  readonly #unrecorded = new Map<string, Hash>();
  /** Txids whose command could not be started: the recorded position stays before the first of these transactions. */
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

  /**
   * Continues after the recorded position; in a store without a recorded position, after its last event. To be called
   * once.
   */
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

  /** Wakes the runner; to be called when events were appended to the store. */
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

  /** Ends the source: starts no further commands. */
  close(): void {
    this.#isClosed = true;
    this.#runner.remove(this);
  }

  #next(): WalletEvent | undefined {
    if (this.#events.length > 0) return this.#events.shift();
    const { store, holding } = this.#context;
    // In a cluster, a later event may be undone by another process that takes the wallet over.
    const upTo = holding?.eventsUpTo ?? Infinity;
    const { page, last } = store.readCommitted((r) => ({
      last: Math.min(r.events.last(), upTo),
      page: r.events.after(this.#read, PAGE, TYPES).filter(({ id }) => id <= upTo),
    }));
    this.#read = page.length < PAGE ? Math.max(this.#read, last) : (page.at(-1)?.id ?? last);
    this.#events.push(...page);
    return this.#events.shift();
  }

  /** Handles one event. @returns true if a command belongs to the event, whether it was started or failed. */
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
      // A command was started at the first event of the payment, or the first event is older than the first position.
      if (!this.#failed.has(txid)) this.#unrecorded.set(txid, txHash);
      return false;
    }
    if (event.history === true && this.#runner.history !== true) return false;
    // The command was started at the event of the payment in the mempool.
    if (event.type === 'payment.mined' && event.data.seen !== undefined) return false;
    if (start(txid)) {
      this.#unrecorded.set(txid, txHash);
      this.#failed.delete(txid);
      this.#record();
    } else this.#failed.add(txid);
    return true;
  }

  /** Records the handled transactions and the position. After a failure, the next call records them, too. */
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
