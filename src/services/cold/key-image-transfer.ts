import type { KeyImageStatus } from '../../daemon/daemon.js';
import { sum, type Amount } from '../../util/amount.js';
import { equalBytes, toHex } from '../../util/bytes.js';
import { WalletError } from '../../wallet/model/wallet-error.js';
import type { LocatedOutput, SignedKeyImage } from '../../wallet/scan/key-images.js';
import { spendSecretIn } from '../../wallet/keys.js';
import type { OwnedOutput, ImportedKeyImage } from '../../wallet/model/records.js';
import { isUnknownSpend, resolveKeyImages } from '../../store/resolve-key-images.js';
import type { WalletContext } from '../context/wallet-context.js';
import type { WalletSync } from '../sync/wallet-sync.js';

type Context = Pick<WalletContext, 'daemon' | 'keystore' | 'store' | 'workers'>;

/** Sibling services. */
interface Services {
  readonly sync: WalletSync;
}

/** A run of a wallet's key images, in the order in which it received their outputs. */
export interface KeyImageExport {
  /** Place of the first. */
  readonly first: number;
  readonly images: readonly SignedKeyImage[];
}

/** What is known once key images were taken. */
export interface KeyImageImport {
  /** Of the last output that they are of; 0 for none. */
  readonly height: number;
  readonly spent: Amount;
  readonly unspent: Amount;
}

/** What the daemon says of a key image that nothing spends. */
const UNSPENT: KeyImageStatus = 0;
const SPENT_IN_CHAIN: KeyImageStatus = 1;

/** Proves key images to a wallet without a spend key, and takes such proofs. */
export class KeyImageTransfer {
  readonly #context: Context;
  readonly #services: Services;

  constructor(context: Context, services: Services) {
    this.#context = context;
    this.#services = services;
  }

