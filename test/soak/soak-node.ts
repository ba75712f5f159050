import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startMonerod, type RunningDaemon } from '../support/processes/monerod.js';
import { freePort } from '../support/processes/process.js';
import { patiently } from './patience.js';
import { startRegtestDaemon } from '../support/processes/regtest-daemon.js';

/**
 * Allows `monerod` as many connections from this machine as the world opens: calls that wait for a paused node have one
 * each. By default it closes all beyond 25 unanswered, for as long as its clients keep those open.
 */
const MANY_CONNECTIONS = ['--rpc-max-connections=1000', '--rpc-max-connections-per-private-ip=1000'];

export type NodeKind = 'regtest' | 'monerod';

/** Kinds of nodes that a seed chooses from. */
export const KINDS: readonly [NodeKind, ...NodeKind[]] = ['regtest', 'monerod'];

/** Node of the world, which can be killed and paused. Its chain is kept in a directory. */
export class SoakNode {
  readonly name: string;
  readonly kind: NodeKind;
  readonly #directory = mkdtempSync(join(tmpdir(), 'soak-node-'));
  readonly #port: number;
  #daemon: RunningDaemon | undefined;
  #isUp = false;

  private constructor(name: string, kind: NodeKind, port: number) {
    this.name = name;
    this.kind = kind;
    this.#port = port;
  }

  static async start(name: string, kind: NodeKind): Promise<SoakNode> {
    const node = new SoakNode(name, kind, await freePort());
    await node.restart();
    return node;
  }

  get daemon(): RunningDaemon {
    if (this.#daemon === undefined) throw new Error('the node has not been started');
    return this.#daemon;
  }

  get address(): string {
    return `127.0.0.1:${this.#port}`;
  }

  /** False while it is killed or paused, or lacks blocks. */
  get isUp(): boolean {
    return this.#isUp;
  }

  async restart(): Promise<void> {
    this.#daemon = await patiently(`the node ${this.name}`, () =>
      this.kind === 'monerod'
        ? startMonerod({
            ...{ dataDir: this.#directory, port: this.#port, tls: false, isShortened: true },
            args: MANY_CONNECTIONS,
          })
        : startRegtestDaemon([`--data-dir=${this.#directory}`], { port: this.#port, ownProcess: true }),
    );
    this.#isUp = true;
  }

  async kill(): Promise<void> {
    this.#isUp = false;
    this.daemon.process.child.kill('SIGKILL');
    await this.daemon.process.exited;
  }

  pause(): void {
    this.#isUp = false;
    this.daemon.process.child.kill('SIGSTOP');
  }

  continue(): void {
    this.daemon.process.child.kill('SIGCONT');
    this.#isUp = true;
  }

  /** Takes the newest blocks from it. It goes on answering, and the network leaves it alone until {@link rejoin}. */
  async fallBehind(blocks: number): Promise<void> {
    this.#isUp = false;
    await this.daemon.popBlocks(blocks);
  }

  /** Lets the network bring it to the longest chain again. */
  rejoin(): void {
    this.#isUp = true;
  }

  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.#directory, { recursive: true, force: true });
  }
}
