import type { BlocksRequest, Daemon, DaemonBlocks } from '../daemon/daemon.js';
import { toHex } from '../util/bytes.js';

/** What a refresh asks of a daemon for its pages. */
export type BlockSource = Pick<Daemon, 'getInfo' | 'getBlocks'>;

/** Pages kept for those who are not as far: refreshes that share the scanning threads stay this close. */
const KEPT = 4;

/**
 * One pass over the chain for all refreshes under way: a page that one asked for is fetched and outlined once, and
 * given to the others that ask for the same. Nothing is kept while there is one alone.
 */
export class SharedBlocks implements BlockSource {
  readonly #daemon: BlockSource;
  readonly #pages = new Map<string, Promise<DaemonBlocks>>();
  #refreshes = 0;

  constructor(daemon: BlockSource) {
    this.#daemon = daemon;
  }

  /** A refresh begins. @returns what is to be called when it ends. */
  join(): () => void {
    this.#refreshes += 1;
    return () => {
      this.#refreshes -= 1;
      if (this.#refreshes < 2) this.#pages.clear();
    };
  }

  readonly getInfo: Daemon['getInfo'] = (options) => this.#daemon.getInfo(options);

  readonly getBlocks: Daemon['getBlocks'] = (request) => {
    if (this.#refreshes < 2) return this.#daemon.getBlocks(request);
    const { signal, ...question } = request;
    // The page is not for the one who asks first alone, who may give up on it.
    return unlessAborted(this.#pageOf(question), signal);
  };

  #pageOf(question: BlocksRequest): Promise<DaemonBlocks> {
    const { startHeight, shortHistory = [], maxBlocks, prune } = question;
    const key = [startHeight ?? '', maxBlocks ?? '', prune, ...shortHistory.map(toHex)].join(' ');
    const known = this.#pages.get(key);
    if (known !== undefined) return known;
    const page = this.#daemon.getBlocks(question);
    this.#pages.set(key, page);
    page.catch(() => this.#pages.delete(key));
    for (const oldest of this.#pages.keys()) {
      if (this.#pages.size <= KEPT) break;
      this.#pages.delete(oldest);
    }
    return page;
  }
}

function unlessAborted<T>(result: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return result;
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort, { once: true });
    result.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
