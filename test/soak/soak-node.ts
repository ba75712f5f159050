import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { portsOfNode, startLyingNode } from '../support/processes/lying-node.js';
import { daemonAt, startMonerod, type Monerod, type RunningDaemon } from '../support/processes/monerod.js';
import { patiently } from './patience.js';

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
  /** Ports: the honest one, and one of a regtest node that lies. */
  readonly #ports: readonly number[];
  #daemon: RunningDaemon | undefined;
  #isUp = false;

  private constructor(name: string, kind: NodeKind, ports: readonly number[]) {
    this.name = name;
    this.kind = kind;
    this.#ports = ports;
  }

  static async start(name: string, kind: NodeKind): Promise<SoakNode> {
    const node = new SoakNode(name, kind, await portsOfNode(kind === 'regtest' ? 1 : 0));
    await node.restart();
    return node;
  }

  get daemon(): RunningDaemon {
    if (this.#daemon === undefined) throw new Error('the node has not been started');
    return this.#daemon;
  }

  get address(): string {
    return `127.0.0.1:${this.#honestPort}`;
  }

  get #honestPort(): number {
    return this.#ports[0] ?? 0;
  }

  /** Port of a regtest node that lies; undefined for monerod. */
  get liar(): Monerod | undefined {
    const [, port] = this.#ports;
    return port === undefined ? undefined : { ...daemonAt(port), stop: () => this.stop() };
  }

  /** False while it is killed or paused, or lacks blocks. */
  get isUp(): boolean {
    return this.#isUp;
  }

  async restart(): Promise<void> {
    this.#daemon = await patiently(`the node ${this.name}`, () =>
      this.kind === 'monerod'
        ? startMonerod({
            ...{ dataDir: this.#directory, port: this.#honestPort, tls: false, isShortened: true },
            args: MANY_CONNECTIONS,
          })
        : startLyingNode({ dataDir: this.#directory, ports: this.#ports }).then(({ honest, process }) => ({
            ...honest,
            process,
          })),
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
