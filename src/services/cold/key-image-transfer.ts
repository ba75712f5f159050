import type { KeyImageStatus } from '../../daemon/daemon.js';
import { amount, type Amount } from '../../util/amount.js';
import { equalBytes, toHex } from '../../util/bytes.js';
import { yieldToEventLoop } from '../../util/yield-to-event-loop.js';
import { WalletError } from '../../wallet/model/wallet-error.js';
import type { LocatedOutput, SignedKeyImage } from '../../wallet/scan/key-images.js';
import { spendSecretIn } from '../../wallet/keys.js';
import type { ImportedKeyImage } from '../../wallet/model/records.js';
import { resolveKeyImages } from '../../store/resolve-key-images.js';
import type { WalletReader } from '../../store/wallet-reader.js';
import { UNKNOWN_TX, type ImportFacts } from '../../store/tables/output-row.js';
import type { OutputRange } from '../../store/tables/outputs.js';
import type { WalletContext } from '../context/wallet-context.js';
import type { WalletSync } from '../sync/wallet-sync.js';
import { outputPages } from './output-pages.js';

type Context = Pick<WalletContext, 'assertOpen' | 'daemon' | 'keystore' | 'store' | 'workers'>;

/** Sibling services. */
interface Services {
  readonly sync: WalletSync;
}

/** Consecutive key images of a wallet, in the order in which their outputs were received. */
export interface KeyImageExport {
  /** Position of the first one among the outputs. */
  readonly first: number;
  readonly images: readonly SignedKeyImage[];
}

/** Result of an import of key images. */
export interface KeyImageImport {
  /** Height of the last output with an imported key image; 0 without any. */
  readonly height: number;
  readonly spent: Amount;
  readonly unspent: Amount;
}

/** An output that an import of key images covers. */
interface CoveredOutput extends ImportFacts {
  /** Whether the wallet computed its key image, or has a proof of it. */
  readonly isProven: boolean;
}

/** Whether an imported key image is known already, with a proof. */
const isKnown = ({ isProven, keyImage: known }: CoveredOutput, { keyImage }: SignedKeyImage): boolean =>
  isProven && known !== undefined && equalBytes(known, keyImage);

/** Key images that are stored in one transaction: some milliseconds. */
const STORED_AT_ONCE = 64;

const UNSPENT: KeyImageStatus = 0;
const SPENT_IN_CHAIN: KeyImageStatus = 1;

/** Exports signed key images for a wallet without a spend key, and imports them there. */
export class KeyImageTransfer {
  readonly #context: Context;
  readonly #services: Services;

  constructor(context: Context, services: Services) {
    this.#context = context;
    this.#services = services;
  }