  /**
   * @param all else from the first on that was asked for by the last import of outputs.
   * @throws WalletError `view_only`, `multisig_refused`. Source: wallet2.cpp `export_key_images`.
   */
  async export(all: boolean): Promise<KeyImageExport> {
    const { viewSecret } = this.#context.keystore.keys;
    const spendSecret = spendSecretIn(this.#context.keystore.keys);
    const { outputs, wanted } = this.#context.store.read((r) => {
      const imported = r.imported.list();
      if (imported.length === 0) return { outputs: r.outputs.inOrder(), wanted: -1 };
      return { outputs: imported, wanted: imported.findIndex(({ requested }) => requested) };
    });
    const first = all ? 0 : wanted < 0 ? outputs.length : wanted;
    const images = await this.#context.workers.keyImages.sign(outputs.slice(first).map(locatedOf), {
      viewSecret: viewSecret.expose(),
      spendSecret,
    });
    return { first, images };
  }

  /**
   * Takes key images, finds out which are spent, and recognises those spends as payments of this wallet.
   * @param first place of the output that the first is of.
   * @throws WalletError `daemon_untrusted`, `invalid`, `wrong_signature`: nothing was taken then. DaemonError
   * Source: wallet2.cpp `import_key_images`.
   */
  async import(images: readonly SignedKeyImage[], first: number): Promise<KeyImageImport> {
    const { store, daemon } = this.#context;
    if (!daemon.trusted) throw new WalletError({ kind: 'daemon_untrusted' });
    const outputs = store.read((r) => r.outputs.inOrder());
    if (first > outputs.length)
      throw new WalletError({
        kind: 'invalid',
        reason: 'the offset lies beyond the outputs that are known',
        text: 'Offset larger than known outputs',
      });
    if (images.length > outputs.length - first)
      throw new WalletError({
        kind: 'invalid',
        reason: 'there are more key images than outputs: the wallet is behind the chain',
        text: 'The blockchain is out of date compared to the signed key images',
      });
    const named = outputs.slice(first, first + images.length);
    await this.#prove(named, images, first);
    if (this.#context.keystore.isViewOnly)
      this.learn(
        named.flatMap(({ publicKey }, i) => {
          const keyImage = images[i]?.keyImage;
          return keyImage === undefined ? [] : [{ publicKey, keyImage, proven: true }];
        }),
      );
    const statuses =
      images.length === 0
        ? []
        : await daemon.client().isKeyImageSpent(images.map(({ keyImage }) => keyImage));
    this.#followDaemon(named, statuses);
    const judged = outputs.slice(0, first + images.length).filter(({ frozen }) => !frozen);
    const isSpent = (output: OwnedOutput): boolean => {
      const place = named.indexOf(output);
      return place < 0 ? output.spentBy !== undefined : statuses[place] !== UNSPENT;
    };
    return {
      height: outputs[first + images.length - 1]?.height ?? 0,
      spent: sum(judged.filter(isSpent).map((output) => output.amount)),
      unspent: sum(judged.filter((output) => !isSpent(output)).map((output) => output.amount)),
    };
  }

  /** Spends of these outputs are recognised, those read already and those to come. */
  learn(told: readonly ImportedKeyImage[]): void {
    const news = this.#context.store.write((w) => resolveKeyImages(w, told));
    if (news.length > 0) this.#services.sync.expectSpends(news);
  }

  /** @throws WalletError `invalid` for what is no key image, `wrong_signature` for that of another output. */
  async #prove(
    outputs: readonly OwnedOutput[],
    images: readonly SignedKeyImage[],
    first: number,
  ): Promise<void> {
    const claims = outputs.flatMap(({ publicKey, keyImage }, i) => {
      const signed = images[i];
      if (signed === undefined || this.#isProven({ publicKey, keyImage, signed })) return [];
      return [{ publicKey, signed, place: first + i }];
    });
    const verdicts = await this.#context.workers.keyImages.judge(
      claims.map(({ publicKey, signed }) => ({ publicKey, signed })),
    );
    for (const [i, { publicKey, signed, place }] of claims.entries()) {
      // As upstream counts: the place among the outputs, over the number of key images given.
      const which = `${place}/${images.length}, key image ${toHex(signed.keyImage)}`;
      if (verdicts[i] === 'outside')
        throw new WalletError({
          kind: 'invalid',
          reason: 'a key image lies outside of the group',
          text: `Key image out of validity domain: input ${which}`,
        });
      if (verdicts[i] === 'unproven')
        throw new WalletError({
          kind: 'wrong_signature',
          reason: 'the signature of a key image does not fit its output',
          text: `Signature check failed ${which}, signature ${toHex(signed.signature)}, pubkey ${toHex(publicKey)}`,
        });
    }
  }

  #isProven(claim: {
    readonly publicKey: OwnedOutput['publicKey'];
    readonly keyImage: OwnedOutput['keyImage'];
    readonly signed: SignedKeyImage;
  }): boolean {
    const { publicKey, keyImage, signed } = claim;
    if (keyImage === undefined || !equalBytes(keyImage, signed.keyImage)) return false;
    if (!this.#context.keystore.isViewOnly) return true;
    return this.#context.store.read((r) => r.importedKeyImages.of(publicKey)?.proven) ?? false;
  }

  /**
   * Where the chain spends what no transaction that this wallet saw spends, it was a payment without change by
   * another wallet with these keys: the balance is right at once, and a rescan names the payment.
   */
  #followDaemon(outputs: readonly OwnedOutput[], statuses: readonly KeyImageStatus[]): void {
    this.#context.store.write((w) => {
      outputs.forEach(({ publicKey }, i) => {
        const output = w.outputs.byPublicKey(publicKey);
        if (output === undefined) return;
        if (statuses[i] === UNSPENT && isUnknownSpend(output.spentBy)) w.outputs.markUnspent(output);
        if (statuses[i] === SPENT_IN_CHAIN) w.outputs.markSpentByUnknown(output, true);
      });
    });
  }
}

const locatedOf = ({ publicKey, outputIndex, derivationKey, subaddress }: LocatedOutput): LocatedOutput => ({
  publicKey,
  outputIndex,
  derivationKey,
  subaddress,
});
