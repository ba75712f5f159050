import { ringIndices, parseTransaction } from '../../monero/cryptonote/transaction.js';
import type { Transaction } from '../../monero/cryptonote/types.js';
import type { Hash, PublicKey } from '../../monero/crypto/types.js';
import { isUnverifiable } from '../../monero/wallet/scan/block-page.js';
import { betweenWrites } from '../../store/between-writes.js';
import { CachedRead } from '../../store/cached-read.js';
import { correctKeyImages, type KeyImageCorrection } from '../../store/correct-key-images.js';
import type { PlacedSpend } from '../../store/tables/imported-key-images.js';
import { toHex } from '../../util/bytes.js';
import { yieldToEventLoop } from '../../util/event-loop.js';
import { WalletError } from '../../model/wallet-error.js';
import { readFetchedTx } from '../../monero/wallet/scan/fetched-tx.js';
import { ringPlaceOf } from '../../monero/wallet/scan/ambiguous-spends.js';
import type { WalletContext } from '../context/wallet-context.js';
import { daemonFaultOf, fetchTransactions } from './newest-block.js';
import { correctionBy, type InputRing } from './ring-evidence.js';

type Context = Pick<WalletContext, 'assertOpen' | 'daemon' | 'keystore' | 'log' | 'store'>;

/** Function called between steps; it throws when the work must end. */
type AssertRuns = () => void;

/** Number of outputs read in one step: less than a millisecond. */
const OUTPUTS_AT_ONCE = 1024;

/** Number of confirmed key images stored in one transaction: some milliseconds. */
const CONFIRMED_AT_ONCE = 1024;

const nameOf = ({ publicKey, txHash }: PlacedSpend): string => `${toHex(publicKey)}/${toHex(txHash)}`;

/**
 * Verifies key images of a view-only wallet that earlier versions stored by the places of their outputs: compares them
 * with the rings of the mined transactions that spend the outputs. To be called under the refresh lock.
 */
export class PlacedKeyImages {
  readonly #context: Context;
  readonly #spends: CachedRead<readonly PlacedSpend[]>;
  /** Rings that were read from transactions which are not decided yet, by transaction hash [hex]. */
  readonly #rings = new Map<string, readonly InputRing[]>();
  /** Spends whose rings do not decide the output that is spent, or were not read. */
  #undecided: ReadonlySet<string> = new Set();
  /** True if rings were not read because the daemon is not trusted. */
  #lacksTrust = false;

  constructor(context: Context) {
    this.#context = context;
    this.#spends = new CachedRead(context.store, (r) => r.importedKeyImages.placedSpends());
  }

  /**
   * Corrects key images as {@link correct}, if some were spent that no earlier call has considered. After an error of
   * the daemon, a later call tries again.
   * @param assertRuns throws if the refresh is cancelled or the wallet closed. @returns as {@link correct}.
   */
  async follow(assertRuns: AssertRuns): Promise<boolean> {
    const isAnsweredAnew = this.#lacksTrust && this.#context.daemon.trusted;
    if (!isAnsweredAnew && this.#spendsNow().every((spend) => this.#undecided.has(nameOf(spend))))
      return false;
    try {
      return await this.correct(assertRuns);
    } catch (error) {
      const kind = daemonFaultOf(error);
      if (kind === undefined) throw error;
      this.#context.log.warn(
        { kind },
        'the daemon did not send transactions that show which outputs key images belong to',
      );
      return false;
    }
  }

