import type { Hash } from '../../monero/crypto/types.js';
import { parseTransaction } from '../../monero/cryptonote/transaction.js';
import { CachedRead } from '../../store/cached-read.js';
import { equalBytes, toHex } from '../../util/bytes.js';
import { SETTLED_DEPTH } from '../../monero/wallet/scan/findings.js';
import type { ImportedKeyImage } from '../../monero/wallet/scan/key-images.js';
import { ringsDigestOf } from '../../monero/wallet/build/signed-payment.js';
import type { OrderTx } from '../../model/order.js';
import { readFetchedTx } from '../../monero/wallet/scan/fetched-tx.js';
import type { WalletContext } from '../context/wallet-context.js';
import { BlindSets } from './blind-sets.js';
import { daemonFaultOf } from './newest-block.js';
import { inputsOf, rivalSpends, type RivalSpend } from '../../store/tables/rival-spends.js';

type Context = Pick<WalletContext, 'assertOpen' | 'daemon' | 'log' | 'store'>;

/** An attempt of an order that other wallets sign, with the transactions that spend its inputs. */
interface Spent {
  readonly attempt: OrderTx;
  readonly rings: Hash;
  readonly spends: readonly RivalSpend[];
}

const isSame = (a: Hash | undefined, b: Hash): boolean => a !== undefined && equalBytes(a, b);

/**
 * Finds the transactions of orders that other wallets sign and submit. A set may be signed several times: any
 * transaction with the rings of the set is its payment. A transaction with other rings that spends one of its inputs is
 * a rival.
 */
export class SignedSets {
  readonly #context: Context;
  readonly #blind: BlindSets;
  readonly #unsettled: CachedRead<readonly Spent[]>;

  constructor(context: Context) {
    this.#context = context;
    this.#blind = new BlindSets(context);
    this.#unsettled = new CachedRead(context.store, (r) =>
      r.orders.unsettled().flatMap((attempt) => {
        const { rings, signed } = attempt.made;
        if (rings === undefined) return [];
        return [{ attempt, rings, spends: rivalSpends(inputsOf(r, attempt.made), signed?.txHash) }];
      }),
    );
  }

  /**
   * Searches for payments and rivals. To be called after blocks and then the pool were read.
   * @returns key images of own outputs that were found, for the scanner.
   */
  async follow(): Promise<readonly ImportedKeyImage[]> {
    const { store } = this.#context;
    const learned = await this.#blind.follow(this.#unsettled.value.map(({ attempt }) => attempt));
    const known = new Map<string, Hash | undefined>();
    for (const { attempt, rings, spends } of this.#unsettled.value) {
      if (spends.some(({ txHash }) => isSame(attempt.rival, txHash))) continue;
      for (const { txHash } of spends) {
        const name = toHex(txHash);
        if (!known.has(name)) known.set(name, await this.#ringsOf(txHash));
        this.#context.assertOpen();
        const found = known.get(name);
        if (found === undefined) continue;
        store.write((w) => {
          if (equalBytes(found, rings)) w.recogniseSigned(rings, txHash);
          else w.orders.setRival(attempt, txHash);
        });
      }
    }
    this.#settle();
    return learned;
  }

  /** Stops following the attempts whose outcome is final, deeper than any reorganisation. */
  #settle(): void {
    const { store } = this.#context;
    const settledHeight = store.height() - 1 - SETTLED_DEPTH;
    const isSettled = (height: number | undefined): boolean =>
      height !== undefined && height <= settledHeight;
    const settled = this.#unsettled.value.filter(({ attempt, spends }) => {
      const { signed } = attempt.made;
      const own = signed && store.read((r) => r.outgoing.byHash(signed.txHash));
      return (
        isSettled(own?.height) ||
        spends.some(({ txHash, height }) => isSettled(height) && isSame(attempt.rival, txHash))
      );
    });
    if (settled.length === 0) return;
    store.write((w) => {
      for (const { attempt } of settled) w.orders.settle(attempt);
    });
  }

  /**
   * Reads the rings of a transaction that spends outputs of the wallet.
   * @returns the digest of the rings; undefined if the daemon does not send the transaction now.
   */
  async #ringsOf(txHash: Hash): Promise<Hash | undefined> {
    const { store, daemon, log } = this.#context;
    const blob = store.read((r) => r.outgoing.byHash(txHash)?.blob);
    if (blob !== undefined) return ringsDigestOf(parseTransaction(blob));
    try {
      const { transactions } = await daemon.client().getTransactions([txHash], { prune: true });
      const fetched = transactions.find(({ hash }) => equalBytes(hash, txHash));
      return fetched && ringsDigestOf(readFetchedTx(fetched));
    } catch (error) {
      const kind = daemonFaultOf(error);
      if (kind === undefined) throw error;
      log.warn(
        { txid: toHex(txHash), kind },
        'the daemon did not send a transaction that spends inputs of an order',
      );
      return undefined;
    }
  }
}
