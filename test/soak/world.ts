import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { killMoment } from '../support/processes/kill-moment.js';
import { CredentialFile } from '../support/processes/credential-file.js';
import { walletCalls } from '../support/network/json-rpc.js';
import { freePort } from '../support/processes/process.js';
import { DEFAULT_LOOKAHEAD_ENV } from '../support/processes/reference-preload.js';
import { startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';
import type { Random } from '../support/fakes/seeded-random.js';
import { ask, Refusal, type Callable } from '../crash/wallet-client.js';
import { WalletLoad } from '../crash/wallet-load.js';
import { Mutex } from '../../src/util/concurrency.js';
import type { Chances } from './chances.js';
import type { Decisions } from './decisions.js';
import type { WorldFigures } from './report.js';
import { HostileDaemon } from './hostile-daemon.js';
import { PassingErrors, patiently, repeating } from './patience.js';
import { Network } from './network.js';
import { Shop } from './shop.js';
import { SoakNode, type NodeKind } from './soak-node.js';
import { SoakProcess } from './soak-process.js';
import { SoakWallet } from './soak-wallet.js';
import { StreamWatcher, WebhookWatcher } from './watchers.js';

export const PASSWORD = 'pass';
/** Names of the processes, and the trust of each in its daemons; an untrusted one must prove its blocks. */
const PROCESSES = [
  ['a', ['--trusted-daemon']],
  ['b', ['--untrusted-daemon', '--whole-blocks']],
] as const;
/** Blocks mined to each wallet: it can make as many payments at a time. */
const OUTPUTS_EACH = 6;
const UNLOCK_BLOCKS = 65;
/** Wallets that are worked on at a time while nothing disturbs them. */
const PARALLEL = 4;
/** Blocks in which all payments that can be mined are mined. */
const MOST_SETTLING = 12;
/** Blocks until a wallet has decided that a payment is gone. */
const MOST_DECIDING = 6;
/** Share of the blocks that are mined to a wallet; all others go to a miner. */
const WALLET_BLOCKS = 0.3;
const MINER =
  '42ey1afDFnn4886T7196doS9GPMzexD9gXpsZJDwVjeRVdFCSoHnv7KPbBeGpzJBzHRCAs9UxqeoyFQMYbqSWYTfJJQAWDm';

/** Error code of a new wallet whose name is taken. */
const EXISTS = -21;

export interface WorldOptions {
  readonly chances: Chances;
  readonly decisions: Decisions;
  readonly wallets: number;
  /** Kind of the second node. */
  readonly second: NodeKind;
  /** Pause between two calls of a client [ms]. */
  readonly pauseMs: number;
  /** Interval between blocks [ms]. */
  readonly blockMs: number;
}

/** Runs a task for each value, some at a time. */
export async function forEachOf<T>(values: readonly T[], task: (value: T) => Promise<void>): Promise<void> {
  const left = [...values];
  const work = async (): Promise<void> => {
    for (let value = left.shift(); value !== undefined; value = left.shift()) await task(value);
  };
  await Promise.all(Array.from({ length: PARALLEL }, work));
}

/** Creates a wallet, also if the answer to the first call is lost. @returns its address and its seed. */
async function createWallet(calls: Callable): Promise<Pick<SoakWallet, 'address' | 'seed'>> {
  const { call } = repeating(calls);
  const { error } = await call('create_wallet', { password: PASSWORD, language: 'English' });
  if (error !== undefined && error.code !== EXISTS)
    throw new Refusal('create_wallet', error.code, error.message);
  // One that exists may not be open yet.
  const { address } = await patiently('the address of a wallet', () => ask(calls, 'get_address'));
  const { key } = await patiently('the seed of a wallet', () =>
    ask(calls, 'query_key', { key_type: 'mnemonic' }),
  );
  return { address: String(address), seed: String(key) };
}

/** Two nodes, two wallet servers, their wallets, the clients of the wallets, and watchers of their events. */
export class World {
  readonly faults: string[] = [];
  readonly processes: readonly SoakProcess[];
  readonly network: Network;
  /** Proxies between the wallet servers and the nodes, in the order of the nodes. */
  readonly daemons: readonly HostileDaemon[];
  readonly wallets: SoakWallet[] = [];
  readonly shops: Shop[] = [];
  readonly watchers: (StreamWatcher | WebhookWatcher)[] = [];
  /** Numbers of requests and connections of hostile clients, by their name. */
  readonly clients = new Map<string, number>();
  readonly passing = new PassingErrors();
  readonly #options: WorldOptions;
  readonly #directory: string;
  readonly #passwords: string;
  readonly #twin: WalletRpc;
  readonly #restarts = new Mutex();
  /** Addresses that clients pay to, with the names of their wallets. */
  readonly #payees: { readonly address: string; readonly owner: string }[] = [];
  #arePaymentsExcused = false;
  #isRunning = false;
  #background: Promise<unknown> = Promise.resolve();
  #twins = 0;

  private constructor(
    options: WorldOptions,
    parts: {
      readonly directory: string;
      readonly passwords: string;
      readonly processes: readonly SoakProcess[];
      readonly network: Network;
      readonly daemons: readonly HostileDaemon[];
      readonly twin: WalletRpc;
    },
  ) {
    this.#options = options;
    this.#directory = parts.directory;
    this.#passwords = parts.passwords;
    this.processes = parts.processes;
    this.network = parts.network;
    this.daemons = parts.daemons;
    this.#twin = parts.twin;
  }

  static async start(options: WorldOptions): Promise<World> {
    const { chances, second } = options;
    const directory = mkdtempSync(join(tmpdir(), 'soak-'));
    const passwords = join(directory, 'passwords');
    mkdirSync(passwords, { mode: 0o700 });
    const credentials = new CredentialFile(join(directory, 'credentials.json'));
    await credentials.add('root', { wallet: '*', method: ['view', 'receive', 'spend', 'admin'] });
    const nodes = await Promise.all([SoakNode.start('first', 'regtest'), SoakNode.start('second', second)]);
    const daemons = await Promise.all(
      nodes.map(({ address: target, liar, name }) =>
        HostileDaemon.start(
          { target, ...(liar === undefined ? {} : { liar }) },
          chances.of(`lies of ${name}`),
        ),
      ),
    );
    const addresses = daemons.map(({ address }) => address) as [string, ...string[]];
    const processes: SoakProcess[] = [];
    for (const [name, trust] of PROCESSES) {
      processes.push(
        new SoakProcess({
          ...{ name, port: await freePort(), walletDir: join(directory, name), daemons: addresses },
          token: credentials.tokens['root'] ?? '',
          args: [
            ...trust,
            `--credentials=${credentials.path}`,
            '--rpc-login=soak:password',
            '--rpc-max-connections=400',
            '--rpc-max-connections-per-private-ip=200',
            '--webhook-allow-private',
            '--confirmations=1,3',
            '--refresh-period=2',
          ],
        }),
      );
    }
    const twin = await patiently('the server of the restored wallets', () =>
      startWalletRpc({
        daemon: nodes[0].address,
        args: ['--trusted-daemon'],
        env: DEFAULT_LOOKAHEAD_ENV,
      }),
    );
    const parts = { directory, passwords, processes, network: new Network(nodes), daemons, twin };
    const world = new World(options, parts);
    try {
      await world.#populate();
    } catch (error) {
      await world.stop();
      throw error;
    }
    return world;
  }

  readonly fault = (text: string): void => {
    this.faults.push(text);
    this.#options.decisions.add('fault', text);
  };

  async #populate(): Promise<void> {
    const { wallets: count, chances, pauseMs } = this.#options;
    await Promise.all(this.processes.map((process) => this.#start(process)));
    const names = Array.from({ length: count }, (_, i) => ({
      name: `${PROCESSES[i % PROCESSES.length]?.[0]}${Math.floor(i / PROCESSES.length) + 1}`,
      process: this.processes[i % PROCESSES.length] as SoakProcess,
    }));
    for (const { name } of names) writeFileSync(join(this.#passwords, name), PASSWORD, { mode: 0o600 });
    await forEachOf(names, async ({ name, process }) => {
      const { address, seed } = await createWallet(process.wallet(name));
      const onFault = this.fault;
      const random = chances.of(`calls of ${name}`);
      const load = new WalletLoad({
        ...{ wallet: name, random, address, onFault, pauseMs },
        reach: () => (process.isRunning ? process.wallet(name) : undefined),
        payee: () => this.#payee(name, random),
        ...{ isPassing: this.passing.includes, mayFail: true, recordWorkers: 1 },
      });
      this.wallets.push(new SoakWallet({ name, process, address, seed }, load, onFault));
    });
    this.wallets.sort(
      (a, b) => names.findIndex((n) => n.name === a.name) - names.findIndex((n) => n.name === b.name),
    );
    this.#payees.push(...this.wallets.map(({ address, name }) => ({ address, owner: name })));
    for (const { address } of this.wallets) await this.#mineSurely(address, OUTPUTS_EACH);
    await this.#mineSurely(MINER, UNLOCK_BLOCKS);
    for (const process of this.processes)
      process.extra = [
        `--password-dir=${this.#passwords}`,
        ...this.#namesOf(process).map((name) => `--open=${name}`),
      ];
    await forEachOf(this.wallets, async ({ load }) => {
      await ask(load.patient, 'refresh');
      await load.catchUp();
    });
    // The first wallet of each process is a shop; the events of the first three are watched.
    for (const process of this.processes) {
      const own = this.wallets.filter((wallet) => wallet.process === process);
      const [shop] = own;
      if (shop === undefined) continue;
      this.shops.push(
        new Shop({
          ...{ load: shop.load, random: chances.of(`shop ${shop.name}`), pauseMs },
          ...{ isPassing: this.passing.includes, onFault: this.fault },
          onAddress: (address) => this.#payees.push({ address, owner: shop.name }),
        }),
      );
      for (const { load } of own.slice(0, 3)) {
        this.watchers.push(new StreamWatcher(load, process, this.fault));
        this.watchers.push(await WebhookWatcher.start(load, this.fault));
      }
    }
  }

  /** Chooses an address of another wallet: a payment to oneself would be neither income nor expense. */
  #payee(payer: string, random: Random): string {
    const others = this.#payees.filter(({ owner }) => owner !== payer);
    return others[random.below(others.length)]?.address ?? MINER;
  }

  /** Name of a wallet of a process. */
  nameIn(process: SoakProcess): string {
    return this.#namesOf(process)[0] ?? '';
  }

  #namesOf(process: SoakProcess): string[] {
    return this.wallets.filter((wallet) => wallet.process === process).map(({ name }) => name);
  }

  /** Begins the calls of all clients, and mining. */
  begin(): void {
    this.#isRunning = true;
    for (const { load } of this.wallets) load.begin();
    for (const shop of this.shops) shop.begin();
    this.#background = Promise.all([this.#mine(), this.#superviseAll()]);
  }

  /** Ends the calls of all clients, and mining. */
  async end(): Promise<void> {
    this.#isRunning = false;
    await Promise.all([
      this.#background,
      ...this.wallets.map(({ load }) => load.end()),
      ...this.shops.map((shop) => shop.end()),
    ]);
  }

  /** Address for the next blocks. */
  minerAddress(): string {
    const random = this.#options.chances.of('miners');
    const { address } = this.wallets[random.below(this.wallets.length)] ?? { address: MINER };
    return random.chance(WALLET_BLOCKS) ? address : MINER;
  }

  /** Mines blocks while nothing disturbs the nodes; more than these, if an answer is lost. */
  #mineSurely(address: string, blocks: number): Promise<void> {
    return patiently('a block', () => this.network.mine(address, blocks));
  }

  #pool(): Promise<string[]> {
    return patiently('the pools', () => this.network.pool());
  }

  async #mine(): Promise<void> {
    while (this.#isRunning) {
      await this.network.mine(this.minerAddress(), 1).catch((error: unknown) => {
        this.#options.decisions.add('mining', String(error).slice(0, 300));
      });
      await killMoment(this.#options.blockMs);
    }
  }

  /** Starts processes that ended by themselves. An end that no trouble explains is a fault. */
  async #superviseAll(): Promise<void> {
    while (this.#isRunning) {
      for (const process of this.processes) await this.revive(process);
      await killMoment(200);
    }
  }

  /** Starts a process again if it has ended by itself. */
  revive(process: SoakProcess): Promise<void> {
    return this.#restarts.run(async () => {
      const end = await process.takeEnd();
      if (end === undefined) return;
      if (process.mayEnd) this.#options.decisions.add(process.name, `ended with ${end.slice(0, 400)}`);
      else this.fault(`the process ${process.name} ended with ${end}`);
      await this.#start(process);
    });
  }

  /**
   * Kills a process and starts it again.
   * @param between runs while it does not run. @param mustStart false: it may refuse to start.
   */
  restart(process: SoakProcess, between: () => void = () => undefined, mustStart = true): Promise<void> {
    return this.#restarts.run(async () => {
      await process.end();
      between();
      if (mustStart) await this.#start(process);
      else
        await process.start().catch((error: unknown) => {
          this.#options.decisions.add(process.name, `does not start: ${String(error).slice(0, 400)}`);
        });
    });
  }

  /** Pauses a process until a task has ended. It is not restarted meanwhile. */
  paused(process: SoakProcess, task: () => Promise<void>): Promise<void> {
    return this.#restarts.run(async () => {
      process.pause(true);
      try {
        await task();
      } finally {
        process.pause(false);
      }
    });
  }

  async #start(process: SoakProcess): Promise<void> {
    await patiently(`the start of ${process.name}`, async () => {
      await process.end();
      await process.start();
    });
  }

  /** Brings everything to rest: all wallets are open and refreshed, and all payments that can be mined are mined. */
  async settle(): Promise<void> {
    await this.recover();
    await forEachOf(this.wallets, ({ load }) => load.finishOrders());
    const refresh = (): Promise<void> =>
      forEachOf(this.wallets, async ({ load }) => void (await ask(load.patient, 'refresh')));
    for (let i = 0; i < MOST_SETTLING && (i === 0 || (await this.#pool()).length > 0); i++) {
      await this.#mineSurely(MINER, 1);
      await refresh();
    }
    // Payments whose rings a deep reorganisation has changed can never be mined.
    if ((await this.#pool()).length > 0) {
      this.#options.decisions.add('settling', `${(await this.#pool()).length} payments cannot be mined`);
      await patiently('empty pools', () => this.network.flush());
      // A wallet reads every block that may contain a payment before it decides that the payment is gone.
      for (let i = 0; i < MOST_DECIDING; i++) {
        await this.#mineSurely(MINER, 1);
        await refresh();
        const pool = new Set(await this.#pool());
        let undecided = 0;
        for (const wallet of this.wallets) undecided += await wallet.undecided(pool);
        this.#options.decisions.add(
          'settling',
          `${pool.size} payments in the pool, ${undecided} that neither pool nor blocks have`,
        );
        if (undecided === 0) break;
      }
    }
  }

  /** Waits until all processes run, with all wallets, and all of them read blocks again. */
  async recover(): Promise<void> {
    for (const process of this.processes) {
      await this.revive(process);
      await process.opened(this.#namesOf(process));
    }
    await patiently('the nodes to agree', () => this.network.agree());
    await forEachOf(this.wallets, async ({ load }) => void (await ask(load.patient, 'refresh')));
  }

  /** Allows payments until now to have failed: blocks were replaced, or a daemon has lied about them. */
  excusePayments(): void {
    this.#arePaymentsExcused = true;
  }

  /** Returns the numbers of the world; those of calls are of the last round. */
  figures(): WorldFigures {
    const loads = this.wallets.map(({ load }) => load);
    const total = (of: (load: WalletLoad) => number): number =>
      loads.reduce((sum, load) => sum + of(load), 0);
    const codes: Record<string, number> = {};
    for (const { statistics } of loads)
      for (const [code, count] of statistics.refusals) codes[code] = (codes[code] ?? 0) + count;
    const watched = (kind: typeof StreamWatcher | typeof WebhookWatcher): number =>
      this.watchers.reduce((sum, watcher) => sum + (watcher instanceof kind ? watcher.count : 0), 0);
    const orders = loads.flatMap((load) => [...load.orders.values()]);
    return {
      answered: total(({ statistics }) => statistics.answered),
      refused: Object.values(codes).reduce((sum, count) => sum + count, 0),
      broken: total(({ statistics }) => statistics.broken),
      codes,
      facts: total(({ facts }) => facts.size),
      orders: orders.length,
      paid: orders.filter(({ txid }) => txid !== undefined).length,
      paidAnew: orders.filter(({ failed }) => failed.size > 0).length,
      requests: this.shops.reduce((sum, { requests }) => sum + requests.size, 0),
      events: total(({ events }) => events),
      streamed: watched(StreamWatcher),
      delivered: watched(WebhookWatcher),
    };
  }

  /** Compares everything acknowledged with the wallets, and the wallets with the chain. */
  async check(isComplete = false): Promise<void> {
    await forEachOf(this.wallets, ({ load }) =>
      attempt(this.fault, async () => {
        if (this.#arePaymentsExcused) load.excusePayments();
        await load.catchUp();
        await load.check(isComplete);
        await load.checkEvents();
      }),
    );
    for (const watcher of this.watchers) await attempt(this.fault, () => watcher.check());
    for (const shop of this.shops) await attempt(this.fault, () => shop.check());
    await forEachOf(this.wallets, (wallet) => attempt(this.fault, () => this.#compareWithTwin(wallet)));
  }

  async #compareWithTwin(wallet: SoakWallet): Promise<void> {
    const { name, twin } = await patiently('a restored wallet', async () => {
      const free = `twin-${this.#twins++}`;
      const restored = repeating(walletCalls(this.#twin.port, free));
      const params = { password: '', seed: wallet.seed, restore_height: 0 };
      // A lost answer leaves a wallet behind: the next one has another name.
      await walletCalls(this.#twin.port, free).rpc('restore_deterministic_wallet', params);
      return { name: free, twin: restored };
    });
    await wallet.compare(twin);
    await twin.call('close_wallet');
    for (const file of [name, `${name}.keys`, `${name}-wal`, `${name}-shm`])
      rmSync(join(this.#twin.walletDir, file), { force: true });
  }

  async stop(): Promise<void> {
    await Promise.all(this.watchers.map((watcher) => watcher.stop()));
    await Promise.all(this.processes.map((process) => process.end()));
    for (const { machine } of this.processes) machine.remove();
    await this.#twin.stop();
    await Promise.all(this.daemons.map((daemon) => daemon.stop()));
    await Promise.all(this.network.nodes.map((node) => node.stop()));
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

async function attempt(fault: (text: string) => void, task: () => Promise<void>): Promise<void> {
  try {
    await task();
  } catch (error) {
    fault(`${String(error)} ${String((error as Error).cause ?? '')}`.trim());
  }
}
