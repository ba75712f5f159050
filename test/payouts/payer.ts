import { killMoment } from '../support/processes/kill-moment.js';
import { startWalletProcess, type WalletRpc } from '../support/processes/wallet-rpc.js';
import { walletCalls, type Reply, type WalletCalls } from '../support/network/json-rpc.js';
import { until } from '../support/fakes/until.js';
import type { ProxyAction } from '../support/network/daemon-proxy.js';
import type { World } from './world.js';

/** Path of a payment to the node. */
export const SENDING = '/sendrawtransaction';
/** Time in which a server that was not killed by an expected payment is killed nevertheless [ms]. */
const PATIENCE_MS = 4000;
/** Messages of the log that no trouble from outside may cause. */
const BUGS = /payouts could not be sent; they are tried again|"level":60|uncaught|internal error/i;

/** Server of the paying wallet, in a process of its own that is killed and started again. */
export class Payer {
  readonly #world: World;
  readonly #name: string;
  readonly #args: readonly string[];
  readonly #violate: (text: string) => void;
  #server: WalletRpc;
  kills = 0;

  private constructor(
    world: World,
    name: string,
    args: readonly string[],
    server: WalletRpc,
    violate: (text: string) => void,
  ) {
    this.#world = world;
    this.#name = name;
    this.#args = args;
    this.#server = server;
    this.#violate = violate;
  }

  static async start(
    world: World,
    name: string,
    args: readonly string[],
    violate: (text: string) => void,
  ): Promise<Payer> {
    return new Payer(world, name, args, await startPayer(world, args), violate);
  }

  get calls(): WalletCalls {
    return walletCalls(this.#server.port, this.#name);
  }

  /** Lines that the present process has written. */
  get log(): string {
    return this.#server.process.output();
  }

  /** Makes a call; undefined: the server gives no answer. */
  async ask(method: string, params: object = {}): Promise<Reply | undefined> {
    const reply = await this.calls.call(method, params).catch(() => undefined);
    if (reply?.result !== undefined) this.#world.plant?.(method, reply.result);
    return reply;
  }

  /** Kills the process. @returns once it has ended. */
  async kill(): Promise<void> {
    this.#lookForBugs();
    this.kills += 1;
    await this.#server.stop({ signal: 'SIGKILL', keep: true });
  }

  /** Starts the server again, and opens the wallet. */
  async restart(): Promise<void> {
    this.#server = await startPayer(this.#world, this.#args, this.#server.walletDir);
    await until(
      'the wallet to open',
      async () => (await this.calls.rpc('open_wallet', { password: '' })) && true,
    );
  }

  /**
   * Kills the process at the next payment that it sends, or after some time.
   * @param verdict treatment of the payment. @param deed call that may send; the process is killed after it at the latest.
   */
  async killAtSending(verdict: ProxyAction, deed: () => Promise<unknown>): Promise<boolean> {
    const { proxy } = this.#world;
    const { decide } = proxy;
    let isStruck = false;
    const struck = new Promise<void>((resolve) => {
      proxy.decide = (path) => {
        if (path !== SENDING || isStruck) return decide(path);
        isStruck = true;
        this.#server.process.child.kill('SIGKILL');
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

  #lookForBugs(): void {
    for (const line of this.log.split('\n'))
      if (BUGS.test(line)) this.#violate(`the log says: ${line.slice(0, 1500)}`);
  }

  async stop(): Promise<void> {
    this.#lookForBugs();
    await this.#server.stop({ signal: 'SIGKILL', keep: false });
  }
}

const startPayer = (
  { proxy, clock }: World,
  args: readonly string[],
  walletDir?: string,
): Promise<WalletRpc> =>
  startWalletProcess({
    daemon: proxy.address,
    env: clock.env,
    checked: true,
    ...(walletDir === undefined ? {} : { walletDir }),
    args: ['--trusted-daemon', '--refresh-period=1', ...args],
  });
