import { publicKeyOf } from '../../monero/crypto/derivation.js';
import { keccak } from '../../monero/crypto/keccak.js';
import type { Hash, KeyImage, PublicKey } from '../../monero/crypto/types.js';
import { DaemonError } from '../../daemon/errors.js';
import { composeKeyImages } from '../../store/resolve-key-images.js';
import { equalBytes, fromHex, isHex, toHex } from '../../util/bytes.js';
import { CodecError, decode, encode } from '../../util/codec.js';
import { ExportError } from '../../monero/wallet/exchange/export-blob.js';
import { WalletError } from '../../model/wallet-error.js';
import { groupAccountOf } from '../../monero/wallet/keys.js';
import type { MultisigAccount } from '../../monero/wallet/multisig/account.js';
import { nonceCount, shareCounts, signerInfo, type SignerInfo } from '../../monero/wallet/multisig/info.js';
import { infoByOutput, namedInfo } from '../../monero/wallet/multisig/named-info.js';
import { refused } from '../../monero/wallet/multisig/kex-round.js';
import type { OwnedOutput } from '../../monero/wallet/scan/findings.js';
import { MultisigProblem } from '../workers/worker-pools.js';
import type { WalletContext } from '../context/wallet-context.js';
import type { WalletSync } from '../sync/wallet-sync.js';

type Context = Pick<WalletContext, 'exports' | 'keystore' | 'locks' | 'log' | 'store' | 'workers'>;

/** Other services of the wallet that this service calls. */
interface Services {
  readonly sync: WalletSync;
}

/**
 * The reference's message for signer info that cannot be read, by the part that fails. Source: wallet2.cpp
 * `import_multisig`, `decrypt`.
 */
const NOT_OPENED: Readonly<Record<ExportError['part'], string>> = {
  magic: 'Bad multisig info file magic in ',
  size: 'Unexpected ciphertext size',
  signature: 'Failed to authenticate ciphertext',
};

/** Signer info of one other signer, by output key [hex], with its hash. */
interface ImportedInfo {
  readonly signer: PublicKey;
  readonly byOutput: ReadonlyMap<string, SignerInfo['outputs'][number]>;
  readonly digest: Hash;
}

/**
 * Exports the signer info of this wallet, and imports the info of other signers, from which key images and nonces are
 * computed.
 */
export class MultisigInfoTransfer {
  readonly #context: Context;
  readonly #services: Services;

  constructor(context: Context, services: Services) {
    this.#context = context;
    this.#services = services;
  }