  /**
   * Corrects key images, with the spends and payments that follow from them, in one store transaction. Asks the daemon
   * for transactions only if such a key image is spent, and only if the daemon is trusted, since the request shows that
   * the transactions belong to one wallet.
   * @returns true if the scanner must start again with the state of the store.
   * @throws DaemonError; WalletError `daemon_misbehaves`, after which nothing is changed.
   */
  async correct(assertRuns: AssertRuns = this.#context.assertOpen): Promise<boolean> {
    const spends = this.#spendsNow();
    if (spends.length === 0 || !(await this.#readRings(spends, assertRuns))) return false;
    const keysAt = await this.#ownKeys(assertRuns);
    const txs = [...new Map(this.#spendsNow().map(({ txHash }) => [toHex(txHash), txHash]))].flatMap(
      ([name, txHash]) => {
        const inputs = this.#rings.get(name);
        return inputs === undefined ? [] : [{ txHash, inputs }];
      },
    );
    const correction = this.#context.store.read((r) => correctionBy(txs, keysAt, r.importedKeyImages));
    const isChanged = [correction.moved, correction.found, correction.forgotten].some(
      ({ length }) => length > 0,
    );
    if (isChanged) {
      this.#context.store.write((w) => correctKeyImages(w, correction));
      this.#report(correction);
    }
    await this.#confirm(correction, assertRuns);
    this.#keepUndecided();
    return isChanged;
  }

  #spendsNow(): readonly PlacedSpend[] {
    return this.#context.keystore.importsKeyImages ? this.#spends.value : [];
  }

  /** Reads the rings of transactions that were not read yet. @returns false if the daemon must not be asked. */
  async #readRings(spends: readonly PlacedSpend[], assertRuns: AssertRuns): Promise<boolean> {
    const { store, daemon, log } = this.#context;
    const missing = new Map<string, Hash>();
    for (const { txHash } of spends) {
      const name = toHex(txHash);
      if (this.#rings.has(name)) continue;
      const blob = store.read((r) => r.outgoing.byHash(txHash)?.blob);
      if (blob === undefined) missing.set(name, txHash);
      else this.#rings.set(name, ringsOf(parseTransaction(blob)));
    }
    this.#lacksTrust = missing.size > 0 && !daemon.trusted;
    if (this.#lacksTrust) {
      log.warn(
        { transactions: missing.size },
        'key images of an earlier version may belong to other outputs: a trusted daemon, or import_key_images, decides it',
      );
      this.#undecided = new Set(spends.map(nameOf));
      return false;
    }
    for await (const part of fetchTransactions(daemon, [...missing.values()], notSent)) {
      for (const fetched of part)
        this.#rings.set(toHex(fetched.hash), isUnverifiable(fetched) ? [] : ringsOf(readFetchedTx(fetched)));
      assertRuns();
    }
    return true;
  }

  /** Finds the outputs of the wallet in the rings that were read. @returns output keys by place in the chain. */
  async #ownKeys(assertRuns: AssertRuns): Promise<Map<string, PublicKey>> {
    const places = new Set(
      [...this.#rings.values()].flatMap((rings) => rings.flatMap((ring) => ring.places)),
    );
    const keysAt = new Map<string, PublicKey>();
    const { store } = this.#context;
    for (let last = 0; ;) {
      const page = store.read((r) => r.outputs.ringPlaces(last, OUTPUTS_AT_ONCE));
      for (const { publicKey, place } of page) if (places.has(place)) keysAt.set(place, publicKey);
      last = page.at(-1)?.number ?? last;
      if (page.length < OUTPUTS_AT_ONCE) return keysAt;
      await yieldToEventLoop();
      assertRuns();
    }
  }

  async #confirm({ confirmed }: KeyImageCorrection, assertRuns: AssertRuns): Promise<void> {
    const { store } = this.#context;
    for (let start = 0; start < confirmed.length; start += CONFIRMED_AT_ONCE) {
      if (start > 0) {
        await betweenWrites(store);
        assertRuns();
      }
      store.writeRecoverable((w) => {
        for (const one of confirmed.slice(start, start + CONFIRMED_AT_ONCE)) w.importedKeyImages.confirm(one);
      });
    }
  }

  /** Forgets the rings of decided transactions, and reports the spends that their rings do not decide. */
  #keepUndecided(): void {
    const left = this.#spendsNow();
    const names = left.map(nameOf);
    const spends = names.filter((name) => !this.#undecided.has(name)).length;
    if (spends > 0)
      this.#context.log.warn(
        { spends },
        'spends of key images of an earlier version may be those of other outputs: import_key_images decides it',
      );
    this.#undecided = new Set(names);
    const undecided = new Set(left.map(({ txHash }) => toHex(txHash)));
    for (const name of this.#rings.keys()) if (!undecided.has(name)) this.#rings.delete(name);
  }

  #report({ moved, found, forgotten }: KeyImageCorrection): void {
    const { log } = this.#context;
    log.info(
      { moved: moved.length, found: found.length, forgotten: forgotten.length },
      'key images of an earlier version belonged to other outputs and were corrected',
    );
    if (forgotten.length > 0)
      log.warn(
        { outputs: forgotten.length },
        'the key images of outputs are unknown: import_key_images shows which of them are spent',
      );
  }
}

const notSent = (hash: Hash): WalletError =>
  new WalletError({
    kind: 'daemon_misbehaves',
    reason: `it does not send transaction ${toHex(hash)}, which it had in a block`,
  });

/** Returns, for each input, the places of its ring members in the chain. */
const ringsOf = ({ prefix }: Transaction): InputRing[] =>
  prefix.inputs.flatMap((input) =>
    input.type === 'key'
      ? [
          {
            keyImage: input.keyImage,
            places: ringIndices(input.keyOffsets).map((index) => ringPlaceOf(input.amount, index)),
          },
        ]
      : [],
  );
