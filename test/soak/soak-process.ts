import { readFileSync } from 'node:fs';
import { ask } from '../crash/wallet-client.js';
import { walletCalls, type WalletCalls } from '../support/network/json-rpc.js';
import { DEFAULT_LOOKAHEAD_ENV } from '../support/processes/reference-preload.js';
import { Mutex } from '../../src/util/concurrency.js';
import { Machine } from './machine.js';
import { countKinds, openFiles } from './open-files.js';
import { patiently } from './patience.js';
import { startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';

export interface SoakProcessOptions {
  readonly name: string;
  readonly port: number;
  /** Directory of its wallets, which does not exist. */
  readonly walletDir: string;
  /** Addresses of its daemons, in the order of preference. */
  readonly daemons: readonly [string, ...string[]];
  /** Token of a credential that may do everything. */
  readonly token: string;
  readonly args: readonly string[];
}

/** Resources that a process holds. */
export interface Resources {
  /** Memory of the process alone [bytes]. */
  readonly memory: number;
  /** Number of open files, without the connections that its clients keep open. */
  readonly descriptors: number;
}

/** Wallet server of the world, which can be killed, paused and started with other arguments. */
export class SoakProcess {
  readonly name: string;
  readonly port: number;
  readonly walletDir: string;
  readonly token: string;
  readonly machine: Machine;
  /** Arguments of its next start, beside its own. */
  extra: readonly string[] = [];
  readonly #options: SoakProcessOptions;
  #server: WalletRpc | undefined;
  readonly #disk = new Mutex();
  #endings = 0;
  #isPaused = false;
  #earlier = '';

  constructor(options: SoakProcessOptions) {
    this.#options = options;
    this.name = options.name;
    this.port = options.port;
    this.walletDir = options.walletDir;
    this.token = options.token;
    this.machine = new Machine(options.name, options.walletDir);
  }

  /** True while a trouble may end the process, as by lack of memory. */
  get mayEnd(): boolean {
    return this.#endings > 0;
  }

  /** Runs a task of a trouble that may end the process. Several may run at once. */
  async whileItMayEnd(task: () => Promise<void>): Promise<void> {
    this.#endings += 1;
    try {
      await task();
    } finally {
      this.#endings -= 1;
    }
  }

  /** Runs a task that takes space or the right to write from its disk, and gives it back; one such task at a time. */
  disturbDisk(task: () => Promise<void>): Promise<void> {
    return this.#disk.run(() => this.whileItMayEnd(task));
  }

  /** Id of its process; 0 while none runs. */
  get pid(): number {
    return this.#server?.process.child.pid ?? 0;
  }

  get isRunning(): boolean {
    return this.#server !== undefined && !this.#hasEnded();
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  #hasEnded(): boolean {
    const child = this.#server?.process.child;
    return child !== undefined && (child.exitCode !== null || child.signalCode !== null);
  }

  async start(): Promise<void> {
    const { port, walletDir, args, daemons } = this.#options;
    const [daemon, ...others] = daemons;
    this.#server = await startWalletRpc({
      ...{ port, walletDir, daemon },
      args: [...others.map((address) => `--daemon-address=${address}`), ...args, ...this.extra],
      env: { ...DEFAULT_LOOKAHEAD_ENV, ...this.machine.env },
    });
    this.#isPaused = false;
  }

  /** Ends its process, if one runs. */
  async end(signal: 'SIGTERM' | 'SIGKILL' = 'SIGKILL'): Promise<void> {
    const ended = this.#server;
    if (ended === undefined) return;
    this.#server = undefined;
    if (this.#isPaused) ended.process.child.kill('SIGCONT');
    this.#isPaused = false;
    if (ended.process.child.exitCode === null && ended.process.child.signalCode === null)
      await ended.stop({ signal, keep: true });
    this.#earlier = (this.#earlier + ended.process.output()).slice(-100_000);
  }

  /** Takes note of a process that ended by itself. @returns its last output; undefined if it runs. */
  async takeEnd(): Promise<string | undefined> {
    if (this.#server === undefined || !this.#hasEnded()) return undefined;
    const { child, output } = this.#server.process;
    const end = `${child.signalCode ?? child.exitCode}: ${output().slice(-1500)}`;
    await this.end();
    return end;
  }

  pause(isPaused: boolean): void {
    this.#isPaused = isPaused;
    this.#server?.process.child.kill(isPaused ? 'SIGSTOP' : 'SIGCONT');
  }

  wallet(name: string): WalletCalls {
    return walletCalls(this.port, name, this.token);
  }

  /** Waits until wallets that are opened at the start are open. */
  async opened(names: readonly string[]): Promise<void> {
    for (const name of names)
      await patiently(`the wallet ${name} to be open`, () => ask(this.wallet(name), 'get_height'));
  }

  /** Output since its first start, as far as it is kept. */
  output(): string {
    return this.#earlier + (this.#server?.process.output() ?? '');
  }

  /** Counts its open files by what they are: the ends of their names. */
  openFiles(): string {
    return countKinds(openFiles(this.pid, this.port));
  }

  resources(): Resources {
    const memory = /^Anonymous: +(\d+) kB/m.exec(readFileSync(`/proc/${this.pid}/smaps_rollup`, 'utf8'));
    return {
      memory: 1024 * Number(memory?.[1] ?? 0),
      descriptors: openFiles(this.pid, this.port).length,
    };
  }
}
