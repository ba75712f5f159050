import { median } from '../../bench/table.js';
import { killMoment } from '../support/processes/kill-moment.js';
import { seededRandom, type Random } from '../support/fakes/seeded-random.js';
import type { Loose } from '../support/network/json-rpc.js';
import { until } from '../support/fakes/until.js';
import {
  startWalletCluster,
  type ClusterDatabase,
  type ClusterMember,
  type WalletCluster,
} from '../support/processes/wallet-cluster.js';
import { prepareLoad, type ClusterLoad, type LoadPauses } from './cluster-load.js';

export interface CampaignOptions {
  readonly postgres: ClusterDatabase;
  /** Name of its database in PostgreSQL, which exists; absent: that of the address. */
  readonly database?: string;
  readonly kills: number;
  readonly stops: number;
  readonly seed: string;
  readonly wallets: number;
  readonly leaseMs?: number;
  /** Absent: those of the load. */
  readonly pauses?: LoadPauses;
  /** True once no further round is to begin: everything is compared then. */
  readonly isOver?: () => boolean;
  readonly log: (line: string) => void;
}

export interface CampaignReport {
  readonly kills: number;
  readonly stops: number;
  /** Number of takeovers of wallets. */
  readonly takeovers: number;
  /** Times from a kill to the first answer of the next holder [ms]. */
  readonly afterKill: readonly number[];
  /** Times from the continuation of a stopped holder to its first answer as a follower [ms]. */
  readonly afterContinue: readonly number[];
  readonly answered: number;
  readonly facts: number;
  readonly orders: number;
  readonly paid: number;
  readonly events: number;
  readonly faults: readonly string[];
}

const LONGEST_LIFE_MS = 2500;
/** Rounds between two comparisons of what was acknowledged, and of the wallets with restored ones. */
const CHECK_ROUNDS = 5;
const TWIN_ROUNDS = 30;
/** Time that a stopped holder stays stopped after the next holder has answered [ms]. */
const LONGEST_PAUSE_MS = 1500;

/** Length of the end of the logs that a campaign with faults prints. */
const LOG_CHARS = 4000;
const SAID_CHARS = 1500;

/** Line of the log of a process that finds that it has lost a wallet. */
const lost = (wallet: string): string =>
  `the lease of a wallet was lost: the wallet is closed here name=${wallet} `;

/** Line of the log of a process that asked for a wallet, which was closed for it when its holder was paused. */
const notGiven = (wallet: string): string => `a member of the cluster did not give a wallet name=${wallet}\n`;

class Campaign {
  readonly #cluster: WalletCluster;
  readonly #load: ClusterLoad;
  readonly #random: Random;
  readonly #wallets: readonly string[];
  readonly #afterKill: number[] = [];
  readonly #afterContinue: number[] = [];
  #takeovers = 0;
  #answered = 0;
  #rounds = 0;
  kills = 0;
  stops = 0;

  constructor(cluster: WalletCluster, load: ClusterLoad, random: Random, wallets: readonly string[]) {
    this.#cluster = cluster;
    this.#load = load;
    this.#random = random;
    this.#wallets = wallets;
  }

  get faults(): string[] {
    return this.#load.faults;
  }

