import type { OpenWallet } from '../../../src/services/open-wallet.js';
import type { WalletPaths } from '../../../src/services/context/wallet-directory.js';
import type { NewWallet, Opening, WalletOpener } from '../../../src/services/manager/wallet-opener.js';
import type { RefreshScheduler } from '../../../src/services/manager/refresh-scheduler.js';
import type { KeysFile } from '../../../src/store/keys/keys-file.js';
import { WalletError } from '../../../src/model/wallet-error.js';
import { seededRng } from './seeded-rng.js';
import { ownKeys } from '../wallets/service-wallet.js';
import { holder } from '../../monero/wallet/fixtures.js';

const rng = seededRng('keys files');
const files = [ownKeys(holder(rng)).keysFile, ownKeys(holder(rng)).keysFile] as const;

/** Keys files of two wallets, with secrets of their own. */
export const keysFiles = (): readonly [KeysFile, KeysFile] => structuredClone(files);

/** Opener of wallets without files; each step is recorded, and fails or waits as a test says. */
export class FakeOpener {
  /** Steps in their order, such as `open w`. */
  readonly steps: string[] = [];
  /** The files that were read, in their order. */
  readonly read: KeysFile[] = [];
  /** Tasks that run within a step, by its name: it waits for them, and fails with them. */
  readonly on = new Map<string, () => Promise<void> | void>();
  /** Refresh periods, by name [s]. */
  readonly periods = new Map<string, number | undefined>();
  isLockHeld = true;
  readonly opener = this as unknown as WalletOpener;

  /** A scheduler that records the period of each wallet. */
  readonly scheduler = {
    add: ({ name }: OpenWallet, period: number | undefined) => void this.periods.set(name, period),
    remove: ({ name }: OpenWallet) => void this.periods.delete(name),
    replace: ({ name }: OpenWallet) => void this.steps.push(`replace ${name}`),
    setPeriod: ({ name }: OpenWallet, period: number | undefined) => void this.periods.set(name, period),
    creating: <T>(task: () => Promise<T>) => task(),
  } as unknown as RefreshScheduler;

  async readKeys({ name }: WalletPaths, password: string): Promise<KeysFile> {
    await this.#step(`read ${name}`);
    if (password !== 'p') throw new WalletError({ kind: 'wrong_password' });
    const [file] = keysFiles();
    this.read.push(file);
    return name.endsWith('.background') ? { ...file, backgroundKey: new Uint8Array(32) } : file;
  }

  async open(paths: WalletPaths, keysFile: KeysFile, password: string): Promise<OpenWallet> {
    await this.#step(`open ${paths.name}`);
    return this.#wallet(paths, structuredClone(keysFile), password);
  }

  async create({ paths, password }: NewWallet): Promise<OpenWallet> {
    await this.#step(`create ${paths?.name ?? ''}`);
    return this.#wallet(paths, keysFiles()[0], password);
  }

  async reopen({ paths, keysFile, password }: Opening): Promise<OpenWallet> {
    await this.#step(`reopen ${paths?.name ?? ''}`);
    return this.#wallet(paths, keysFile, password);
  }

  async rekey(
    paths: WalletPaths | undefined,
    _: KeysFile,
    password: string,
    { keepStore }: { readonly keepStore: boolean },
  ): Promise<void> {
    await this.#step(`rekey ${paths?.name ?? ''}${keepStore ? ' with its store' : ''}, password ${password}`);
  }

  #wallet(paths: WalletPaths | undefined, whole: KeysFile, password: string): OpenWallet {
    const name = paths?.name ?? '';
    let closed = false;
    // As a real one: closing it once more does nothing.
    const close = async (): Promise<void> => {
      if (closed) return;
      closed = true;
      await this.#step(`close ${name}`);
    };
    return {
      ...{ name, paths, keys: {}, keystore: { whole, password }, sync: { restoreHeight: 7 } },
      backgroundSync: { resume: () => this.#step(`resume ${name}`) },
      detachLock: () => ({ lock: { release: () => (this.isLockHeld = false) } }),
      close,
    } as unknown as OpenWallet;
  }

  async #step(name: string): Promise<void> {
    this.steps.push(name);
    await this.on.get(name)?.();
  }
}
