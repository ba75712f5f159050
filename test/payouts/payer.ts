import { killMoment } from '../support/processes/kill-moment.js';
import { walletCalls, type Reply, type WalletCalls } from '../support/network/json-rpc.js';
import type { ProxyAction } from '../support/network/daemon-proxy.js';
import { SENDING, type World } from './world.js';

/** Name of the credential with all rights, where a login is required. */
export const ROOT = 'root';
/** Time in which a server that was not killed by an expected payment is killed nevertheless [ms]. */
const PATIENCE_MS = 4000;
/** Messages of the log that no trouble from outside may cause. */
const BUGS = /payouts could not be sent; they are tried again|"level":60|uncaught|internal error/i;

/** Facts by which all payers are made. */
export interface PayerOptions {
  readonly world: World;
  /** Name of the wallet. */
  readonly name: string;
  /** Further flags of each server. */
  readonly args: readonly string[];
  readonly violate: (text: string) => void;
  /** Tokens by the names of credentials; absent: no login is required. */
  readonly tokens?: Readonly<Record<string, string>>;
}

/** Server, or servers, of the paying wallet, which are killed and started again. */
export abstract class Payer {
  protected readonly options: PayerOptions;
  kills = 0;

  protected constructor(options: PayerOptions) {
    this.options = options;
  }

  /** Port that takes calls now. */
  protected abstract get port(): number;

  /** Password of the wallet. */
  abstract get password(): string;

  /** Lines that the present processes have written. */
  abstract get log(): string;

  /** Ends the process that holds the wallet, at once. */
  protected abstract strike(): void;

  /** Kills the process that holds the wallet. @returns once it has ended. */
  abstract kill(): Promise<void>;

  /** Starts what was killed, and opens the wallet. */
  abstract restart(): Promise<void>;

  /** Has the servers read their file of credentials again. @returns once they have. */
  abstract reload(): Promise<void>;

  abstract stop(): Promise<void>;

  /** Calls of a client with all rights. */
  get calls(): WalletCalls {
    return this.callsOf(ROOT);
  }

  /** Calls under a credential. */
  callsOf(credential: string): WalletCalls {
    return walletCalls(this.port, this.options.name, this.options.tokens?.[credential]);
  }

  /** Makes a call; undefined: the server gives no answer. @param as name of the credential. */
  async ask(method: string, params: object = {}, as = ROOT): Promise<Reply | undefined> {
    const reply = await this.callsOf(as)
      .call(method, params)
      .catch(() => undefined);
    if (reply?.result !== undefined) this.options.world.plant?.(method, reply.result, this.options.world);
    return reply;
  }

  /**
   * Kills the process at the next payment that it sends, or after some time.
   * @param verdict treatment of the payment. @param deed call that may send; the process is killed after it at the latest.
   */
  async killAtSending(verdict: ProxyAction, deed: () => Promise<unknown>): Promise<boolean> {
    const { proxy } = this.options.world;
    const { decide } = proxy;
    let isStruck = false;
    const struck = new Promise<void>((resolve) => {
      proxy.decide = (path) => {
        if (path !== SENDING || isStruck) return decide(path);
        isStruck = true;
        this.strike();
        resolve();
        return verdict;
      };
    });
    const done = deed();
    await Promise.race([struck, done, killMoment(PATIENCE_MS)]);
    await this.kill();
    await done;
    proxy.decide = decide;
    return isStruck;
  }

  protected lookForBugs(log = this.log): void {
    for (const line of log.split('\n'))
      if (BUGS.test(line)) this.options.violate(`the log says: ${line.slice(0, 1500)}`);
  }
}
