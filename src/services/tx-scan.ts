import type { Hash } from '../crypto/types.js';
import { outlineTx } from '../cryptonote/tx-outline.js';
import type { DaemonTransaction } from '../daemon/daemon.js';
import { DaemonError } from '../daemon/errors.js';
import type { ChainTx, TxsOfBlock, UnminedTx } from '../refresh/chain-block.js';
import type { BatchFindings, TxBatch } from '../refresh/messages.js';
import { toHex } from '../util/bytes.js';
import { CodecError, Reader } from '../util/codec.js';
import { WalletError } from '../wallet/fault.js';
import type { WalletSession } from './wallet-session.js';

/** Transactions fetched at once: what a restricted daemon allows. */
const FETCHED_AT_ONCE = 100;

/** A daemon sends one of these for each hash it knows. */
type Fetched = DaemonTransaction & { readonly chainTx: ChainTx };

/** Reads transactions out of turn, by their hashes. */
export class TxScan {
  readonly #session: WalletSession;

  constructor(session: WalletSession) {
    this.#session = session;
  }

  /**
   * Adds what transactions pay us and spend of ours; what is known already stays as it is. Where outputs turn up
   * that were not known, transactions of the wallet from their height on are looked at again: they may spend
   * them. What spends them and is not known to the wallet is found only if it is asked for too.
   * @throws WalletError `invalid` for unknown hashes, and where an untrusted daemon would be told of others.
   * Source: wallet2.cpp `scan_tx`.
   */
  async scan(hashes: readonly Hash[]): Promise<void> {
    const asked = new Map(hashes.map((hash) => [toHex(hash), hash]));
    if (asked.size === 0) return;
    await this.#session.undisturbed(async () => {
      const fetched = await this.#fetch([...asked.values()]);
      let found = await this.#session.look(batchOf(fetched));
      const touched = this.#touchedBy(found).filter((hash) => !asked.has(toHex(hash)));
      if (touched.length > 0) {
        if (!this.#session.link.trusted)
          throw new WalletError({
            kind: 'invalid',
            reason:
              'later transactions of the wallet would have to be fetched too, and the daemon is not trusted: use one that is, or rescan_blockchain',
          });
        found = await this.#session.look(batchOf([...fetched, ...(await this.#fetch(touched))]));
      }
      this.#session.commitFound(found);
    });
  }

  /** Mined transactions of the wallet that might spend outputs which were just found. */
  #touchedBy({ mined }: BatchFindings): Hash[] {
    return this.#session.file.read((r) => {
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

  /** @throws WalletError `invalid`, DaemonError */
  async #fetch(hashes: readonly Hash[]): Promise<Fetched[]> {
    const fetched: Fetched[] = [];
    for (let start = 0; start < hashes.length; start += FETCHED_AT_ONCE) {
      const asked = hashes.slice(start, start + FETCHED_AT_ONCE);
      const { transactions } = await this.#session.link.daemon().getTransactions(asked, { prune: true });
      const byHash = new Map(transactions.map((tx) => [toHex(tx.hash), tx]));
      for (const hash of asked) {
        const tx = byHash.get(toHex(hash));
        if (tx === undefined)
          throw new WalletError({
            kind: 'invalid',
            reason: `the daemon does not know transaction ${toHex(hash)}`,
          });
        fetched.push({ ...tx, chainTx: chainTxOf(tx) });
      }
    }
    return fetched;
  }
}

/** @throws DaemonError `malformed` */
function chainTxOf({ hash, blob, inPool, outputIndices = [] }: DaemonTransaction): ChainTx {
  try {
    const outline = outlineTx(new Reader(blob));
    if (!inPool && outputIndices.length !== outline.outputs.length)
      throw new RangeError('a transaction lacks output indices');
    return { hash, blob, outline, globalIndices: outputIndices };
  } catch (cause) {
    if (cause instanceof CodecError || cause instanceof RangeError)
      throw new DaemonError('malformed', 'the daemon sent a transaction that cannot be read', { cause });
    throw cause;
  }
}

function batchOf(fetched: readonly Fetched[]): TxBatch {
  const unmined: UnminedTx[] = [];
  const blocks = new Map<number, { timestamp: number; txs: ChainTx[] }>();
  for (const { chainTx, inPool, doubleSpendSeen, blockHeight = 0, blockTimestamp = 0 } of fetched) {
    if (inPool) {
      unmined.push({ ...chainTx, doubleSpendSeen });
      continue;
    }
    const block = blocks.get(blockHeight) ?? { timestamp: blockTimestamp, txs: [] };
    block.txs.push(chainTx);
    blocks.set(blockHeight, block);
  }
  const mined = [...blocks]
    .map(([height, { timestamp, txs }]): TxsOfBlock => ({ height, timestamp, txs }))
    .sort((a, b) => a.height - b.height);
  return { mined, unmined };
}
