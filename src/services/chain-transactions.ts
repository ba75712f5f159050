import type { Hash } from '../crypto/types.js';
import type { DaemonTransaction } from '../daemon/daemon.js';
import { equalBytes, toHex } from '../util/bytes.js';
import { WalletError } from '../wallet/fault.js';
import type { FetchedTx } from '../wallet/fetched-tx.js';
import type { RingReference, SpentRing } from '../wallet/spend-proof.js';
import type { DaemonLink } from './daemon-link.js';

/** A transaction that the daemon knows; not yet looked into. */
export interface ChainTransaction {
  readonly fetched: FetchedTx;
  /** Absent in the pool. */
  readonly height?: number;
}

export interface ChainPlace {
  readonly inPool: boolean;
  /** Zero in the pool. */
  readonly confirmations: number;
}

const unknown = (): WalletError =>
  new WalletError({ kind: 'invalid', reason: 'the daemon does not know the transaction' });

const toChainTransaction = ({
  hash,
  blob,
  prunableHash,
  inPool,
  blockHeight,
}: DaemonTransaction): ChainTransaction => ({
  fetched: { hash, blob, ...(prunableHash === undefined ? {} : { prunableHash }) },
  ...(inPool || blockHeight === undefined ? {} : { height: blockHeight }),
});

/** Transactions of anybody, asked of the daemon. Every call may throw DaemonError. */
export class ChainTransactions {
  readonly #link: DaemonLink;

  constructor(link: DaemonLink) {
    this.#link = link;
  }

  /** @throws WalletError `invalid` when the daemon has none. */
  async transaction(txHash: Hash): Promise<ChainTransaction> {
    const { transactions } = await this.#link.daemon().getTransactions([txHash], { prune: false });
    const found = transactions.find(({ hash }) => equalBytes(hash, txHash));
    if (found === undefined) throw unknown();
    return toChainTransaction(found);
  }

  /** In the order asked for, repeated ones too. @throws WalletError `invalid` for unknown and unconfirmed ones. */
  async confirmed(hashes: readonly Hash[]): Promise<FetchedTx[]> {
    const unique = [...new Map(hashes.map((hash) => [toHex(hash), hash])).values()];
    const { transactions } = await this.#link.daemon().getTransactions(unique, { prune: false });
    const known = new Map(transactions.map((tx) => [toHex(tx.hash), toChainTransaction(tx)]));
    return hashes.map((hash) => {
      const tx = known.get(toHex(hash));
      if (tx === undefined) throw unknown();
      if (tx.height === undefined)
        throw new WalletError({ kind: 'invalid', reason: 'a transaction is not confirmed yet' });
      return tx.fetched;
    });
  }

  async place({ height }: ChainTransaction): Promise<ChainPlace> {
    if (height === undefined) return { inPool: true, confirmations: 0 };
    const { height: chainHeight } = await this.#link.daemon().getInfo();
    return { inPool: false, confirmations: Math.max(0, chainHeight - height) };
  }

  /** Looks up the keys of rings. */
  async rings(references: readonly RingReference[]): Promise<SpentRing[]> {
    const daemon = this.#link.daemon();
    const rings: SpentRing[] = [];
    for (const { keyImage, amount, globalIndices } of references) {
      const outputs = await daemon.getOutputs(globalIndices, amount);
      rings.push({ keyImage, ring: outputs.map(({ publicKey }) => publicKey) });
    }
    return rings;
  }
}
