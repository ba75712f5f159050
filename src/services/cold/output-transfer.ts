import type { KeyImage, PublicKey } from '../../monero/crypto/types.js';
import type { ExportFacts } from '../../store/tables/output-row.js';
import type { OutputRange } from '../../store/tables/outputs.js';
import type { WalletReader } from '../../store/wallet-reader.js';
import type { WalletWriter } from '../../store/wallet-writer.js';
import { amount } from '../../util/amount.js';
import { zip } from '../../util/zip.js';
import { concatBytes, equalBytes, fromHex, isHex, toHex } from '../../util/bytes.js';
import { CodecError } from '../../util/codec.js';
import { Mutex } from '../../util/concurrency.js';
import { WalletError } from '../../model/wallet-error.js';
import {
  FormatTooOld,
  outputExport,
  readForkExport,
  readOutputExport,
  writeOutputExport,
  type ExportedOutput,
  type ExportFormat,
  type OutputExport,
} from '../../monero/wallet/exchange/exported-outputs.js';
import { ExportError, isExportOf } from '../../monero/wallet/exchange/export-blob.js';
import { wipeDerivations, type LocatedOutput } from '../../monero/wallet/scan/key-images.js';
import { spendSecretIn } from '../../monero/wallet/keys.js';
import type { ImportedOutput } from '../../store/tables/imported-outputs.js';
import type { Accounts } from '../accounts/accounts.js';
import type { WalletContext } from '../context/wallet-context.js';
import type { WalletSync } from '../sync/wallet-sync.js';
import { outputPages } from '../context/paged-reader.js';
import { OutputLocator, type ClaimedOutput } from './output-locator.js';

type Context = Pick<
  WalletContext,
  'assertOpen' | 'exportFormat' | 'exports' | 'keystore' | 'log' | 'store' | 'workers'
>;

/** Other services of the wallet that this service calls. */
interface Services {
  readonly accounts: Accounts;
  readonly sync: WalletSync;
}

/** Range of outputs to export. */
export interface ExportRange {
  /** True: the range begins at `start`; false: at the first output without a proven key image. */
  readonly all: boolean;
  readonly start: number;
  /** Largest number of exported outputs. */
  readonly count: number;
}

/** Start of a range of outputs, in the list of all outputs. */
interface RangeStart {
  readonly first: number;
  /** Number of outputs of the wallet. */
  readonly total: number;
  /** True for a wallet that imported its outputs; false for a wallet that reads the chain itself. */
  readonly isOffline: boolean;
}

/** Outputs of an import, verified to belong to this wallet and not stored yet. */
export interface ImportedOutputs {
  readonly outputs: readonly ImportedOutput[];
  readonly write: (w: WalletWriter) => void;
}

const KEY_BYTES = 32;

const NO_KEY_IMAGE = new Uint8Array(KEY_BYTES) as KeyImage;

/** Creates a WalletError `invalid`. @param text the reference's message. */
const invalid = (reason: string, text?: string, cause?: unknown): WalletError =>
  new WalletError({ kind: 'invalid', reason, ...(text === undefined ? {} : { text }) }, { cause });

/**
 * The reference's message for an export that cannot be read, by the part that fails. Source: wallet2.cpp
 * `import_outputs_from_str`, `decrypt`.
 */
const NOT_OPENED: Readonly<Record<ExportError['part'], string>> = {
  magic: 'Bad magic from outputs',
  size: 'Failed to decrypt outputs: Unexpected ciphertext size',
  signature: 'Failed to decrypt outputs: Failed to authenticate ciphertext',
};

const NOT_IMPORTED = 'Failed to import outputs';

/** Exports outputs for an offline wallet with the same keys, and imports them into such a wallet. */
export class OutputTransfer {
  readonly #context: Context;
  readonly #services: Services;
  readonly #locator: OutputLocator;
  readonly #importing = new Mutex();

  constructor(context: Context, services: Services) {
    this.#context = context;
    this.#services = services;
    this.#locator = new OutputLocator(context, services);
  }

  /** True if this wallet reads the chain itself; such a wallet imports no outputs. */
  isHot(): boolean {
    return this.#locator.isHot();
  }

