import type { Hash } from '../../crypto/types.js';
import type { Transaction } from '../../cryptonote/types.js';
import { DaemonError } from '../../daemon/errors.js';
import { resolveKeyImages } from '../../store/resolve-key-images.js';
import { toHex } from '../../util/bytes.js';
import { ringsDigestOf } from '../../wallet/exchange/rings-digest.js';
import type { OrderTx } from '../../wallet/model/order.js';
import type { ImportedKeyImage, OwnedOutput } from '../../wallet/model/records.js';
import { WalletError } from '../../wallet/model/wallet-error.js';
import { readFetchedTx, type FetchedTx } from '../../wallet/scan/fetched-tx.js';
import type { WalletContext } from '../context/wallet-context.js';
import { inputsOf } from './rival-spends.js';

type Context = Pick<WalletContext, 'assertOpen' | 'daemon' | 'log' | 'store'>;

/**
 * Finds payments of orders in a wallet that lacks the key images of their inputs, so that it cannot see their spends: a
 * transaction with the rings of a set reveals the key images.
 */
export class BlindSets {
  readonly #context: Context;
  /** Transactions whose rings were read, by hash in hex. A set that is made later is not their origin. */
  readonly #read = new Set<string>();

  constructor(context: Context) {
    this.#context = context;
  }

  /** @returns key images that were learned, for the scanner. */
  async follow(attempts: readonly OrderTx[]): Promise<ImportedKeyImage[]> {
    const { store, assertOpen } = this.#context;
    const blind = this.#blindOf(attempts);
    if (blind.size === 0) return [];
    const lowest = Math.min(...[...blind.values()].flat().map(({ height }) => height));
    const fresh = store
      .read((r) => r.ambiguousSpends.list())
      .filter(({ txHash, height }) => height > lowest && !this.#read.has(toHex(txHash)));
    if (fresh.length === 0) return [];
    const txs = await this.#fetch(fresh.map(({ txHash }) => txHash));
    assertOpen();
    const found = txs.flatMap((tx) => {
      const inputs = blind.get(toHex(ringsDigestOf(tx)));
      return inputs === undefined ? [] : keyImagesIn(tx, inputs);
    });
    if (found.length === 0) return [];
    return store.write((w) =>
      resolveKeyImages(
        w,
        found.filter((one) => !w.importedKeyImages.contradicts(one)),
      ),
    );
  }

  /** Inputs of the attempts that lack key images, by the digest of their rings in hex. */
  #blindOf(attempts: readonly OrderTx[]): Map<string, readonly OwnedOutput[]> {
    return this.#context.store.read((r) => {
      const blind = new Map<string, readonly OwnedOutput[]>();
      for (const { made } of attempts) {
        if (made.rings === undefined) continue;
        const inputs = inputsOf(r, made);
        if (inputs.some(({ keyImage }) => keyImage === undefined)) blind.set(toHex(made.rings), inputs);
      }
      return blind;
    });
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
      if (!(error instanceof WalletError)) throw error;
      this.#context.log.warn(
        { txid: toHex(fetched.hash), kind: error.fault.kind },
        'a transaction cannot be read',
      );
      return undefined;
    }
  }
}

/**
 * Assigns the key images of a transaction to the outputs that it spends, by the rings that contain them. @returns none
 * where the rings do not decide, because outputs of the wallet are decoys of each other.
 */
function keyImagesIn({ prefix }: Transaction, inputs: readonly OwnedOutput[]): ImportedKeyImage[] {
  const open = prefix.inputs.flatMap((input) => {
    if (input.type !== 'key') return [];
    let index = 0n;
    const members = new Set(input.keyOffsets.map((offset) => (index += offset)));
    const spent = inputs.filter(({ globalIndex }) => members.has(BigInt(globalIndex)));
    return [{ keyImage: input.keyImage, spent: new Set(spent) }];
  });
  const found: ImportedKeyImage[] = [];
  for (;;) {
    const decided = open.find(({ spent }) => spent.size === 1);
    const [output] = decided?.spent ?? [];
    if (decided === undefined || output === undefined) break;
    found.push({ publicKey: output.publicKey, keyImage: decided.keyImage, proven: false });
    for (const { spent } of open) spent.delete(output);
  }
  return found.length === open.length ? found : [];
}
