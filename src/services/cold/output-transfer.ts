import type { KeyImage, PublicKey } from '../../crypto/types.js';
import type { WalletWriter } from '../../store/wallet-writer.js';
import { amount } from '../../util/amount.js';
import { concatBytes, equalBytes, fromHex, isHex } from '../../util/bytes.js';
import { CodecError, encode } from '../../util/codec.js';
import { Mutex } from '../../util/mutex.js';
import { WalletError } from '../../wallet/model/wallet-error.js';
import {
  outputExport,
  readOutputExport,
  type ExportedOutput,
  type OutputExport,
} from '../../wallet/exchange/exported-outputs.js';
import { ExportError } from '../../wallet/exchange/export-blob.js';
import type { LocatedOutput, OutputHint } from '../../wallet/scan/key-images.js';
import { spendSecretIn } from '../../wallet/keys.js';
import type { ImportedOutput, OwnedOutput } from '../../wallet/model/records.js';
import type { Accounts } from '../accounts/accounts.js';
import type { WalletContext } from '../context/wallet-context.js';
import type { WalletSync } from '../sync/wallet-sync.js';

type Context = Pick<WalletContext, 'exportFormat' | 'exports' | 'keystore' | 'log' | 'store' | 'workers'>;

/** Sibling services. */
interface Services {
  readonly accounts: Accounts;
  readonly sync: WalletSync;
}

/** Which of a wallet's outputs are exported. */
export interface ExportRange {
  /** From `start` on; else from the first whose key image is not proven. */
  readonly all: boolean;
  readonly start: number;
  /** At most so many. */
  readonly count: number;
}

/** Outputs that another wallet told of, found to be ours and not written yet. */
export interface TakenOutputs {
  readonly outputs: readonly ImportedOutput[];
  readonly write: (w: WalletWriter) => void;
}

/** An imported output that lies further into its transaction is refused. Source: wallet2.cpp `import_outputs`. */
const MAX_OUTPUT_INDEX = 65_535;

const KEY_BYTES = 32;

/** @param text upstream's message for it. */
const invalid = (reason: string, text?: string, cause?: unknown): WalletError =>
  new WalletError({ kind: 'invalid', reason, ...(text === undefined ? {} : { text }) }, { cause });

/** Source: wallet2.cpp `import_outputs_from_str`, `decrypt`. */
const NOT_OPENED: Readonly<Record<ExportError['part'], string>> = {
  magic: 'Bad magic from outputs',
  size: 'Failed to decrypt outputs: Unexpected ciphertext size',
  signature: 'Failed to decrypt outputs: Failed to authenticate ciphertext',
};

const NOT_IMPORTED = 'Failed to import outputs';

/** Tells a wallet that is offline of this one's outputs, and takes what one in touch with the chain tells. */
export class OutputTransfer {
  readonly #context: Context;
  readonly #services: Services;
  readonly #taking = new Mutex();

  constructor(context: Context, services: Services) {
    this.#context = context;
    this.#services = services;
  }

  /** Has this wallet read the chain itself? Then nobody tells it of its outputs. */
  isHot(): boolean {
    return this.#context.store.read((r) => r.chain.tip()) !== undefined;
  }

  /** @throws WalletError `invalid` for a range that makes no sense. */
  async export(range: ExportRange): Promise<Uint8Array> {
    if (range.count === 0) throw invalid('count is at least 1');
    if (!range.all && range.start > 0) throw invalid('start is for all outputs: give all too');
    const { spendPublicKey, viewPublicKey } = this.#context.keystore.keys;
    const { exports, exportFormat, log } = this.#context;
    if (exportFormat === 'current')
      log.info(
        {},
        'outputs exported; a wallet of release 0.18.0 reads them only with --export-format 0.18.0 here',
      );
    const body = encode(outputExport[exportFormat], this.list(range));
    return exports.seal('outputs', concatBytes(spendPublicKey, viewPublicKey, body));
  }

