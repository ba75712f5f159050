import type { Daemon } from '../../daemon/daemon.js';
import type { FoundTx } from '../../monero/wallet/scan/findings.js';
import { SharedRun } from '../../util/concurrency.js';
import type { ChainBlock, ChainTxs } from '../scan/chain-block.js';

/** The call to the daemon with which transactions are proven, and whether the daemon is trusted. */
export type Prover = Pick<Daemon, 'proveTransactions' | 'isTrusted'>;

/**
 * Proves the transactions of a page that concern a wallet, once for all wallets. The bytes of a page prove its blocks and
 * the hashes that these list. They do not prove a pruned transaction whose prunable hash the daemon has left out: its bytes
 * are compared with those of a request by hash, whose answer proves itself.
 */
export class PageProofs {
  readonly #daemon: Prover;
  readonly #page: ChainTxs<ChainBlock>;
  readonly #proven = new Set<number>();
  /** Indices of the transactions that the next run proves. */
  #wanted = new Set<number>();
  readonly #proving = new SharedRun(() => this.#proveWanted());

  constructor(daemon: Prover, page: ChainTxs<ChainBlock>) {
    this.#daemon = daemon;
    this.#page = page;
  }

  /**
   * Proves transactions of the page that were found for a wallet.
   * @throws DaemonError `forged` if the daemon has sent a transaction with the hash of another one; the error of the request.
   */
  async prove(found: Iterable<FoundTx>): Promise<void> {
    const missing = this.#indicesOf(found).filter((at) => !this.#isProven(at));
    if (missing.length === 0) return;
    for (const at of missing) this.#wanted.add(at);
    await this.#proving.run();
  }

  #isProven(at: number): boolean {
    return this.#page.txs.isProven(at) || this.#proven.has(at);
  }

  /** Returns the indices of transactions in the page. @throws RangeError if the page lacks such a transaction. */
  #indicesOf(found: Iterable<FoundTx>): number[] {
    const { blocks, txs } = this.#page;
    const start = blocks[0]?.height ?? 0;
    return Array.from(found, ({ txHash, height }) => {
      const { firstTx = 0, endTx = 0 } = blocks[height - start] ?? {};
      const at = txs.find(txHash, firstTx, endTx);
      if (at === undefined) throw new RangeError('the page has no such transaction');
      return at;
    });
  }

  async #proveWanted(): Promise<void> {
    const wanted = this.#wanted;
    this.#wanted = new Set();
    const own = [...wanted].filter((at) => !this.#isProven(at));
    if (own.length === 0) return;
    const requested = this.#daemon.isTrusted ? own : this.#unprovenOfBlocks(new Set(own));
    const { txs } = this.#page;
    const listed = requested.sort((a, b) => a - b).map((at) => ({ hash: txs.hash(at), blob: txs.blob(at) }));
    await this.#daemon.proveTransactions(listed);
    for (const at of requested) this.#proven.add(at);
  }

  /**
   * Returns all unproven transactions of the blocks that contain some transactions. A daemon that is not trusted learns only in
   * which blocks the wallets have transactions.
   */
  #unprovenOfBlocks(own: ReadonlySet<number>): number[] {
    return this.#page.blocks.flatMap(({ firstTx, endTx }) => {
      const txs = Array.from({ length: endTx - firstTx }, (_, i) => firstTx + i);
      return txs.some((at) => own.has(at)) ? txs.filter((at) => !this.#isProven(at)) : [];
    });
  }
}
