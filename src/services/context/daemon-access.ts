import type { Hash } from '../../monero/crypto/types.js';
import type { Daemon, OutputDistribution, RingCandidate } from '../../daemon/daemon.js';
import { unlessAborted } from '../../util/concurrency.js';
import { DaemonError, type BlockVersion } from '../../daemon/errors.js';
import { WalletError } from '../../model/wallet-error.js';
import type { BlockRef } from '../../monero/wallet/scan/findings.js';
import type { WalletStore } from '../../store/wallet-store.js';
import type { CheckedChain, DaemonConnection } from './daemon-connection.js';
import type { NamedDaemon } from './daemon-list.js';

/** A listed daemon other than the serving daemon. */
export interface OtherDaemon {
  readonly trusted: boolean;
  readonly client: Daemon;
}

/** Access of one open wallet to the daemon. Closing it aborts the calls of this wallet only. */
export class DaemonAccess {
  readonly #connection: DaemonConnection;
  readonly #closing = new AbortController();
  #waitingFor: 'work' | 'nodes' | undefined;
  /**
   * Block of an unknown newer version at which the last refresh of this wallet ended; undefined if there was no such
   * block.
   */
  newerBlock: BlockVersion | undefined;

  constructor(connection: DaemonConnection) {
    this.#connection = connection;
  }

  /** True if the server believes answers of the serving daemon that it cannot verify. */
  get trusted(): boolean {
    return this.#connection.trusted;
  }

  /** True if blocks of newer versions are read with the rules of the newest known version. */
  get acceptsAnyVersion(): boolean {
    return this.#connection.acceptsAnyVersion;
  }

  /** Newest version of blocks whose rules this server knows. */
  get newestFork(): number {
    return this.#connection.newestFork;
  }

  /** Chain of the daemons whose proof of work is checked; undefined without `--verify-work`. */
  get checkedChain(): CheckedChain | undefined {
    return this.#connection.checkedChain;
  }

  /** Check for which the blocks of this wallet wait, or waited when its last refresh failed; undefined if for none. */
  get waitingFor(): 'work' | 'nodes' | undefined {
    return this.#waitingFor;
  }

  /** True if blocks must pass a check before they count. */
  get isGated(): boolean {
    return this.#connection.checkedChain !== undefined || this.#connection.quorum !== undefined;
  }

  /**
   * Resolves when a block may count: its proof of work is verified, and enough daemons name it.
   * @returns undefined if it may already. @throws DaemonError if it may not.
   */
  admit(block: BlockRef): Promise<void> | undefined {
    const { checkedChain, quorum } = this.#connection;
    const verified = checkedChain?.admit(block);
    const agreed = quorum?.admit(block);
    if (verified === undefined && agreed === undefined) {
      this.#waitingFor = undefined;
      return undefined;
    }
    // Both have begun; the failure of the second one is thrown after the first one has ended.
    agreed?.catch(() => undefined);
    return this.#passed(verified, agreed);
  }

  async #passed(verified: Promise<void> | undefined, agreed: Promise<void> | undefined): Promise<void> {
    this.#waitingFor = verified === undefined ? 'nodes' : 'work';
    await verified;
    this.#waitingFor = agreed === undefined ? undefined : 'nodes';
    await agreed;
    this.#waitingFor = undefined;
  }

  /** Address `host:port` of the serving daemon as configured; undefined when offline. */
  get address(): string | undefined {
    return this.#connection.address;
  }

  /** Address `host:port` of the serving daemon, equal for all spellings of the address; undefined when offline. */
  get name(): string | undefined {
    return this.#connection.current?.name;
  }

  /**
   * Returns the client of the serving daemon, whose calls fail with WalletError `no_wallet` once this access is closed.
   * @throws DaemonError `unreachable` when offline.
   */
  client(): Daemon {
    return this.#connection.client(this.#closing.signal);
  }

  /** Reads the distribution of outputs, from which decoys are chosen. @throws DaemonError */
  outputDistribution(): Promise<OutputDistribution> {
    const client = this.client();
    return this.#connection.rings?.outputDistribution(client) ?? client.getOutputDistribution();
  }

  /** Fetches candidates for rings by their global indices, in their order. @throws DaemonError */
  ringOutputs(indices: readonly number[]): Promise<readonly RingCandidate[]> {
    const client = this.client();
    return this.#connection.rings?.outputs(client, indices) ?? client.getOutputs(indices);
  }

  /**
   * Lists the hashes of all transactions in the pool.
   * @throws DaemonError; WalletError `no_wallet` once this access is closed.
   */
  poolHashes(): Promise<readonly Hash[]> {
    return unlessAborted(this.#connection.poolHashes(), this.#closing.signal);
  }

  /** Finds a listed daemon by its name; undefined for the serving daemon and for an unlisted daemon. */
  other(name: string): OtherDaemon | undefined {
    const { list, current } = this.#connection;
    const daemon = list.find(name);
    if (daemon === undefined || daemon === current) return undefined;
    return { trusted: daemon.trusted, client: list.client(daemon).until(this.#closing.signal) };
  }

  /** Number of listed daemons. */
  get listedCount(): number {
    return this.#connection.list.entries.length;
  }

  /**
   * Asks every listed daemon at the same time. @param ask an error of its daemon counts as no answer.
   * @returns the answers with their daemons.
   */
  async askAll<T>(
    ask: (client: Daemon) => Promise<T>,
  ): Promise<readonly { readonly daemon: NamedDaemon; readonly answer: T }[]> {
    const { list } = this.#connection;
    const answers = await Promise.all(
      list.entries.map(async (daemon) => {
        try {
          return [{ daemon, answer: await ask(list.client(daemon).until(this.#closing.signal)) }];
        } catch (error) {
          if (error instanceof DaemonError) return [];
          throw error;
        }
      }),
    );
    return answers.flat();
  }

  /** Counts the nodes behind listed daemons: two addresses of one node count once, as far as they are recognised. */
  countNodes(daemons: readonly NamedDaemon[]): number {
    return this.#connection.identities?.count(daemons) ?? daemons.length;
  }

  /** Aborts the running calls of this wallet, and every later call. */
  close(): void {
    this.#closing.abort(new WalletError({ kind: 'no_wallet' }));
  }
}

/**
 * Returns a function that counts the blocks with verified proof of work from the block of a transaction on, by its height; 0 for
 * an unmined transaction, and while the newest block of the wallet is not verified. The count is undefined without `--verify-work`.
 */
export function verifiedCounter(
  { checkedChain }: Pick<DaemonAccess, 'checkedChain'>,
  store: Pick<WalletStore, 'height' | 'blockAt'>,
): (height: number) => number | undefined {
  if (checkedChain === undefined) return () => undefined;
  const tip = store.blockAt(store.height() - 1);
  return (height) =>
    height === 0 || tip === undefined || !checkedChain.isVerified(tip)
      ? 0
      : checkedChain.confirmations(height, tip.height);
}
