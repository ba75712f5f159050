import { publicKeyOf } from '../../crypto/derivation.js';
import { keccak } from '../../crypto/keccak.js';
import type { Hash, KeyImage, PublicKey } from '../../crypto/types.js';
import { DaemonError } from '../../daemon/errors.js';
import { composeKeyImages } from '../../store/resolve-key-images.js';
import { equalBytes, fromHex, isHex, toHex } from '../../util/bytes.js';
import { CodecError, decode, encode } from '../../util/codec.js';
import { ExportError } from '../../wallet/exchange/export-blob.js';
import { WalletError } from '../../wallet/model/wallet-error.js';
import { groupAccountOf } from '../../wallet/keys.js';
import type { MultisigAccount } from '../../wallet/multisig/account.js';
import { nonceCount, shareCounts, signerInfo, type SignerInfo } from '../../wallet/multisig/info.js';
import { refused } from '../../wallet/multisig/kex-round.js';
import type { OwnedOutput } from '../../wallet/model/records.js';
import { MultisigProblem } from '../workers/multisig-pool.js';
import type { WalletContext } from '../context/wallet-context.js';
import type { WalletSync } from '../sync/wallet-sync.js';

type Context = Pick<WalletContext, 'exports' | 'keystore' | 'locks' | 'log' | 'store' | 'workers'>;

/** Sibling services. */
interface Services {
  readonly sync: WalletSync;
}

/** Source: wallet2.cpp `import_multisig`, `decrypt`. */
const NOT_OPENED: Readonly<Record<ExportError['part'], string>> = {
  magic: 'Bad multisig info file magic in ',
  size: 'Unexpected ciphertext size',
  signature: 'Failed to authenticate ciphertext',
};

/** What another signer told, with its name. */
interface Word {
  readonly told: SignerInfo;
  readonly digest: Hash;
}

/** Tells the other signers of this wallet's outputs, and takes what they tell: key images and nonces come of it. */
export class MultisigInfoTransfer {
  readonly #context: Context;
  readonly #services: Services;

  constructor(context: Context, services: Services) {
    this.#context = context;
    this.#services = services;
  }

  /**
   * Parts of key images, and fresh nonces for what is not spent; with nonces of an export before this one
   * nothing can be signed any more. @throws WalletError `not_multisig`
   */
  export(): Promise<Uint8Array> {
    const { store, exports, locks } = this.#context;
    const { keys } = this.#context.keystore;
    return locks.payment.run(async () => {
      const account = groupAccountOf(keys);
      const outputs = store.read((r) => r.outputs.inOrder());
      const count = nonceCount(account);
      const signer = publicKeyOf(account.signerSecret);
      const fresh = await this.#context.workers.multisig.run('tell', {
        outputs: outputs.map(({ publicKey, spentHeight }) => ({
          publicKey,
          nonces: spentHeight === undefined ? count : 0,
        })),
        signer,
        shares: account.shares,
      });
      const { spendPublicKey, viewPublicKey } = keys;
      const told = { spendPublicKey, viewPublicKey, signer, outputs: fresh.map(({ info }) => info) };
      const blob = await exports.seal('multisigInfo', encode(signerInfo, told));
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
   * Takes what others told; it replaces all that they told before. Key images come of it, and spends of their
   * outputs that the chain held already are recognised.
   * @param refresh afterwards, where a daemon can be asked. @returns of how many outputs all of them told.
   * @throws WalletError `too_few_signers`, `bad_hex`, `multisig_refused`: nothing was changed then.
   */
  async import(texts: readonly string[], refresh: boolean): Promise<number> {
    const { threshold } = groupAccountOf(this.#context.keystore.keys);
    if (texts.length + 1 < threshold)
      throw new WalletError({ kind: 'too_few_signers', needed: threshold - 1, given: texts.length });
    for (const text of texts) if (!isHex(text)) throw new WalletError({ kind: 'bad_hex', what: 'info' });
    const count = await this.#services.sync.undisturbed(() => this.#import(texts));
    if (refresh) await this.#refresh();
    return count;
  }

  async #refresh(): Promise<void> {
    try {
      await this.#services.sync.refresh();
    } catch (error) {
      if (!(error instanceof DaemonError)) throw error;
      this.#context.log.warn({ kind: error.kind }, 'multisig info was imported; the daemon cannot be asked');
    }
  }

  async #import(texts: readonly string[]): Promise<number> {
    const { store } = this.#context;
    const { keys } = this.#context.keystore;
    const account = groupAccountOf(keys);
    const outputs = store.read((r) => r.outputs.inOrder());
    const words = await this.#others(texts, account, outputs.length);
    if (words.length + 1 < account.threshold)
      throw refused(
        `info of ${account.threshold - 1} other signers is needed, ${words.length} was given: have more of them export theirs`,
        'Wrong number of multisig sources',
      );
    const count = Math.min(outputs.length, ...words.map(({ told }) => told.outputs.length));
    if (count === 0) return 0;
    const named = outputs.slice(0, count);
    const infosOf = (place: number) => words.flatMap(({ told }) => told.outputs[place] ?? []);
    const images = await this.#compose(account, named, infosOf);
    store.write((w) => {
      for (const { told, digest } of words) w.multisig.setLatestInfo(told.signer, digest);
      w.multisig.replaceInfos(named.map(({ publicKey }, i) => ({ publicKey, infos: infosOf(i) })));
      composeKeyImages(w, images);
    });
    this.#services.sync.lookAgain();
    return count;
  }

