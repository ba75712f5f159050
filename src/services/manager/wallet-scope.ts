import { WalletError } from '../../wallet/model/wallet-error.js';
import type { DaemonConnection } from '../context/daemon-connection.js';
import type { WalletDirectory } from '../context/wallet-directory.js';
import type { OpenWallet } from '../open-wallet.js';
import type { Holder, OpenWallets } from './open-wallets.js';
import type { ServerSettings } from './server-settings.js';
import { WalletCreation, type CreateRequest, type GenerateRequest } from './wallet-creation.js';
import type { MultisigRestoreRequest, RestoreRequest } from './wallet-restore.js';

/** Resources of the server that its scopes share. */
export interface ScopeResources {
  readonly settings: ServerSettings;
  readonly daemon: DaemonConnection;
  readonly wallets: OpenWallets;
}

/**
 * Wallets reachable by requests of one HTTP path. Without a name (`/json_rpc`): the current wallet, replaced by each
 * wallet opened or created there. With a name (`/wallet/<name>/json_rpc`): the wallet of that name only.
 */
export class WalletScope {
  readonly #resources: ScopeResources;
  readonly #name: string | undefined;
  readonly #holder: Holder;
  readonly #creation: WalletCreation;

  constructor(resources: ScopeResources, name?: string) {
    this.#resources = resources;
    this.#name = name;
    this.#holder = name === undefined ? 'current' : 'path';
    const { settings, daemon, wallets } = resources;
    this.#creation = new WalletCreation(settings, daemon, wallets, this.#holder);
  }

  /** True for the path of a wallet; false for the path of the current wallet. */
  get isOneWallet(): boolean {
    return this.#name !== undefined;
  }

  /** Returns the open wallet of this scope, if any, at the time of the call. @throws WalletError `bad_wallet_name` */
  find(): OpenWallet | undefined {
    const { wallets } = this.#resources;
    return this.#name === undefined
      ? wallets.current
      : wallets.findByPath(this.#directory().locate(this.#name));
  }

  /**
   * Returns an open wallet by its name, at the time of the call. The path of the request must not name another one.
   * @throws WalletError `no_wallet`, `bad_wallet_name`
   */
  wallet(name: string): OpenWallet {
    const filename = this.#filename(name);
    const own = this.find();
    const found =
      this.#name !== undefined || own?.name === filename
        ? own
        : this.#resources.wallets.findByPath(this.#directory().locate(filename));
    if (found === undefined) throw new WalletError({ kind: 'no_wallet' });
    return found;
  }

  async createWallet(request: CreateRequest): Promise<void> {
    await this.#creation.create({ ...request, filename: this.#filename(request.filename) });
  }

  async restoreWallet(request: RestoreRequest): ReturnType<WalletCreation['restore']> {
    return this.#creation.restore({ ...request, filename: this.#filename(request.filename) });
  }

  async restoreMultisig(request: MultisigRestoreRequest): Promise<string> {
    return this.#creation.restoreMultisig({ ...request, filename: this.#filename(request.filename) });
  }

  async generateFromKeys(request: GenerateRequest): ReturnType<WalletCreation['generateFromKeys']> {
    return this.#creation.generateFromKeys({ ...request, filename: this.#filename(request.filename) });
  }

  /** @throws WalletError `wallet_missing`, `wrong_password`, `wallet_locked`, `wallet_io`, `wallet_corrupt` */
  async openWallet({
    filename,
    password,
  }: {
    readonly filename: string;
    readonly password: string;
  }): Promise<void> {
    const paths = this.#directory().locate(this.#filename(filename));
    await this.#resources.wallets.open(paths, password, this.#holder);
  }

  /** @param wallet of the request. @throws WalletError `no_wallet` if it is closed already. */
  closeWallet(wallet: OpenWallet): Promise<void> {
    return this.#resources.wallets.release(wallet, this.#holder);
  }

  /**
   * @param seconds undefined: refreshed by request only.
   * @throws WalletError `no_wallet` for a named wallet that is closed.
   */
  setAutoRefresh(seconds: number | undefined): void {
    const wallet = this.find();
    if (wallet === undefined && this.#name !== undefined) throw new WalletError({ kind: 'no_wallet' });
    this.#resources.wallets.setPeriod(wallet, this.#holder, seconds);
  }

  #directory(): WalletDirectory {
    const { directory } = this.#resources.settings;
    if (directory === undefined) throw new WalletError({ kind: 'no_wallet_dir' });
    return directory;
  }

  /** @throws WalletError `bad_wallet_name` if the path and the request name different wallets. */
  #filename(given: string): string {
    if (this.#name === undefined || given === this.#name) return given;
    if (given === '') return this.#name;
    throw new WalletError({
      kind: 'bad_wallet_name',
      name: given,
      reason: 'the path of the request names another wallet: leave filename out',
    });
  }
}
