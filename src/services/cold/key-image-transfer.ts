import type { KeyImage, PublicKey } from '../../monero/crypto/types.js';
import { SPENT_IN_CHAIN, UNSPENT, type KeyImageStatus } from '../../daemon/daemon.js';
import type { Amount } from '../../util/amount.js';
import { equalBytes, toHex } from '../../util/bytes.js';
import { Mutex } from '../../util/concurrency.js';
import { WalletError } from '../../model/wallet-error.js';
import type { LocatedOutput, SignedKeyImage, ImportedKeyImage } from '../../monero/wallet/scan/key-images.js';
import { spendSecretIn } from '../../monero/wallet/keys.js';
import type { OwnedOutput } from '../../monero/wallet/scan/findings.js';
import { betweenWrites } from '../../store/between-writes.js';
import { resolveKeyImages } from '../../store/resolve-key-images.js';
import { UNKNOWN_TX } from '../../store/tables/output-row.js';
import type { WalletContext } from '../context/wallet-context.js';
import { confirmUnspent } from '../sync/newest-block.js';
import type { WalletSync } from '../sync/wallet-sync.js';
import { CoveredOutputs } from './covered-outputs.js';
import { KeyImageOwners, type PlacedClaim } from './key-image-owners.js';
import { outputPages } from '../context/paged-reader.js';

type Context = Pick<WalletContext, 'assertOpen' | 'daemon' | 'keystore' | 'locks' | 'store' | 'workers'>;

/** Other services of the wallet that this service calls. */
interface Services {
  readonly sync: WalletSync;
}

/** Consecutive key images of a wallet, in the order in which their outputs were received. */
export interface KeyImageExport {
  /** Position of the output of the first key image among all outputs. */
  readonly first: number;
  readonly images: readonly SignedKeyImage[];
}

/** Result of an import of key images. */
export interface KeyImageImport {
  /** Height of the last output with an imported key image; 0 without imported key images. */
  readonly height: number;
  readonly spent: Amount;
  readonly unspent: Amount;
}

/** An output about which the daemon is asked whether its key image is spent. */
interface StatedOutput {
  readonly keyImage: KeyImage;
  readonly publicKey: PublicKey;
  /** Position of the output among all outputs. */
  readonly place: number;
  /** True if the store had a spend of this key image by a seen transaction before the import. */
  readonly hasSeenSpend: boolean;
}

/** Number of key images that are stored in one transaction: some milliseconds. */
const STORED_AT_ONCE = 64;

const isSameKey = (a: Uint8Array | undefined, b: Uint8Array): boolean => a !== undefined && equalBytes(a, b);

const notComputed = (): WalletError =>
  new WalletError({
    kind: 'invalid',
    reason:
      'the key images of its outputs are known, but this wallet has no whole spend key to sign them with',
    text: 'key_image generated not matched with cached key image',
  });

/** Exports signed key images for a wallet without the spend key, and imports them into such a wallet. */
export class KeyImageTransfer {
  readonly #context: Context;
  readonly #services: Services;
  readonly #recording = new Mutex();

  constructor(context: Context, services: Services) {
    this.#context = context;
    this.#services = services;
  }