  /** Exports a range of outputs, encrypted with the view key. @throws WalletError `invalid` for an invalid range. */
  async export(range: ExportRange): Promise<Uint8Array> {
    if (range.count === 0) throw invalid('count is at least 1');
    if (!range.all && range.start > 0) throw invalid('start requires all');
    const { spendPublicKey, viewPublicKey } = this.#context.keystore.keys;
    const { exports, exportFormat, log } = this.#context;
    if (exportFormat === 'current')
      log.info(
        {},
        'outputs were exported in the current format; for a wallet of release 0.18.0, set --export-format 0.18.0',
      );
    const keys = concatBytes(spendPublicKey, viewPublicKey);
    try {
      return await exports.seal('outputs', await this.#write(range, outputExport[exportFormat], keys));
    } catch (error) {
      if (!(error instanceof FormatTooOld)) throw error;
      log.info({}, 'outputs in the form of the fork were exported: only this server reads the export');
      return exports.seal('forkOutputs', await this.#write(range, outputExport.fork, keys));
    }
  }

  /**
   * Encodes the outputs of a range while it reads them from the store. Source: wallet2.cpp `export_outputs`.
   * @param before bytes that precede the range.
   * @throws FormatTooOld for an output in the form of the fork, except in its own layout.
   */
  #write(
    range: ExportRange,
    layout: (typeof outputExport)[ExportFormat],
    before?: Uint8Array,
  ): Promise<Uint8Array> {
    const { first, count, total, imported } = this.#context.store.read((r) => {
      const start = this.#startOf(range, r);
      const count = Math.min(range.count, start.total - start.first);
      return { ...start, count, imported: start.isOffline ? r.imported.list(start.first, count) : undefined };
    });
    const pages = imported === undefined ? this.#owned({ first, count }) : [imported.map(fromImported)];
    return writeOutputExport(layout, { first, total, count }, pages, before);
  }

  #startOf({ all, start }: ExportRange, r: WalletReader): RangeStart {
    const isOffline = !r.imported.isEmpty();
    const total = isOffline ? r.imported.count() : r.outputs.count();
    const firstUnsettled = (): number | undefined =>
      isOffline
        ? r.imported.firstRequested()
        : r.outputs.firstWithoutKeyImage({ proven: this.#context.keystore.isViewOnly });
    return { first: Math.min((all ? start : firstUnsettled()) ?? total, total), total, isOffline };
  }

  /**
   * Encodes the outputs that a signer needs, at least one: release 0.18.0 drops all its outputs when it imports an
   * empty list.
   * @throws WalletError `no_wallet` if the wallet is closed meanwhile; `invalid` for outputs in the form of the fork, for which sets
   * of transactions have no place.
   */
  async forSigner(): Promise<Uint8Array> {
    try {
      return await this.#forSigner(outputExport[this.#context.exportFormat]);
    } catch (cause) {
      if (!(cause instanceof FormatTooOld)) throw cause;
      const reason =
        'the signing wallet does not know outputs in the form of the fork yet: exchange outputs and key images first';
      throw invalid(reason, undefined, cause);
    }
  }

  #forSigner(layout: (typeof outputExport)[ExportFormat]): Promise<Uint8Array> {
    const fresh = { all: false, start: 0, count: Infinity };
    const { first, total } = this.#context.store.read((r) => this.#startOf(fresh, r));
    const isEmpty = first === total && total > 0;
    if (this.#context.exportFormat === 'current' || !isEmpty) return this.#write(fresh, layout);
    return this.#write({ all: true, start: total - 1, count: 1 }, layout);
  }

  /**
   * Lists the key images of all outputs of an exporting wallet, at the places that its export gives; zeros for unknown
   * key images. Only the reference uses the places; this server uses {@link keyImagesByKey}.
   */
  async keyImages({ first, outputs, total }: OutputExport): Promise<KeyImage[]> {
    const imported = this.#context.store.read((r) => r.imported.keyImages(total));
    if (imported.length > 0) return imported;
    const keyImages: KeyImage[] = [];
    const pages = outputPages(this.#context, { count: total }, (r, part, most) =>
      r.outputs.importFacts(part, most),
    );
    for await (const page of pages) for (const { keyImage } of page) keyImages.push(keyImage ?? NO_KEY_IMAGE);
    const known = new Map(this.keyImagesByKey({ first, outputs }).map(([key, image]) => [toHex(key), image]));
    outputs.forEach(({ publicKey }, i) => {
      keyImages[first + i] = known.get(toHex(publicKey)) ?? NO_KEY_IMAGE;
    });
    return keyImages;
  }

  /** Pairs the output keys of an export with the key images that this wallet knows. */
  keyImagesByKey({
    first,
    outputs,
  }: Pick<OutputExport, 'first' | 'outputs'>): (readonly [PublicKey, KeyImage])[] {
    return this.#context.store.read((r) => {
      const there = r.imported.list(first, outputs.length);
      const imported = new Map(there.map((one) => [toHex(one.publicKey), one.keyImage]));
      return outputs.flatMap(({ publicKey }): (readonly [PublicKey, KeyImage])[] => {
        const keyImage = imported.get(toHex(publicKey)) ?? r.outputs.byPublicKey(publicKey)?.keyImage;
        return keyImage === undefined ? [] : [[publicKey, keyImage]];
      });
    });
  }

  /**
   * Imports outputs into an offline wallet. Changes nothing in a wallet that reads the chain itself.
   * @param countKnown for a wallet that reads the chain itself: true counts known outputs; false refuses the import, as
   * the reference does.
   * @returns the number of outputs imported so far; for a wallet that reads the chain itself, the position after the
   * last output of the export; 0 for an export without outputs.
   * @throws WalletError `bad_hex`; `invalid`, also for an output unknown to a wallet that reads the chain itself.
   */
  async importBlob(hex: string, countKnown: boolean): Promise<number> {
    if (!isHex(hex)) throw new WalletError({ kind: 'bad_hex', what: 'outputs_data_hex' });
    const exported = await this.#read(fromHex(hex));
    const isHot = this.isHot();
    if (isHot && !countKnown)
      throw invalid(
        'a wallet that reads the chain itself imports no outputs',
        'Hot wallets cannot import outputs',
      );
    if (exported.outputs.length === 0) return 0;
    if (isHot) return this.#countKnown(exported);
    await this.import(exported);
    return this.#context.store.read((r) => r.imported.count());
  }

  /**
   * Returns the position after the last output of an export.
   * @throws WalletError `invalid` for an unknown output: only a refresh can add it.
   */
  #countKnown({ first, outputs }: OutputExport): number {
    const known = this.#context.store.read((r) =>
      outputs.every(({ publicKey }) => r.outputs.byPublicKey(publicKey) !== undefined),
    );
    if (!known) throw invalid('a wallet that reads the chain itself imports no unknown outputs');
    return first + outputs.length;
  }

  /**
   * Imports outputs. Keeps outputs that were imported before; if an output differs at its position, replaces all
   * outputs from this position on.
   * @throws WalletError `invalid` if earlier outputs are missing, or an output does not belong to this wallet; then
   * nothing is changed.
   */
  import(exported: OutputExport): Promise<void> {
    return this.importWith(exported, ({ write }) => this.#context.store.write(write));
  }

  /** Runs a task with the outputs of an export, verified as in {@link import}; the task writes them to the store. */
  importWith<T>(exported: OutputExport, task: (imported: ImportedOutputs) => T | Promise<T>): Promise<T> {
    return this.#importing.run(async () => task(await this.#prepare(exported)));
  }

  async #prepare({ first, outputs }: OutputExport): Promise<ImportedOutputs> {
    const { store } = this.#context;
    const { keys } = this.#context.keystore;
    const { count, known } = store.read((r) => ({
      count: r.imported.count(),
      known: r.imported.list(first, outputs.length),
    }));
    if (first > count)
      throw invalid(
        'outputs before the first of these are missing: export all of them',
        'Imported outputs omit more outputs that we know of',
      );
    const fresh = outputs.filter((output, i) => !isSame(output, known[i]));
    const located = await this.#locator.locateExported(fresh);
    const { viewSecret } = keys;
    let images: readonly KeyImage[];
    try {
      if (this.#context.keystore.isViewOnly) throw invalid('a view-only wallet cannot make key images');
      images = await this.#context.workers.keyImages.derive(located, {
        viewSecret: viewSecret.expose(),
        spendSecret: spendSecretIn(keys),
      });
    } finally {
      wipeDerivations(located);
    }
    await this.#locator.watch(located.map(({ subaddress }) => subaddress));
    const derived = new Map(
      zip(fresh, located, images).map(([output, { derivation: _wiped, ...rest }, keyImage]) => [
        output,
        { ...rest, keyImage },
      ]),
    );
    const imported = outputs.map((output, i): ImportedOutput => {
      const added = derived.get(output);
      const before = known[i];
      const facts = {
        globalIndex: output.globalIndex,
        amount: amount(output.amount),
        rct: output.flags.rct,
        spent: output.flags.spent,
        frozen: output.flags.frozen,
      };
      if (added !== undefined) return { ...added, ...facts, requested: true };
      if (before === undefined) throw new Error('an output is neither new nor known');
      return { ...before, ...facts, requested: !isKeyImageSettled(output) };
    });
    const replaces = outputs.some((output, i) => {
      const before = known[i];
      return before !== undefined && !isSame(output, before);
    });
    const write = (w: WalletWriter): void => {
      w.imported.clearRequests();
      w.imported.put(first, imported, replaces);
      const paid = new Map(imported.map(({ subaddress: to }) => [`${to.major}/${to.minor}`, to]));
      const { accounts } = this.#services;
      for (const index of paid.values())
        if (w.subaddresses.find(accounts.decoded(index).spendPublicKey) !== undefined)
          w.accounts.reach(index);
    };
    return { outputs: imported, write };
  }

  /** Finds outputs of the old form as {@link OutputLocator.locate}. @throws WalletError `invalid` */
  locate(outputs: readonly ClaimedOutput[]): Promise<LocatedOutput[]> {
    return this.#locator.locate(outputs);
  }

  async #read(blob: Uint8Array): Promise<OutputExport> {
    const { spendPublicKey, viewPublicKey } = this.#context.keystore.keys;
    try {
      const isOfFork = isExportOf('forkOutputs', blob);
      const plain = await this.#context.exports.open(isOfFork ? 'forkOutputs' : 'outputs', blob);
      const header = plain.subarray(0, 2 * KEY_BYTES);
      if (!equalBytes(header, concatBytes(spendPublicKey, viewPublicKey)))
        throw invalid('the outputs belong to another wallet', 'Outputs from are for a different account');
      return (isOfFork ? readForkExport : readOutputExport)(plain.subarray(2 * KEY_BYTES));
    } catch (cause) {
      if (!(cause instanceof CodecError)) throw cause;
      const text = cause instanceof ExportError ? NOT_OPENED[cause.part] : NOT_IMPORTED;
      throw invalid(`the outputs cannot be read: ${cause.message}`, text, cause);
    }
  }

  #owned(range: OutputRange): AsyncIterable<readonly ExportedOutput[]> {
    const { isViewOnly } = this.#context.keystore;
    return outputPages(this.#context, range, (r, part, most) => {
      const { page, rest } = r.outputs.exportFacts(part, most);
      return { page: page.map((facts) => fromOwned(facts, isViewOnly)), rest };
    });
  }
}