  /** Source: wallet2.cpp `export_outputs`. */
  list({ all, start, count }: ExportRange): OutputExport {
    return this.#context.store.read((r) => {
      const imported = r.imported.list();
      const own =
        imported.length > 0
          ? imported.map((output) => fromImported(output))
          : r.outputs.inOrder().map((output) => this.#fromOwned(output));
      const isDone = ({ flags }: ExportedOutput): boolean => flags.keyImageKnown && !flags.keyImageRequested;
      const wanted = all ? start : own.findIndex((output) => !isDone(output));
      const first = wanted < 0 ? own.length : Math.min(wanted, own.length);
      return { first, total: own.length, outputs: own.slice(first, first + count) };
    });
  }

  /** What a signer must be told to sign. The first 0.18 forgets all it knows when it is told nothing. */
  forSigner(): OutputExport {
    const news = this.list({ all: false, start: 0, count: Infinity });
    if (this.#context.exportFormat === 'current' || news.outputs.length > 0 || news.total === 0) return news;
    return this.list({ all: true, start: news.total - 1, count: 1 });
  }

  /** Of the first so many outputs, in their order. */
  keyImages(total: number): KeyImage[] {
    const known = this.#context.store.read((r): readonly { readonly keyImage?: KeyImage }[] => {
      const imported = r.imported.list();
      return imported.length > 0 ? imported : r.outputs.inOrder();
    });
    return known.slice(0, total).map(({ keyImage }) => keyImage ?? (new Uint8Array(KEY_BYTES) as KeyImage));
  }

  /**
   * A wallet that reads the chain itself knows its outputs, and nothing changes.
   * @param countKnown outputs known to such a wallet are counted; else it refuses all, as upstream.
   * @returns how many outputs are known up to the last of these; of an offline wallet, all that were imported so
   * far; zero when the blob has none.
   * @throws WalletError `bad_hex`; `invalid` also where a wallet that reads the chain does not know one of them.
   */
  async importBlob(hex: string, countKnown: boolean): Promise<number> {
    if (!isHex(hex)) throw new WalletError({ kind: 'bad_hex', what: 'outputs_data_hex' });
    const told = await this.#read(fromHex(hex));
    const isHot = this.isHot();
    if (isHot && !countKnown)
      throw invalid(
        'a wallet that reads the chain itself imports no outputs',
        'Hot wallets cannot import outputs',
      );
    if (told.outputs.length === 0) return 0;
    if (isHot) return this.#countKnown(told);
    await this.take(told);
    return this.#context.store.read((r) => r.imported.list()).length;
  }

  /** @throws WalletError `invalid` for an output that is not known: only a refresh can add it. */
  #countKnown({ first, outputs }: OutputExport): number {
    const known = this.#context.store.read((r) =>
      outputs.every(({ publicKey }) => r.outputs.byPublicKey(publicKey) !== undefined),
    );
    if (!known) throw invalid('a wallet that reads the chain itself takes no outputs that it does not know');
    return first + outputs.length;
  }

  /**
   * Takes outputs that another wallet told of. One that was told of already stays; where one contradicts what
   * was told before, all from there on is told anew.
   * @throws WalletError `invalid` when outputs before these are missing, or one is not ours: nothing is changed.
   */
  take(told: OutputExport): Promise<void> {
    return this.taking(told, ({ write }) => this.#context.store.write(write));
  }

  /** {@link take} as a part of something larger, which writes them, or fails and leaves all as it is. */
  taking<T>(told: OutputExport, task: (taken: TakenOutputs) => T | Promise<T>): Promise<T> {
    return this.#taking.run(async () => task(await this.#look(told)));
  }

  async #look({ first, outputs }: OutputExport): Promise<TakenOutputs> {
    const { store } = this.#context;
    const { keys } = this.#context.keystore;
    const known = store.read((r) => r.imported.list());
    if (first > known.length)
      throw invalid(
        'outputs before the first of these are missing: export all of them',
        'Imported outputs omit more outputs that we know of',
      );
    const fresh = outputs.filter((output, i) => !isSame(output, known[first + i]));
    const located = await this.locate(fresh);
    const { viewSecret } = keys;
    if (this.#context.keystore.isViewOnly) throw invalid('a view-only wallet cannot make key images');
    const images = await this.#context.workers.keyImages.derive(located, {
      viewSecret: viewSecret.expose(),
      spendSecret: spendSecretIn(keys),
    });
    const derived = new Map(
      fresh.map((output, i) => [output, { located: located[i], keyImage: images[i] }] as const),
    );
    const taken = outputs.map((output, i): ImportedOutput => {
      const made = derived.get(output);
      const before = known[first + i];
      const facts = {
        globalIndex: output.globalIndex,
        amount: amount(output.amount),
        rct: output.flags.rct,
        spent: output.flags.spent,
        frozen: output.flags.frozen,
      };
      if (made?.located !== undefined && made.keyImage !== undefined)
        return { ...made.located, ...facts, keyImage: made.keyImage, requested: true };
      if (before === undefined) throw new Error('an output that is not new was not known');
      return { ...before, ...facts, requested: !isSettled(output) };
    });
    const contradicts = outputs.some((output, i) => {
      const before = known[first + i];
      return before !== undefined && !isSame(output, before);
    });
    const write = (w: WalletWriter): void => {
      w.imported.clearRequests();
      w.imported.put(first, taken, contradicts);
      // An address beyond the lookahead can be claimed without being in use.
      for (const { subaddress } of taken) if (w.subaddresses.has(subaddress)) w.accounts.reach(subaddress);
    };
    return { outputs: taken, write };
  }

  /** Finds the addresses that outputs pay. @throws WalletError `invalid` for an output that is not ours. */
  async locate(
    outputs: readonly (OutputHint & { readonly subaddress?: ExportedOutput['subaddress'] })[],
  ): Promise<LocatedOutput[]> {
    if (outputs.some(({ outputIndex }) => outputIndex > MAX_OUTPUT_INDEX))
      throw invalid(
        'an output lies too far into its transaction',
        'internal output index seems outrageously high, rejecting',
      );
    const { store } = this.#context;
    const { keys } = this.#context.keystore;
    const { accounts } = this.#services;
    // What a refresh does for others, nobody did for a wallet that is always offline.
    if (!this.isHot()) await this.#services.sync.watchAhead();
    const found = await this.#context.workers.keyImages.locate(outputs, {
      viewSecret: keys.viewSecret.expose(),
    });
    return outputs.map((output, i) => {
      for (const { derivationKey, spendPublicKey } of found[i] ?? []) {
        const stated = output.subaddress;
        const subaddress =
          store.read((r) => r.subaddresses.find(spendPublicKey)) ??
          (stated !== undefined && equalBytes(accounts.decoded(stated).spendPublicKey, spendPublicKey)
            ? stated
            : undefined);
        const { publicKey, outputIndex } = output;
        if (subaddress !== undefined) return { publicKey, outputIndex, derivationKey, subaddress };
      }
      throw invalid('an output is not of this wallet');
    });
  }

  async #read(blob: Uint8Array): Promise<OutputExport> {
    const { spendPublicKey, viewPublicKey } = this.#context.keystore.keys;
    try {
      const plain = await this.#context.exports.open('outputs', blob);
      const header = plain.subarray(0, 2 * KEY_BYTES);
      if (!equalBytes(header, concatBytes(spendPublicKey, viewPublicKey)))
        throw invalid('the outputs are of another wallet', 'Outputs from are for a different account');
      return readOutputExport(plain.subarray(2 * KEY_BYTES));
    } catch (cause) {
      if (!(cause instanceof CodecError)) throw cause;
      const text = cause instanceof ExportError ? NOT_OPENED[cause.part] : NOT_IMPORTED;
      throw invalid(`the outputs cannot be read: ${cause.message}`, text, cause);
    }
  }

  #fromOwned(output: OwnedOutput): ExportedOutput {
    const { publicKey, outputIndex, globalIndex, derivationKey, subaddress } = output;
    const known = output.keyImage !== undefined;
    return {
      publicKey,
      outputIndex,
      globalIndex,
      txPublicKey: derivationKey,
      flags: {
        spent: output.spentBy !== undefined,
        frozen: output.frozen,
        rct: output.rct,
        keyImageKnown: known,
        keyImageRequested: this.#context.keystore.isViewOnly && !this.#isProven(publicKey),
        keyImagePartial: false,
      },
      amount: output.amount,
      additionalKeys: [],
      subaddress,
    };
  }

  #isProven(publicKey: PublicKey): boolean {
    return this.#context.store.read((r) => r.importedKeyImages.of(publicKey)?.proven) ?? false;
  }
}

const isSettled = ({ flags }: ExportedOutput): boolean => flags.keyImageKnown && !flags.keyImageRequested;

/** Would it have the same key image? */
const isSame = (told: ExportedOutput, known: ImportedOutput | undefined): boolean =>
  known !== undefined &&
  told.outputIndex === known.outputIndex &&
  equalBytes(told.publicKey, known.publicKey);

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
});