  /**
   * Signs key images. A wallet without a whole spend key exports an empty range or fails.
   * @param all true: all key images; false: from the first output that the last import of outputs requested; in a
   * view-only wallet from the first output without a key image.
   * @throws WalletError `view_only` if key images are unknown, `invalid` if this wallet cannot compute known key
   * images. Source: wallet2.cpp `export_key_images`.
   */
  async export(all: boolean): Promise<KeyImageExport> {
    const { keys, isViewOnly } = this.#context.keystore;
    const { first, count, imported, unknown } = this.#context.store.read((r) => {
      const isOffline = !r.imported.isEmpty();
      const count = isOffline ? r.imported.count() : r.outputs.count();
      const unknown = isViewOnly ? r.outputs.firstWithoutKeyImage({ proven: false }) : undefined;
      const first = all ? 0 : (unknown ?? r.imported.firstRequested() ?? count);
      return { first, count, imported: isOffline ? r.imported.list(first) : undefined, unknown };
    });
    if (first === count) return { first, images: [] };
    if (unknown === undefined && (isViewOnly || keys.multisig !== undefined)) throw notComputed();
    const spendSecret = spendSecretIn(keys);
    const outputs = imported?.map(locatedOf) ?? (await this.#located(first, count));
    const images = await this.#context.workers.keyImages.sign(outputs, {
      viewSecret: keys.viewSecret.expose(),
      spendSecret,
    });
    return { first, images };
  }

  /** Reads the outputs from a place to the end of the list. Does not search for a place that is the end. */
  async #located(first: number, count: number): Promise<LocatedOutput[]> {
    const located: LocatedOutput[] = [];
    if (first === count) return located;
    const pages = outputPages(this.#context, { first }, (r, part, most) => r.outputs.exportFacts(part, most));
    for await (const page of pages) for (const output of page) located.push(locatedOf(output));
    return located;
  }

  /**
   * Verifies and stores key images, then asks the daemon which key images are spent. Records the spends as payments of
   * this wallet.
   * @param first position of the output of the first key image. A key image whose output had that position before a
   * reorganisation is stored for the output that its signature fits.
   * @throws WalletError `daemon_untrusted`, `invalid`, `wrong_signature`: nothing is stored then. @throws DaemonError
   * Source: wallet2.cpp `import_key_images`.
   */
  async import(images: readonly SignedKeyImage[], first: number): Promise<KeyImageImport> {
    const { store, daemon } = this.#context;
    if (!daemon.trusted) throw new WalletError({ kind: 'daemon_untrusted' });
    const end = first + images.length;
    const total = store.read((r) => r.outputs.count());
    if (first > total)
      throw new WalletError({
        kind: 'invalid',
        reason: 'the offset exceeds the number of known outputs',
        text: 'Offset larger than known outputs',
      });
    if (end > total)
      throw new WalletError({
        kind: 'invalid',
        reason: 'there are more key images than outputs: the wallet is behind the chain',
        text: 'The blockchain is out of date compared to the signed key images',
      });
    const outputs = new CoveredOutputs(end);
    const claims: PlacedClaim[] = [];
    const pages = outputPages(this.#context, { count: end }, (r, part, most) =>
      r.outputs.importFacts(part, most),
    );
    const { isViewOnly } = this.#context.keystore;
    for await (const page of pages)
      for (const facts of page) {
        const place = outputs.count;
        const signed = place < first ? undefined : images[place - first];
        // A wallet with a spend key computed its key images itself.
        const isCertain = !isViewOnly || facts.isProven;
        const isKnown = isCertain && signed !== undefined && isSameKey(facts.keyImage, signed.keyImage);
        const { publicKey, isCarrot } = facts;
        if (signed !== undefined && !isKnown) claims.push({ publicKey, signed, place, isCarrot });
        outputs.add(facts);
      }
    const owners = await new KeyImageOwners(this.#context).find(claims, images.length);
    if (isViewOnly)
      await this.record(
        owners.map(({ publicKey, signed: { keyImage } }) => ({ publicKey, keyImage, proven: true })),
      );
    const stated = images.map(({ keyImage }, i): StatedOutput => {
      const place = first + i;
      const hasSeenSpend = outputs.hasSeenSpend(place);
      return { keyImage, publicKey: outputs.publicKey(place), place, hasSeenSpend };
    });
    // The import removed a spend that was recorded for another key image of this output.
    for (const { publicKey, signed, place, ownPlace } of owners)
      stated[place - first] = { keyImage: signed.keyImage, publicKey, place: ownPlace, hasSeenSpend: false };
    const statuses = await this.#askSpent(stated);
    const byPlace = new Map(stated.map(({ place }, i) => [place, statuses[i]]));
    return {
      height: outputs.height,
      ...outputs.totals((place) => {
        const status = byPlace.get(place);
        return status === undefined ? outputs.isSpent(place) : status !== UNSPENT;
      }),
    };
  }

  /**
   * Stores key images, some in each transaction, and flushes them to disk. Finds the spends of their outputs: earlier
   * spends in the store, later spends in the scan. Cancels a running refresh, which then starts again, if a key image
   * replaces another key image.
   * @throws WalletError `no_wallet` if the wallet is closed meanwhile.
   */
  record(keyImages: readonly ImportedKeyImage[]): Promise<void> {
    return this.#recording.run(() => this.#record(keyImages));
  }

  async #record(keyImages: readonly ImportedKeyImage[]): Promise<void> {
    const { store, assertOpen } = this.#context;
    const contradicting: ImportedKeyImage[] = [];
    for (let at = 0; at < keyImages.length; at += STORED_AT_ONCE) {
      if (at > 0) await betweenWrites(store);
      assertOpen();
      const part = keyImages.slice(at, at + STORED_AT_ONCE);
      const { fresh, others } = store.read((r) => ({
        fresh: part.filter((one) => !r.importedKeyImages.contradicts(one)),
        others: part.filter(
          (one) => r.importedKeyImages.contradicts(one) && r.importedKeyImages.accepts(one),
        ),
      }));
      contradicting.push(...others);
      if (fresh.length > 0) this.#watch(store.writeRecoverable((w) => resolveKeyImages(w, fresh)));
    }
    // The changes are made in one transaction, because a spend that is removed from one output may belong to another of
    // the outputs.
    if (contradicting.length > 0)
      await this.#services.sync.cancelAndRun(() => {
        store.write((w) => resolveKeyImages(w, contradicting));
        return Promise.resolve();
      });
    await store.flushToDisk();
  }

  #watch(added: readonly ImportedKeyImage[]): void {
    if (added.length > 0) this.#services.sync.watchKeyImages(added);
  }

  /**
   * Asks the daemon which key images are spent, and records its answer. The scanner must know the key images before the
   * call, because it finds the spends in blocks that the daemon receives after its answer.
   * @returns the status of each output. @throws DaemonError
   */
  async #askSpent(outputs: readonly StatedOutput[]): Promise<readonly KeyImageStatus[]> {
    if (outputs.length === 0) return [];
    const { daemon, locks } = this.#context;
    return locks.spentStates.run(async () => {
      const statuses = await daemon.client().isKeyImageSpent(outputs.map(({ keyImage }) => keyImage));
      const settled = await this.#settle(outputs, statuses);
      this.#applyStatuses(outputs, settled);
      return settled;
    });
  }

  /**
   * Decides the status of each output from the daemon's answer. Asks a second time about recorded spends that the
   * daemon denies. A scanned spend stays, and so does every recorded spend if the daemon lacks the newest scanned
   * block.
   * @throws DaemonError
   */
  async #settle(
    outputs: readonly StatedOutput[],
    statuses: readonly KeyImageStatus[],
  ): Promise<readonly KeyImageStatus[]> {
    const unknown = new Set(this.#unknownSpends().map(({ publicKey }) => toHex(publicKey)));
    const isDenied = ({ publicKey }: StatedOutput, i: number): boolean =>
      statuses[i] === UNSPENT && unknown.has(toHex(publicKey));
    const denied = outputs.filter(isDenied).map(({ keyImage }) => keyImage);
    const again = denied.length === 0 ? [] : await confirmUnspent(this.#context, denied);
    const confirmed = new Map(denied.map((keyImage, i) => [keyImage, again?.[i] ?? SPENT_IN_CHAIN]));
    return outputs.map((output, i) => {
      const status = confirmed.get(output.keyImage) ?? statuses[i] ?? UNSPENT;
      return output.hasSeenSpend && status === UNSPENT ? SPENT_IN_CHAIN : status;
    });
  }

  /** Reads the outputs that the daemon reported as spent by a transaction which the wallet has not seen. */
  #unknownSpends(): readonly OwnedOutput[] {
    return this.#context.store.read((r) => r.outputs.spentBy(UNKNOWN_TX)).filter(({ burnt }) => !burnt);
  }

  /**
   * Marks outputs spent or unspent according to their status. An output spent in the chain by an unknown transaction
   * was spent by another wallet with the same keys, in a payment without change; a rescan finds this payment.
   */
  #applyStatuses(outputs: readonly StatedOutput[], statuses: readonly KeyImageStatus[]): void {
    this.#context.store.write((w) => {
      const unknownSpends = new Map(this.#unknownSpends().map((output) => [toHex(output.publicKey), output]));
      for (const [i, { publicKey, hasSeenSpend }] of outputs.entries()) {
        const status = statuses[i];
        if (status === UNSPENT) {
          if (unknownSpends.size === 0) continue;
          const output = unknownSpends.get(toHex(publicKey));
          if (output !== undefined) w.outputs.markUnspent(output);
        } else if (status === SPENT_IN_CHAIN && !hasSeenSpend) {
          const output = w.outputs.byPublicKey(publicKey);
          if (output !== undefined) w.outputs.markSpentByUnknown(output, true);
        }
      }
    });
  }
}

const locatedOf = ({
  publicKey,
  outputIndex,
  derivationKey,
  subaddress,
  carrot,
}: LocatedOutput): LocatedOutput => ({
  ...{ publicKey, outputIndex, derivationKey, subaddress },
  ...(carrot && { carrot }),
});
