import type { Hash } from '../../monero/crypto/types.js';
import type { DaemonTransaction } from '../../daemon/daemon.js';
import type { RawTx } from '../../monero/wallet/scan/block-page.js';
import type { LooseBlock } from '../../refresh/scan/chain-block.js';
import { provenSpends } from '../../refresh/feeds/spend-proofs.js';
import type { BatchFindings, TxBatch, UnminedTx } from '../../refresh/scan/wallet-scanner.js';
import { toHex } from '../../util/bytes.js';
import { WalletError } from '../../model/wallet-error.js';
import { minedBlock } from '../context/mined-block.js';
import type { WalletContext } from '../context/wallet-context.js';
import { fetchTransactions } from './newest-block.js';
import type { WalletSync } from './wallet-sync.js';

type Context = Pick<WalletContext, 'daemon' | 'store'>;

/** Other services of the wallet that this service calls. */
interface Services {
  readonly sync: WalletSync;
}

/** Scans single transactions by their hashes, independently of a refresh. */
export class TxScan {
  readonly #context: Context;
  readonly #services: Services;

  constructor(context: Context, services: Services) {
    this.#context = context;
    this.#services = services;
  }

  /**
   * Records the outputs received and spent by transactions; known outputs are not changed. After new outputs are found,
   * scans the later transactions of the wallet again, since they may spend these outputs. Finds a spend by a
   * transaction that the wallet does not know only if its hash is given, too.
   * @throws WalletError `invalid` for unknown hashes, and if further hashes would have to be shown to an untrusted
   * daemon. Source: wallet2.cpp `scan_tx`.
   */
  async scan(hashes: readonly Hash[]): Promise<void> {
    const requested = new Map(hashes.map((hash) => [toHex(hash), hash]));
    if (requested.size === 0) return;
    await this.#services.sync.runExclusive(async () => {
      const fetched = await this.#fetch([...requested.values()]);
      let found = await this.#services.sync.scanTxs(await this.#batchOf(fetched));
      const later = this.#possibleSpends(found).filter((hash) => !requested.has(toHex(hash)));
      if (later.length > 0) {
        if (!this.#context.daemon.trusted)
          throw new WalletError({
            kind: 'invalid',
            reason:
              'later transactions of the wallet must be fetched too, and the daemon is not trusted: use a trusted one, or rescan_blockchain',
          });
        const all = [...fetched, ...(await this.#fetch(later))];
        found = await this.#services.sync.scanTxs(await this.#batchOf(all));
      }
      const { daemon, store } = this.#context;
      const { proven: unmined } = await provenSpends(
        found.unmined,
        (txHash) => store.read((r) => r.outgoing.byHash(txHash)) !== undefined,
        (txHash, keyImages) => daemon.client().proveSpends(txHash, keyImages),
      );
      this.#services.sync.commitTxs({ ...found, unmined });
    });
  }

  /** Returns the mined transactions of the wallet that may spend newly found outputs. */
  #possibleSpends({ mined }: BatchFindings): Hash[] {
    return this.#context.store.read((r) => {
      const fresh = mined.outputs.filter((output) => !r.outputs.has(output));
      if (fresh.length === 0) return [];
      const lowest = fresh.reduce((least, { height }) => Math.min(least, height), Infinity);
      const names = new Map(
        [...r.payments.hashesFrom(lowest), ...r.outgoing.hashesFrom(lowest)].map((hash) => [
          toHex(hash),
          hash,
        ]),
      );
      return [...names.values()];
    });
  }

  /** Fetches transactions. @throws WalletError `invalid`, DaemonError */
  async #fetch(hashes: readonly Hash[]): Promise<DaemonTransaction[]> {
    const fetched: DaemonTransaction[] = [];
    const unknown = (hash: Hash): WalletError =>
      new WalletError({
        kind: 'invalid',
        reason: `the daemon does not know transaction ${toHex(hash)}`,
        text: 'Failed to get transaction from daemon',
      });
    for await (const part of fetchTransactions(this.#context.daemon, hashes, unknown)) fetched.push(...part);
    return fetched;
  }

  /**
   * Groups transactions by the blocks that contain them, which is proven. @throws DaemonError as {@link minedBlock}
   */
  async #batchOf(fetched: readonly DaemonTransaction[]): Promise<TxBatch> {
    const unmined: UnminedTx[] = [];
    const blocks = new Map<number, RawTx[]>();
    for (const tx of fetched) {
      const { outputIndices = [], blockHeight = 0 } = tx;
      if (tx.inPool) {
        unmined.push(tx);
        continue;
      }
      const txs = blocks.get(blockHeight) ?? [];
      txs.push({ ...tx, globalIndices: outputIndices });
      blocks.set(blockHeight, txs);
    }
    const mined: LooseBlock[] = [];
    for (const [height, txs] of [...blocks].sort(([a], [b]) => a - b)) {
      const hashes = txs.map(({ hash }) => hash);
      const { timestamp } = await minedBlock(this.#context, height, hashes);
      mined.push({ height, timestamp, txs });
    }
    return { mined, unmined };
  }
}
