import type { Logger } from 'pino';
import { DaemonError } from '../../daemon/errors.js';
import type { OpenWallet } from '../open-wallet.js';

const DEFAULT_PERIOD_SECONDS = 20;
const RETRY_MS = { first: 1000, last: 60_000 };

/** Keeps a wallet in step with the chain; where the daemon fails, tries again at growing distances. */
export class RefreshScheduler {
  readonly #log: Logger;
  /** undefined: only when asked. */
  #period: number | undefined = DEFAULT_PERIOD_SECONDS;
  #session: OpenWallet | undefined;
  #timer: NodeJS.Timeout | undefined;
  #failures = 0;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Looks after this wallet from now on, beginning at once; undefined: after none. */
  follow(session: OpenWallet | undefined): void {
    this.#session = session;
    this.startOver();
  }

  /** @param seconds undefined: only when asked. */
  setPeriod(seconds: number | undefined): void {
    this.#period = seconds;
    this.startOver();
  }

  /** Begins at once, what failed before forgotten. */
  startOver(): void {
    this.#failures = 0;
    this.#schedule(0);
  }

  #schedule(ms: number): void {
    clearTimeout(this.#timer);
    if (this.#period === undefined || this.#session === undefined) return;
    this.#timer = setTimeout(() => void this.#refresh(), ms);
    this.#timer.unref();
  }

  async #refresh(): Promise<void> {
    const session = this.#session;
    if (session === undefined || session.context.daemon.address === undefined) return;
    try {
      await session.sync.refresh();
      if (this.#failures > 0) this.#log.info('the daemon answers again');
      this.#failures = 0;
    } catch (error) {
      if (session !== this.#session) return;
      // A server that went offline meanwhile has nothing to complain of.
      if (session.context.daemon.address !== undefined) this.#note(error);
    }
    if (session !== this.#session || this.#period === undefined) return;
    const backOff = Math.min(RETRY_MS.first * 2 ** (this.#failures - 1), RETRY_MS.last);
    this.#schedule(this.#failures > 0 ? backOff : this.#period * 1000);
  }

  #note(error: unknown): void {
    this.#failures += 1;
    if (!(error instanceof DaemonError)) return this.#log.error({ err: error }, 'a refresh failed');
    // Said once, not at every attempt.
    if (this.#failures === 1)
      this.#log.warn(
        { daemon: this.#session?.context.daemon.address, reason: error.message, code: error.code },
        'the daemon cannot be used; trying again. Start it, or name another with --daemon-address or set_daemon',
      );
  }
}
