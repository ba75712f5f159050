import { startDaemonProxy, type DaemonProxy } from '../support/network/daemon-proxy.js';
import type { Reply } from '../support/network/json-rpc.js';
import type { Random } from '../support/fakes/seeded-random.js';
import { until } from '../support/fakes/until.js';
import {
  PASSWORD,
  startWalletCluster,
  type ClusterMember,
  type WalletCluster,
} from '../support/processes/wallet-cluster.js';
import { Payer, type PayerOptions } from './payer.js';
import { SENDING } from './world.js';

const MEMBERS = 2;
/** Time without a renewal after which the other process takes the wallet over [ms]. */
const LEASE_MS = 2000;
/** Errors of calls that did not reach the holder, or whose outcome is unknown, as a missing answer is. */
const NO_ANSWER: ReadonlySet<number> = new Set([-66, -67]);

/** Paying wallet of a cluster of two servers, of which the one that holds it is killed or paused. */
export class ClusterPayer extends Payer {
  readonly #cluster: WalletCluster;
  readonly #proxies: readonly DaemonProxy[];
  readonly #random: Random;
  /** Process that takes the calls. */
  #caller: ClusterMember;
  /** Process that has sent the latest payment. */
  #sender: ClusterMember;
  #killed: ClusterMember | undefined;
  /** Latest known holder. */
  #last: ClusterMember | undefined;
  /** Number of times that one process took the wallet over from another one. */
  takeovers = 0;

  private constructor(
    options: PayerOptions,
    cluster: WalletCluster,
    proxies: readonly DaemonProxy[],
    random: Random,
  ) {
    super(options);
    const [first] = cluster.members;
    if (first === undefined) throw new Error('a cluster has processes');
    this.#cluster = cluster;
    this.#proxies = proxies;
    this.#random = random;
    this.#caller = first;
    this.#sender = first;
  }

  /** Starts the cluster of a round. @param database name of the database, which does not exist yet. */
  static async start(options: PayerOptions, database: string, random: Random): Promise<ClusterPayer> {
    const { world, name, args } = options;
    const placed = await world.database(database);
    const proxies = await Promise.all(Array.from({ length: MEMBERS }, () => startDaemonProxy(world.liar)));
    const cluster = await startWalletCluster({
      ...{ ...placed, wallets: [name], members: MEMBERS },
      ...{ leaseMs: LEASE_MS, env: world.clock.env, checked: true, daemon: world.node },
      daemonAddresses: proxies.map(({ address }) => address),
      args: ['--cluster-single', '--refresh-period=1', ...args],
    });
    const payer = new ClusterPayer(options, cluster, proxies, random);
    for (const [i, proxy] of proxies.entries()) {
      proxy.decide = (path) => {
        const member = cluster.members[i];
        if (path === SENDING && member !== undefined) payer.#sender = member;
        return world.proxy.decide(path);
      };
      proxy.rewrite = (path, request, reply) => world.proxy.rewrite(path, request, reply);
    }
    return payer;
  }

  protected override get port(): number {
    return this.#caller.port;
  }

  override get password(): string {
    return PASSWORD;
  }

  override get log(): string {
    return this.#cluster.members.map((member) => member.output()).join('\n');
  }

  override async ask(method: string, params: object = {}, as?: string): Promise<Reply | undefined> {
    const reply = await super.ask(method, params, as);
    return reply?.error !== undefined && NO_ANSWER.has(reply.error.code) ? undefined : reply;
  }

  protected override strike(): void {
    this.#killed = this.#sender;
    process.kill(this.#sender.pid, 'SIGKILL');
  }

  override async kill(): Promise<void> {
    this.lookForBugs();
    this.kills += 1;
    const killed = this.#killed ?? (await this.#holder());
    this.#killed = killed;
    await killed.stop('SIGKILL');
    this.#caller = this.#otherThan(killed);
  }

  /** Waits until the other process has the wallet, and then starts the killed one again. */
  override async restart(): Promise<void> {
    const killed = this.#killed;
    this.#killed = undefined;
    await this.#answered();
    await killed?.start();
    if (killed !== undefined && this.#random.chance(0.5)) this.#caller = killed;
    await this.#answered();
  }

  /** Pauses the holder until the other process has taken over, and acts meanwhile. */
  async pauseHolder(act: () => Promise<void>): Promise<void> {
    const holder = await this.#holder();
    const other = this.#otherThan(holder);
    holder.pause(true);
    try {
      this.#caller = other;
      await this.#answered();
      await act();
    } finally {
      holder.pause(false);
    }
    if (this.#random.chance(0.3)) this.#caller = holder;
    await this.#answered();
  }

  /** Stops the holder in order, which gives the wallet away, and acts meanwhile. */
  async giveAway(act: () => Promise<void>): Promise<void> {
    const holder = await this.#holder();
    this.#caller = this.#otherThan(holder);
    const ended = holder.stop('SIGTERM');
    await act();
    await ended;
    await this.#answered();
    await holder.start();
    await this.#answered();
  }

  override async reload(): Promise<void> {
    throw new Error('a cluster has no file of credentials here');
  }

  override async stop(): Promise<void> {
    this.lookForBugs();
    await this.#cluster.stop();
    for (const proxy of this.#proxies) await proxy.stop();
  }

  /** Waits until the wallet is open somewhere, and counts a takeover. */
  async #answered(): Promise<void> {
    await until('the wallet to be held', async () => {
      const { error } = await this.calls.call('get_address');
      return error === undefined;
    });
    const holder = await this.#holder();
    if (holder !== this.#last) this.takeovers += 1;
    this.#last = holder;
  }

  async #holder(): Promise<ClusterMember> {
    return this.#cluster.held(this.options.name);
  }

  #otherThan(member: ClusterMember): ClusterMember {
    const other = this.#cluster.members.find((one) => one !== member);
    if (other === undefined) throw new Error('a cluster has two processes');
    return other;
  }
}
