import type { Hash } from '../../monero/crypto/types.js';
import type { DaemonTransaction } from '../../daemon/daemon.js';
import { equalBytes, toHex } from '../../util/bytes.js';
import { WalletError } from '../../model/wallet-error.js';
import type { FetchedTx } from '../../monero/wallet/scan/fetched-tx.js';
import type { RingReference, SpentRing } from '../../monero/wallet/proofs/spend-proof.js';
import { verifiedCounter } from '../context/daemon-access.js';
import { minedBlock } from '../context/mined-block.js';
import type { WalletContext } from '../context/wallet-context.js';

/** Transaction fetched from the daemon and not parsed yet. */
export interface ChainTransaction {
  readonly fetched: FetchedTx;
  /** Height of the block with the transaction; absent while it is unmined. */
  readonly height?: number;
}

/** Place of a transaction: in the pool, or in the chain with its confirmations. */
export interface ChainPlace {
  readonly inPool: boolean;
  /** Number of confirmations; 0 for an unmined transaction. */
  readonly confirmations: number;
  /** Confirmations by blocks with verified proof of work; undefined without `--verify-work`. */
  readonly verifiedConfirmations?: number | undefined;
}

/**
 * Message of the reference for a transaction that the daemon does not have. Source: wallet2.cpp `get_tx_proof`,
 * `check_reserve_proof`.
 */
const NOT_FETCHED = 'Failed to get transaction from daemon';

/**
 * Creates the error for an unknown transaction.
 * @param text message of the reference, which differs between the proofs.
 */
const unknown = (text: string): WalletError =>
  new WalletError({
    kind: 'invalid',
    reason: 'the daemon does not know the transaction',
    text,
  });

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

/** Fetches arbitrary transactions from the daemon. Every method may throw DaemonError. */
export class ChainTransactions {
  readonly #context: Pick<WalletContext, 'daemon' | 'store'>;

  constructor(context: Pick<WalletContext, 'daemon' | 'store'>) {
    this.#context = context;
  }

  /**
   * Fetches a transaction. @param text the reference's message for an unknown transaction.
   * @throws WalletError `invalid` for an unknown transaction.
   */
  async transaction(txHash: Hash, text = NOT_FETCHED): Promise<ChainTransaction> {
    const { transactions } = await this.#context.daemon.client().getTransactions([txHash], { prune: false });
    const found = transactions.find(({ hash }) => equalBytes(hash, txHash));
    if (found === undefined) throw unknown(text);
    return toChainTransaction(found);
  }

  /**
   * Fetches mined transactions, in the order of the hashes. @throws WalletError `invalid` for an unknown or unmined
   * transaction.
   */
  async confirmed(
    hashes: readonly Hash[],
    options: { readonly prune: boolean } = { prune: false },
  ): Promise<FetchedTx[]> {
    const unique = [...new Map(hashes.map((hash) => [toHex(hash), hash])).values()];
    const { transactions } = await this.#context.daemon.client().getTransactions(unique, options);
    const known = new Map(transactions.map((tx) => [toHex(tx.hash), toChainTransaction(tx)]));
    return hashes.map((hash) => {
      const tx = known.get(toHex(hash));
      if (tx === undefined) throw unknown(NOT_FETCHED);
      if (tx.height === undefined)
        throw new WalletError({
          kind: 'invalid',
          reason: 'a transaction is not confirmed yet',
          text: 'Tx is unconfirmed',
        });
      return tx.fetched;
    });
  }

  /**
   * Determines the place of a fetched transaction. The block that contains it is proven; further confirmations are counted in
   * the chain that the wallet has read.
   * @throws DaemonError as {@link minedBlock}
   */
  async place({ fetched, height }: ChainTransaction): Promise<ChainPlace> {
    const { daemon, store } = this.#context;
    const verified = verifiedCounter(daemon, store);
    const none = { confirmations: 0, verifiedConfirmations: verified(0) };
    if (height === undefined) return { inPool: true, ...none };
    const { height: claimed } = await daemon.client().getInfo();
    // The daemon has lost the block meanwhile.
    if (claimed <= height) return { inPool: false, ...none };
    await minedBlock(this.#context, height, [fetched.hash]);
    const confirmations = Math.max(1, Math.min(claimed, store.height()) - height);
    return { inPool: false, confirmations, verifiedConfirmations: verified(height) };
  }

  /** Fetches the output keys of ring members. */
  async rings(references: readonly RingReference[]): Promise<SpentRing[]> {
    const daemon = this.#context.daemon.client();
    const rings: SpentRing[] = [];
    for (const { keyImage, amount, globalIndices } of references) {
      const outputs = await daemon.getOutputs(globalIndices, amount);
      rings.push({ keyImage, ring: outputs.map(({ publicKey }) => publicKey) });
    }
    return rings;
  }
}