/** True if the exporting wallet has a proven key image of an output. */
const isKeyImageSettled = ({ flags }: ExportedOutput): boolean =>
  flags.keyImageKnown && !flags.keyImageRequested;

/** True if an exported output and an imported output are the same output with the same key image. */
const isSame = (exported: ExportedOutput, known: ImportedOutput | undefined): boolean =>
  known !== undefined &&
  exported.outputIndex === known.outputIndex &&
  equalBytes(exported.publicKey, known.publicKey) &&
  isSameForm(exported, known);

/** True if both have the old form, or the form of the fork with the same amount, which was verified once. */
const isSameForm = (
  { context, amount: value }: ExportedOutput,
  { carrot, ...known }: ImportedOutput,
): boolean =>
  context === undefined || carrot === undefined
    ? context === carrot
    : value === known.amount && equalBytes(context, carrot.context);

const fromOwned = (facts: ExportFacts, isViewOnly: boolean): ExportedOutput => ({
  publicKey: facts.publicKey,
  outputIndex: facts.outputIndex,
  globalIndex: facts.globalIndex,
  txPublicKey: facts.derivationKey,
  flags: {
    spent: facts.isSpent,
    frozen: facts.frozen,
    rct: facts.rct,
    keyImageKnown: facts.hasKeyImage,
    keyImageRequested: isViewOnly && !facts.isProven,
    keyImagePartial: false,
  },
  amount: facts.amount,
  additionalKeys: [],
  subaddress: facts.subaddress,
  ...(facts.carrot && { context: facts.carrot.context }),
});

const fromImported = (output: ImportedOutput): ExportedOutput => ({
  publicKey: output.publicKey,
  outputIndex: output.outputIndex,
  globalIndex: output.globalIndex,
  txPublicKey: output.derivationKey,
  flags: {
    spent: output.spent,
    frozen: output.frozen,
    rct: output.rct,
    keyImageKnown: true,
    keyImageRequested: output.requested,
    keyImagePartial: false,
  },
  amount: output.amount,
  additionalKeys: [],
  subaddress: output.subaddress,
  ...(output.carrot && { context: output.carrot.context }),
});