  /**
   * Exports partial key images, and fresh nonces for unspent outputs. The fresh nonces replace the nonces of earlier
   * exports, which can no longer be used to sign. Leaves out outputs in the form of the fork, for which signers have no format
   * yet: their key images stay unknown. @throws WalletError `not_multisig`
   */
  export(): Promise<Uint8Array> {
    const { store, exports, locks, log } = this.#context;
    const { keys } = this.#context.keystore;
    return locks.payment.run(async () => {
      const account = groupAccountOf(keys);
      const { outputs, left } = this.#outputs();
      if (left > 0)
        log.warn(
          { outputs: left },
          'multisig info lacks outputs in the form of the fork: their key images cannot be computed, and spends of them not be seen',
        );
      const count = nonceCount(account);
      const signer = publicKeyOf(account.signerSecret);
      const fresh = await this.#context.workers.multisig.run('createInfo', {
        outputs: outputs.map(({ publicKey, spentHeight }) => ({
          publicKey,
          nonces: spentHeight === undefined ? count : 0,
        })),
        signer,
        shares: account.shares,
      });
      const { spendPublicKey, viewPublicKey } = keys;
      const infos = outputs.flatMap(({ publicKey }, i) => {
        const info = fresh[i]?.info;
        return info === undefined ? [] : [namedInfo(info, publicKey)];
      });
      const own = { spendPublicKey, viewPublicKey, signer, outputs: infos };
      const blob = await exports.seal('multisigInfo', encode(signerInfo, own));
      store.write((w) => {
        w.multisig.replaceNonces(
          outputs.map(({ publicKey }, i) => ({ publicKey, nonces: fresh[i]?.secrets ?? [] })),
        );
      });
      for (const { secrets } of fresh) for (const secret of secrets) secret.fill(0);
      return blob;
    });
  }

  /**
   * Imports the signer info of other signers in place of earlier info. Computes key images from the info, and finds
   * spends of their outputs in blocks that were scanned already.
   * @param refresh true: refreshes the wallet afterwards, if a daemon can be reached.
   * @returns the number of outputs for which every signer gave info.
   * @throws WalletError `too_few_signers`, `bad_hex`, `multisig_refused`, after which nothing is changed.
   */
  async import(texts: readonly string[], refresh: boolean): Promise<number> {
    const { threshold } = groupAccountOf(this.#context.keystore.keys);
    if (texts.length + 1 < threshold)
      throw new WalletError({ kind: 'too_few_signers', needed: threshold - 1, given: texts.length });
    for (const text of texts) if (!isHex(text)) throw new WalletError({ kind: 'bad_hex', what: 'info' });
    const count = await this.#services.sync.runExclusive(() => this.#import(texts));
    if (refresh) await this.#refresh();
    return count;
  }

  /** Reads the outputs of the old form, in their order. `left`: number of the others. */
  #outputs(): { readonly outputs: readonly OwnedOutput[]; readonly left: number } {
    const all = this.#context.store.read((r) => r.outputs.inOrder());
    const outputs = all.filter(({ carrot }) => carrot === undefined);
    return { outputs, left: all.length - outputs.length };
  }

  async #refresh(): Promise<void> {
    try {
      await this.#services.sync.refresh();
    } catch (error) {
      if (!(error instanceof DaemonError)) throw error;
      this.#context.log.warn(
        { kind: error.kind },
        'multisig info was imported; the refresh after it failed, as the daemon cannot be used',
      );
    }
  }

  async #import(texts: readonly string[]): Promise<number> {
    const { store } = this.#context;
    const { keys } = this.#context.keystore;
    const account = groupAccountOf(keys);
    const { outputs } = this.#outputs();
    const imported = await this.#readInfos(texts, account, outputs);
    if (imported.length + 1 < account.threshold)
      throw refused(
        `info of ${account.threshold - 1} other signers is needed, ${imported.length} was given: have more of them export theirs`,
        'Wrong number of multisig sources',
      );
    const covered = outputs.filter(({ publicKey }) =>
      imported.every(({ byOutput }) => byOutput.has(toHex(publicKey))),
    );
    if (covered.length === 0) return 0;
    const infosOf = ({ publicKey }: OwnedOutput) =>
      imported.flatMap(({ byOutput }) => byOutput.get(toHex(publicKey)) ?? []);
    const images = await this.#keyImages(account, covered, infosOf);
    store.write((w) => {
      for (const { signer, digest } of imported) w.multisig.setLatestInfo(signer, digest);
      w.multisig.replaceInfos(
        covered.map((output) => ({ publicKey: output.publicKey, infos: infosOf(output) })),
      );
      composeKeyImages(w, images);
    });
    this.#services.sync.restartScan();
    return covered.length;
  }

  /** Computes the key images of outputs without a mined spend whose key image is missing or changed. */
  async #keyImages(
    { shares, commonSecret, ...group }: MultisigAccount,
    covered: readonly OwnedOutput[],
    infosOf: (output: OwnedOutput) => SignerInfo['outputs'],
  ): Promise<{ readonly publicKey: PublicKey; readonly keyImage: KeyImage }[]> {
    const open = covered.flatMap((output) => {
      const infos = infosOf(output);
      return output.spentHeight !== undefined || this.#isUnchanged(output, infos) ? [] : [{ output, infos }];
    });
    const images = await this.#refusing(
      this.#context.workers.multisig.run('combineKeyImages', {
        outputs: open.map(({ output: { publicKey, outputIndex, derivationKey, subaddress }, infos }) => ({
          output: { publicKey, outputIndex, derivationKey, subaddress },
          imported: partsIn(infos),
        })),
        keys: { viewSecret: commonSecret, shares },
        count: shareCounts(group).all,
      }),
    );
    return open.flatMap(({ output: { publicKey } }, i) => {
      const keyImage = images[i];
      return keyImage === undefined ? [] : [{ publicKey, keyImage }];
    });
  }

  /** True if the key image of an output was computed from the same partial key images. */
  #isUnchanged({ publicKey, keyImage }: OwnedOutput, infos: SignerInfo['outputs']): boolean {
    if (keyImage === undefined) return false;
    const before = this.#context.store.read((r) => r.multisig.infos(publicKey));
    return isSameSet(partsIn(before), partsIn(infos));
  }

  /**
   * Reads and verifies the info of other signers; of several texts of one signer, only the first text counts. @throws
   * WalletError `multisig_refused`
   */
  async #readInfos(
    texts: readonly string[],
    account: MultisigAccount,
    known: readonly OwnedOutput[],
  ): Promise<ImportedInfo[]> {
    const own = publicKeyOf(account.signerSecret);
    const bySigner = new Map<string, ImportedInfo>();
    for (const text of texts) {
      const info = await this.#read(text);
      const signer = toHex(info.signer);
      if (equalBytes(info.signer, own) || bySigner.has(signer)) continue;
      const { viewPublicKey } = this.#context.keystore.keys;
      const byOutput = this.#byOutput(info, known);
      const outputs = [...byOutput.values()];
      await this.#refusing(
        this.#context.workers.multisig.run('verifyInfo', {
          info: { ...info, outputs },
          account,
          viewPublicKey,
        }),
      );
      const digest = keccak(encode(signerInfo, info));
      if (this.#context.store.read((r) => r.multisig.isSuperseded(digest)))
        throw refused(
          `the info of signer ${signer} is stale: a later one was imported already; have that signer export anew`,
        );
      bySigner.set(signer, { signer: info.signer, byOutput, digest });
    }
    return [...bySigner.values()];
  }

  /**
   * Finds the outputs to which signer info belongs; leaves out info of outputs that this wallet does not know.
   * @returns info by output key [hex].
   * @throws WalletError `multisig_refused` for info that contradicts itself or earlier info.
   */
  #byOutput(
    { signer, outputs: infos }: SignerInfo,
    known: readonly OwnedOutput[],
  ): Map<string, SignerInfo['outputs'][number]> {
    const found = this.#context.store.read((r) =>
      infoByOutput(
        infos,
        known.map(({ publicKey }) => ({
          publicKey,
          earlier: r.multisig.infos(publicKey).find((one) => equalBytes(one.signer, signer)),
        })),
      ),
    );
    if (found === undefined)
      throw refused(
        `the info of signer ${toHex(signer)} contradicts what it exported before: have that signer refresh and export anew; if it has, rescan_blockchain with hard forgets the earlier info`,
      );
    return found;
  }

  async #read(text: string): Promise<SignerInfo> {
    try {
      return decode(signerInfo, await this.#context.exports.open('multisigInfo', fromHex(text)));
    } catch (cause) {
      if (!(cause instanceof CodecError)) throw cause;
      const text = cause instanceof ExportError ? NOT_OPENED[cause.part] : undefined;
      throw refused(`multisig info cannot be used: ${cause.message}`, text, cause);
    }
  }

  /** Waits for a task. @throws WalletError `multisig_refused` in place of a MultisigProblem. */
  async #refusing<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (cause) {
      if (!(cause instanceof MultisigProblem)) throw cause;
      throw refused(`multisig info cannot be used: ${cause.message}`, undefined, cause);
    }
  }
}

/** Lists the partial key images of all signers for one output. */
const partsIn = (infos: SignerInfo['outputs']): KeyImage[] =>
  infos.flatMap(({ partialKeyImages }) => partialKeyImages);

function isSameSet(a: readonly KeyImage[], b: readonly KeyImage[]): boolean {
  const [left, right] = [new Set(a.map(toHex)), new Set(b.map(toHex))];
  return left.size === right.size && [...left].every((part) => right.has(part));
}