  /**
   * Chooses the holder of a random wallet, with all wallets that it serves. A wallet that was just given to a process has a
   * holder, and is not served yet.
   */
  async #victim(): Promise<{ victim: ClusterMember; held: string[] }> {
    return until('a process that serves a wallet', async () => {
      const victim = await this.#load.holder(this.#random.pick(this.#wallets as [string, ...string[]]));
      const { wallets: listed = [] } = await victim.rpc('list_wallets');
      // Only wallets that are open in the asked process have a height.
      const served = new Set(
        (listed as Loose[]).filter(({ height }) => height !== undefined).map(({ name }) => name),
      );
      const held = this.#wallets.filter((wallet) => served.has(wallet));
      return held.length === 0 ? undefined : { victim, held };
    });
  }

  /** Kills a holder under load; it starts again while the load goes on. */
  async kill(): Promise<void> {
    this.#load.begin();
    await killMoment(this.#random.below(LONGEST_LIFE_MS));
    const { victim, held } = await this.#victim();
    const started = performance.now();
    await victim.stop('SIGKILL');
    const beside = performance.now() - started;
    const times = await Promise.all(held.map((wallet) => this.#load.firstAnswer(wallet)));
    this.#afterKill.push(...times.map((time) => time + beside));
    this.#takeovers += times.length;
    this.kills += 1;
    await until('the start of the killed process', async () => {
      await victim.start();
      return true;
    });
    await this.#endRound();
  }

  /** Pauses a holder until another process has its wallets, then continues it. */
  async pause(): Promise<void> {
    this.#load.begin();
    await killMoment(this.#random.below(LONGEST_LIFE_MS));
    // Before the choice: on a busy machine, a holder may lose a wallet by itself between the choice and the pause.
    const lengths = new Map(this.#cluster.members.map((member) => [member, member.output().length]));
    const { victim, held } = await this.#victim();
    const saidBy = (member: ClusterMember): string => member.output().slice(lengths.get(member));
    const isExplained = (wallet: string): boolean =>
      saidBy(victim).includes(lost(wallet)) ||
      this.#cluster.members.some((member) => saidBy(member).includes(notGiven(wallet)));
    victim.pause(true);
    await Promise.all(held.map((wallet) => this.#load.firstAnswer(wallet)));
    this.#takeovers += held.length;
    await killMoment(this.#random.below(LONGEST_PAUSE_MS));
    victim.pause(false);
    const started = performance.now();
    for (const wallet of held) {
      const { error } = await victim.wallet(wallet).call('get_address');
      if (error !== undefined)
        this.faults.push(`${wallet}: the continued process answers ${error.code} ${error.message}`);
    }
    this.#afterContinue.push(performance.now() - started);
    await until('the reason in the log of the continued process', () => held.every(isExplained)).catch(() => {
      const said = saidBy(victim).slice(0, SAID_CHARS);
      this.faults.push(`${victim.name} does not say that it lost ${held.join(', ')}, but: ${said}`);
    });
    this.stops += 1;
    await this.#endRound();
  }

  async #endRound(): Promise<void> {
    await this.#load.end();
    for (const { statistics } of this.#load.loads) this.#answered += statistics.answered;
    this.#rounds += 1;
    if (this.#rounds % CHECK_ROUNDS === 0) await this.#load.check();
    if (this.#rounds % TWIN_ROUNDS === 0) await this.#load.compareWithTwins();
  }

  /** Compares everything. */
  async settle(): Promise<void> {
    await this.#load.settle();
    await this.#load.check(true);
    await this.#load.compareWithTwins();
  }

  report(): CampaignReport {
    const { loads } = this.#load;
    const total = (of: (load: (typeof loads)[number]) => number): number =>
      loads.reduce((sum, load) => sum + of(load), 0);
    return {
      ...{ kills: this.kills, stops: this.stops, takeovers: this.#takeovers },
      ...{ afterKill: this.#afterKill, afterContinue: this.#afterContinue, answered: this.#answered },
      facts: total(({ facts }) => facts.size),
      orders: total(({ orders }) => orders.size),
      paid: total(({ orders }) => [...orders.values()].filter(({ txid }) => txid !== undefined).length),
      events: total(({ events }) => events),
      faults: this.faults,
    };
  }

  line(): string {
    const { facts, paid, faults } = this.report();
    const seconds = (ms: number): string => (ms / 1000).toFixed(1);
    return `${this.kills} kills, ${this.stops} stops, ${facts} facts, ${paid} orders paid, takeover ${seconds(median(this.#afterKill))} s, ${faults.length} faults`;
  }
}

/**
 * Kills and pauses the holders of wallets at random times during random calls through all processes of a cluster, and
 * compares everything acknowledged with the wallets, with the chain, and with wallets restored from the seeds.
 */
export async function runCampaign(options: CampaignOptions): Promise<CampaignReport> {
  const { postgres, database, kills, stops, seed, log, leaseMs, isOver = () => false } = options;
  const random = seededRandom(seed);
  const wallets = Array.from({ length: options.wallets }, (_, i) => `w${i + 1}`);
  const cluster = await startWalletCluster({
    ...{ postgres, wallets },
    ...(database === undefined ? {} : { database }),
    ...(leaseMs === undefined ? {} : { leaseMs }),
  });
  try {
    const load = await prepareLoad(cluster, wallets, random, options.pauses);
    try {
      const campaign = new Campaign(cluster, load, random, wallets);
      const isDone = (): boolean => campaign.kills >= kills && campaign.stops >= stops;
      while (!isDone() && !isOver() && campaign.faults.length === 0) {
        const left = kills - campaign.kills + (stops - campaign.stops);
        if (random.below(left) < stops - campaign.stops) await campaign.pause();
        else await campaign.kill();
        if ((campaign.kills + campaign.stops) % 10 === 0) log(campaign.line());
      }
      // A fault is looked at in the logs of the processes.
      if (campaign.faults.length > 0)
        for (const { name, output } of cluster.members) log(`${name}:\n${output().slice(-LOG_CHARS)}`);
      await campaign.settle().catch((error: unknown) => campaign.faults.push(String(error)));
      return campaign.report();
    } finally {
      await load.stop();
    }
  } finally {
    await cluster.stop();
  }
}