  /**
   * @param all false: from the first key image on that the last import of outputs requested.
   * @throws WalletError `view_only`, `multisig_refused`. Source: wallet2.cpp `export_key_images`.
   */
  async export(all: boolean): Promise<KeyImageExport> {
    const { viewSecret } = this.#context.keystore.keys;
    const spendSecret = spendSecretIn(this.#context.keystore.keys);
    const { first, imported } = this.#context.store.read((r) => {
      const imported = r.imported.list();
      const isOffline = imported.length > 0;
      const wanted = all ? 0 : imported.findIndex(({ requested }) => requested);
      return { first: wanted >= 0 ? wanted : isOffline ? imported.length : r.outputs.count(), imported };
    });
    const outputs =
      imported.length > 0 ? imported.slice(first).map(locatedOf) : await this.#located({ first });
    const images = await this.#context.workers.keyImages.sign(outputs, {
      viewSecret: viewSecret.expose(),
      spendSecret,
    });
    return { first, images };
  }

  async #located(range: OutputRange): Promise<LocatedOutput[]> {
    const located: LocatedOutput[] = [];
    const pages = outputPages(this.#context, range, (r, page) => r.outputs.inOrder(page).map(locatedOf));
    for await (const page of pages) for (const output of page) located.push(output);
    return located;
  }

  /**
   * Verifies and stores key images, and asks the daemon which are spent. Such spends become payments of this wallet.
   * @param first position of the output with the first key image.
   * @throws WalletError `daemon_untrusted`, `invalid`, `wrong_signature`: nothing is stored then. DaemonError
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
    const outputs: CoveredOutput[] = [];
    const pages = outputPages(this.#context, { count: end }, (r, page) => this.#covered(page, r));
    for await (const page of pages) for (const output of page) outputs.push(output);
    const covered = outputs.slice(first);
    await this.#verify(covered, images, first);
    if (this.#context.keystore.isViewOnly) await this.#store(covered, images);
    const statuses =
      images.length === 0
        ? []
        : await daemon.client().isKeyImageSpent(images.map(({ keyImage }) => keyImage));
    this.#applyStatuses(covered, statuses);
    const totals = { spent: 0n, unspent: 0n };
    for (const [place, { amount: value, frozen, isSpent: wasSpent }] of outputs.entries()) {
      if (frozen) continue;
      const isSpent = place < first ? wasSpent : statuses[place - first] !== UNSPENT;
      totals[isSpent ? 'spent' : 'unspent'] += value;
    }
    return {
      height: outputs.at(-1)?.height ?? 0,
      spent: amount(totals.spent),
      unspent: amount(totals.unspent),
    };
  }

  #covered(range: OutputRange, r: WalletReader): CoveredOutput[] {
    const { isViewOnly } = this.#context.keystore;
    return r.outputs.importFacts(range).map((facts) => ({
      ...facts,
      isProven: !isViewOnly || r.importedKeyImages.isProven(facts.publicKey),
    }));
  }

  /** Stores verified key images, some in each transaction, and flushes them to disk. */
  async #store(outputs: readonly CoveredOutput[], images: readonly SignedKeyImage[]): Promise<void> {
    const { store, assertOpen } = this.#context;
    const fresh = outputs.flatMap((output, i) => {
      const signed = images[i];
      if (signed === undefined || isKnown(output, signed)) return [];
      return [{ publicKey: output.publicKey, keyImage: signed.keyImage, proven: true }];
    });
    for (let at = 0; at < fresh.length; at += STORED_AT_ONCE) {
      if (at > 0) await yieldToEventLoop();
      assertOpen();
      const part = fresh.slice(at, at + STORED_AT_ONCE);
      this.#watch(store.writeRecoverable((w) => resolveKeyImages(w, part)));
    }
    await store.flushToDisk();
  }

  /** Stores key images and recognises spends of their outputs: earlier ones in the store, later ones in the scan. */
  record(keyImages: readonly ImportedKeyImage[]): void {
    this.#watch(this.#context.store.write((w) => resolveKeyImages(w, keyImages)));
  }

  #watch(added: readonly ImportedKeyImage[]): void {
    if (added.length > 0) this.#services.sync.watchKeyImages(added);
  }

  /** @throws WalletError `invalid` for a point outside the group, `wrong_signature` for a wrong signature. */
  async #verify(
    outputs: readonly CoveredOutput[],
    images: readonly SignedKeyImage[],
    first: number,
  ): Promise<void> {
    const claims = outputs.flatMap((output, i) => {
      const signed = images[i];
      if (signed === undefined || isKnown(output, signed)) return [];
      return [{ publicKey: output.publicKey, signed, place: first + i }];
    });
    const verdicts = await this.#context.workers.keyImages.verify(
      claims.map(({ publicKey, signed }) => ({ publicKey, signed })),
    );
    for (const [i, { publicKey, signed, place }] of claims.entries()) {
      // As in upstream: position among the outputs, over the number of imported key images.
      const which = `${place}/${images.length}, key image ${toHex(signed.keyImage)}`;
      if (verdicts[i] === 'outside')
        throw new WalletError({
          kind: 'invalid',
          reason: 'a key image is not in the prime-order subgroup',
          text: `Key image out of validity domain: input ${which}`,
        });
      if (verdicts[i] === 'unproven')
        throw new WalletError({
          kind: 'wrong_signature',
          reason: 'the signature of a key image is not valid for its output',
          text: `Signature check failed ${which}, signature ${toHex(signed.signature)}, pubkey ${toHex(publicKey)}`,
        });
    }
  }

  /**
   * Marks outputs spent or unspent as the daemon reports. An output spent in the chain without a known transaction was
   * spent by another wallet with these keys, in a payment without change; a rescan finds that payment.
   */
  #applyStatuses(outputs: readonly CoveredOutput[], statuses: readonly KeyImageStatus[]): void {
    this.#context.store.write((w) => {
      const unknownSpends = new Map(
        w.outputs
          .spentBy(UNKNOWN_TX)
          .filter(({ burnt }) => !burnt)
          .map((output) => [toHex(output.publicKey), output]),
      );
      for (const [i, { publicKey, isSpent }] of outputs.entries()) {
        if (statuses[i] === UNSPENT) {
          if (unknownSpends.size === 0) continue;
          const output = unknownSpends.get(toHex(publicKey));
          if (output !== undefined) w.outputs.markUnspent(output);
        } else if (statuses[i] === SPENT_IN_CHAIN && !isSpent) {
          const output = w.outputs.byPublicKey(publicKey);
          if (output !== undefined) w.outputs.markSpentByUnknown(output, true);
        }
      }
    });
  }
}

const locatedOf = ({ publicKey, outputIndex, derivationKey, subaddress }: LocatedOutput): LocatedOutput => ({
  publicKey,
  outputIndex,
  derivationKey,
  subaddress,
});