  /** Key images of those outputs that nothing mined is known to spend. */
  async #compose(
    { shares, commonSecret, ...group }: MultisigAccount,
    named: readonly OwnedOutput[],
    infosOf: (place: number) => SignerInfo['outputs'],
  ): Promise<{ readonly publicKey: PublicKey; readonly keyImage: KeyImage }[]> {
    const open = named.flatMap((output, i) => {
      const infos = infosOf(i);
      return output.spentHeight !== undefined || this.#isKnown(output, infos) ? [] : [{ output, infos }];
    });
    const images = await this.#refusing(
      this.#context.workers.multisig.run('compose', {
        outputs: open.map(({ output: { publicKey, outputIndex, derivationKey, subaddress }, infos }) => ({
          output: { publicKey, outputIndex, derivationKey, subaddress },
          told: partsIn(infos),
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

  /** The same parts gave its key image before. */
  #isKnown({ publicKey, keyImage }: OwnedOutput, infos: SignerInfo['outputs']): boolean {
    if (keyImage === undefined) return false;
    const before = this.#context.store.read((r) => r.multisig.infos(publicKey));
    return isSameSet(partsIn(before), partsIn(infos));
  }

  /** What other signers told, each once. @throws WalletError `multisig_refused` */
  async #others(texts: readonly string[], account: MultisigAccount, known: number): Promise<Word[]> {
    const own = publicKeyOf(account.signerSecret);
    const words = new Map<string, Word>();
    for (const text of texts) {
      const told = await this.#read(text);
      const name = toHex(told.signer);
      if (equalBytes(told.signer, own) || words.has(name)) continue;
      const { viewPublicKey } = this.#context.keystore.keys;
      // What it tells of outputs that are not known here is not used.
      const outputs = told.outputs.slice(0, known);
      await this.#refusing(
        this.#context.workers.multisig.run('check', { told: { ...told, outputs }, account, viewPublicKey }),
      );
      const digest = keccak(encode(signerInfo, told));
      if (this.#context.store.read((r) => r.multisig.isSuperseded(digest)))
        throw refused(
          `the info of signer ${name} is stale, a later one of its was imported since: have it export anew`,
        );
      words.set(name, { told, digest });
    }
    return [...words.values()];
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

  async #refusing<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (cause) {
      if (!(cause instanceof MultisigProblem)) throw cause;
      throw refused(`multisig info cannot be used: ${cause.message}`, undefined, cause);
    }
  }
}

const partsIn = (infos: SignerInfo['outputs']): KeyImage[] =>
  infos.flatMap(({ partialKeyImages }) => partialKeyImages);

function isSameSet(a: readonly KeyImage[], b: readonly KeyImage[]): boolean {
  const [left, right] = [new Set(a.map(toHex)), new Set(b.map(toHex))];
  return left.size === right.size && [...left].every((part) => right.has(part));
}
