import type { Hash } from '../../monero/crypto/types.js';
import { ringIndices } from '../../monero/cryptonote/transaction.js';
import type { Transaction } from '../../monero/cryptonote/types.js';
import { DaemonError } from '../../daemon/errors.js';
import { resolveKeyImages } from '../../store/resolve-key-images.js';
import type { Amount } from '../../util/amount.js';
import { toHex } from '../../util/bytes.js';
import { ringsDigestOf } from '../../monero/wallet/build/signed-payment.js';
import type { OrderTx } from '../../model/order.js';
import { SETTLED_DEPTH, type OwnedOutput } from '../../monero/wallet/scan/findings.js';
import type { ImportedKeyImage } from '../../monero/wallet/scan/key-images.js';
import { faultOf } from '../../model/wallet-error.js';
import { readFetchedTx, type FetchedTx } from '../../monero/wallet/scan/fetched-tx.js';
import { narrowOwners } from '../../monero/wallet/scan/ambiguous-spends.js';
import type { WalletContext } from '../context/wallet-context.js';
import { inputsOf } from '../../store/tables/rival-spends.js';

type Context = Pick<WalletContext, 'assertOpen' | 'daemon' | 'log' | 'store'>;

/** Inputs and fee of an attempt of which this wallet lacks the key image of at least one input. */
interface BlindAttempt {
  readonly inputs: readonly OwnedOutput[];
  readonly fee: Amount;
}

/**
 * Finds payments of orders whose inputs have no key image in this wallet, so that it cannot see their spends: a
 * transaction with the rings of a set reveals the key images. Searches the transactions that paid the wallet, since a
 * payment with change is among them.
 */
export class BlindSets {
  readonly #context: Context;
  /**
   * Hashes of the transactions whose rings were read [hex]. A set that is made later cannot be the origin of such a
   * transaction.
   */
  readonly #read = new Set<string>();
  /** Height up to which the rings of all candidate transactions were read. */
  #readTo = 0;

  constructor(context: Context) {
    this.#context = context;
  }

  /** Searches for payments of attempts. @returns key images that were found, for the scanner. */
  async follow(attempts: readonly OrderTx[]): Promise<ImportedKeyImage[]> {
    const { store, assertOpen } = this.#context;
    const blind = this.#blindOf(attempts);
    const tip = store.height() - 1;
    const fresh = this.#candidates([...blind.values()]).filter((txHash) => !this.#read.has(toHex(txHash)));
    const txs = fresh.length === 0 ? [] : await this.#fetch(fresh);
    assertOpen();
    if (txs.length === fresh.length) this.#readTo = tip;
    const found = txs.flatMap((tx) => {
      const attempt = blind.get(toHex(ringsDigestOf(tx)));
      return attempt === undefined ? [] : keyImagesIn(tx, attempt.inputs);
    });
    if (found.length === 0) return [];
    return store.write((w) =>
      resolveKeyImages(
        w,
        found.filter((one) => !w.importedKeyImages.contradicts(one)),
      ),
    );
  }

  /** Returns the attempts that lack key images of their inputs, by the digest of their rings [hex]. */
  #blindOf(attempts: readonly OrderTx[]): Map<string, BlindAttempt> {
    return this.#context.store.read((r) => {
      const blind = new Map<string, BlindAttempt>();
      for (const { made } of attempts) {
        if (made.rings === undefined) continue;
        const inputs = inputsOf(r, made);
        if (inputs.some(({ keyImage }) => keyImage === undefined))
          blind.set(toHex(made.rings), { inputs, fee: made.fee });
      }
      return blind;
    });
  }

  /**
   * Lists the transactions whose rings must be read: possible payments of attempts above the height that was read, or
   * in late blocks that may have been replaced.
   */
  #candidates(blind: readonly BlindAttempt[]): Hash[] {
    if (blind.length === 0) return [];
    const lowest = Math.min(...blind.flatMap(({ inputs }) => inputs.map(({ height }) => height)));
    // Goes SETTLED_DEPTH blocks back: a reorganisation may have replaced blocks that were read.
    const above = Math.max(lowest, this.#readTo - SETTLED_DEPTH);
    return this.#context.store.read((r) => [
      ...r.ambiguousSpends.list().flatMap(({ txHash, height }) => (height > above ? [txHash] : [])),
      ...[...new Set(blind.map(({ fee }) => fee))].flatMap((fee) => r.payments.maySpend({ above, fee })),
    ]);
  }

  async #fetch(hashes: readonly Hash[]): Promise<Transaction[]> {
    const { daemon, log } = this.#context;
    try {
      const { transactions } = await daemon.client().getTransactions(hashes, { prune: true });
      return transactions.flatMap((fetched) => {
        const tx = this.#parse(fetched);
        if (tx === undefined) return [];
        this.#read.add(toHex(fetched.hash));
        return [tx];
      });
    } catch (error) {
      if (!(error instanceof DaemonError)) throw error;
      log.warn({ kind: error.kind }, 'the daemon did not send transactions that may be payments of orders');
      return [];
    }
  }

  #parse(fetched: FetchedTx): Transaction | undefined {
    try {
      return readFetchedTx(fetched);
    } catch (error) {
      const fault = faultOf(error);
      if (fault === undefined) throw error;
      this.#context.log.warn({ txid: toHex(fetched.hash), kind: fault.kind }, 'a transaction cannot be read');
      return undefined;
    }
  }
}

/**
 * Assigns the key images of a transaction to the outputs that it spends, by the rings that contain the outputs.
 * @returns an empty list if the rings do not decide, because outputs of the wallet are decoys of each other.
 */
function keyImagesIn({ prefix }: Transaction, inputs: readonly OwnedOutput[]): ImportedKeyImage[] {
  const keyInputs = prefix.inputs.filter((input) => input.type === 'key');
  const owners = narrowOwners(
    keyInputs.map(({ keyOffsets }) => {
      const members = new Set(ringIndices(keyOffsets));
      return new Set(inputs.filter(({ globalIndex }) => members.has(BigInt(globalIndex))));
    }),
  );
  const found = keyInputs.flatMap(({ keyImage }, i): ImportedKeyImage[] => {
    const [output, ...others] = owners[i] ?? [];
    if (output === undefined || others.length > 0) return [];
    return [{ publicKey: output.publicKey, keyImage, proven: false }];
  });
  return found.length === keyInputs.length ? found : [];
}
