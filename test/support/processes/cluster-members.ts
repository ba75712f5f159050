import { randomBytes } from 'node:crypto';
import { openCluster } from '../../../src/cluster/cluster-database.js';
import { ClusterSecret } from '../../../src/cluster/cluster-secret.js';
import type { ClusterSettings, Cluster, LogContent } from '../../../src/cluster/cluster.js';
import type { Taken } from '../../../src/cluster/lease.js';
import { concatBytes } from '../../../src/util/bytes.js';
import { collected } from '../values/collected.js';

export type JoinedCluster = Cluster & { readonly url: string };

let number = 0;

/** Returns a name that no other wallet of this process has. */
export const walletName = (): string => `wallet-${++number}`;

/** Members of one cluster that join in this process. */
export class ClusterMembers {
  readonly secret = new ClusterSecret(new Uint8Array(randomBytes(32)));
  readonly #joined: Cluster[] = [];
  /** Address of the database, asked at each joining. */
  readonly #urls: () => string;

  constructor(urls: () => string) {
    this.#urls = urls;
  }

  /** Joins as a new member. */
  async join(settings: Partial<ClusterSettings> = {}): Promise<JoinedCluster> {
    const member = settings.member ?? { url: `http://member-${++number}:18082`, capacity: 10 };
    const cluster = await openCluster({
      urls: this.#urls(),
      secret: this.secret,
      isSingle: false,
      log: { info: () => undefined, warn: () => undefined },
      ...settings,
      member,
    });
    this.#joined.push(cluster);
    return { ...cluster, url: member.url };
  }

  /** Closes all members, without a word to the database. */
  async close(): Promise<void> {
    for (const cluster of this.#joined.splice(0)) await cluster.close();
  }
}

/** Takes a wallet. @throws Error if it is not free. */
export async function taken({ leases }: Cluster, wallet: string): Promise<Taken> {
  const result = await leases.take(wallet);
  if (result?.state !== 'taken') throw new Error(`${wallet} was not taken`);
  return result;
}

/** Reads a log whole; its frames as texts. */
export async function contentOf(
  { logs }: Cluster,
  wallet: string,
): Promise<{ log: LogContent; base: Uint8Array; frames: [sequence: number, frame: string][] }> {
  const log = await logs.read(wallet);
  if (log === undefined) throw new Error(`${wallet} is not known`);
  const parts = await collected(log.readBase());
  const frames: [number, string][] = [];
  for await (const { sequence, frame } of log.readFrames())
    frames.push([sequence, Buffer.from(frame).toString()]);
  await log.close();
  return { log, base: concatBytes(...parts), frames };
}
