import { fileURLToPath } from 'node:url';
import { untilAnswers, type Loose } from '../network/json-rpc.js';
import type { Lie } from '../values/lies.js';
import { daemonAt, type Monerod } from './monerod.js';
import { freePort, start, stop, type RunningProcess } from './process.js';

const MAIN = fileURLToPath(new URL('./lying-node-main.js', import.meta.url));

/** Regtest node in a process of its own, with an honest port and ports that lie about its chain and its pool. */
export interface LyingNode {
  readonly process: RunningProcess;
  readonly honest: Monerod;
  readonly liars: readonly Monerod[];
  stop(): Promise<void>;
}

export interface LyingNodeOptions {
  /** Number of the ports that lie; 1 by default. */
  readonly liars?: number;
  /** Ports, the honest port first; absent: free ports. */
  readonly ports?: readonly number[];
  /** Directory of the chain; absent: the chain is in memory. */
  readonly dataDir?: string;
  readonly difficulty?: number;
  readonly env?: NodeJS.ProcessEnv;
}

/** Finds free ports for a node, the honest port first. */
export async function portsOfNode(liars = 1): Promise<number[]> {
  const ports: number[] = [];
  for (let i = 0; i <= liars; i++) ports.push(await freePort());
  return ports;
}

/** Starts a node with ports that lie. */
export async function startLyingNode({
  liars = 1,
  ports: wanted,
  dataDir,
  difficulty = 1,
  env = {},
}: LyingNodeOptions = {}): Promise<LyingNode> {
  const ports = wanted ?? (await portsOfNode(liars));
  const args = [
    MAIN,
    `--ports=${ports.join(',')}`,
    `--difficulty=${difficulty}`,
    ...(dataDir === undefined ? [] : [`--data-dir=${dataDir}`]),
  ];
  const running = start(process.execPath, args, { ...process.env, ...env });
  for (const port of ports)
    await untilAnswers(running, 'the lying node', port, { path: '/get_height', body: {} });
  const end = async (): Promise<void> => void (await stop(running, 'SIGKILL'));
  const [honest, ...lying] = ports.map((port): Monerod => ({ ...daemonAt(port), stop: end }));
  if (honest === undefined) throw new Error('a node has an honest port');
  return { process: running, honest, liars: lying, stop: end };
}

/** Facts that lies are about, as a request to `/misbehave` has them. */
export type LieFacts = Readonly<Record<NonNullable<Lie['about']>, object>>;

/** Lets a port lie. @throws Error for a lie that the node refuses. */
export async function tell(liar: Monerod, { what, about }: Lie, facts?: LieFacts): Promise<void> {
  const subject = about === undefined ? {} : facts?.[about];
  const { status } = (await liar.plain('/misbehave', { what, ...subject })) as Loose;
  if (status !== 'OK') throw new Error(`the node refuses ${what}: ${String(status)}`);
}

/** Lets a port tell the truth again. */
export const endLies = async (liar: Monerod): Promise<void> =>
  void (await liar.plain('/misbehave', { what: '' }));
