import { WalletError } from '../../model/wallet-error.js';
import type { DaemonConnection } from '../context/daemon-connection.js';
import { walletNameOf, type WalletDirectory } from '../context/wallet-directory.js';
import type { OpenWallet } from '../open-wallet.js';
import type { Holder, OpenWallets } from './open-wallets.js';
import { CURRENT, START } from './openings.js';
import { NewHeights, type OtherTips } from './new-heights.js';
import type { ServerSettings } from './server-settings.js';
import { WalletCreation, type CreateRequest, type GenerateRequest } from './wallet-creation.js';
import type { MultisigRestoreRequest, RestoreRequest } from './wallet-restore.js';

/** Wallets that a client may know of, by name. Any other wallet is treated like a wallet that does not exist. */
export interface WalletAccess {
  /** Name of the credential of the client. */
  readonly name: string;
  allowsWallet(name: string): boolean;
}

/** Resources of the server that all scopes share. */
export interface ScopeResources {
  readonly settings: ServerSettings;
  readonly daemon: DaemonConnection;
  readonly wallets: OpenWallets;
  /** Returns the ends of the chains of the other listed daemons; see {@link NewHeights}. */
  readonly otherTips: OtherTips;
}

/**
 * Wallets that requests of one HTTP path can reach, and that the client may know of. Without a name (`/json_rpc`): the
 * current wallet, which is replaced by each wallet that is opened or created at this path. With a name
 * (`/wallet/<name>/json_rpc`): only the wallet of this name.
 */
export class WalletScope {
  readonly #resources: ScopeResources;
  readonly #name: string | undefined;
  readonly #access: WalletAccess | undefined;
  readonly #holder: Holder;
  readonly #creation: WalletCreation;

  /**
   * @param name name of the wallet in the path; absent: the current wallet.
   * @param access wallets that the client may know of; absent: all wallets.
   */
  constructor(resources: ScopeResources, name?: string, access?: WalletAccess) {
    this.#resources = resources;
    this.#name = name;
    this.#access = access;
    this.#holder = name === undefined ? 'current' : 'path';
    const { settings, daemon, wallets, otherTips } = resources;
    const heights = new NewHeights(daemon, otherTips, settings.log);
    this.#creation = new WalletCreation(settings, daemon, wallets, this.#holder, heights);
  }

  /** Name of the wallet in the path; undefined for the path of the current wallet. */
  get name(): string | undefined {
    return this.#name;
  }

  /**
   * Returns the wallet of this scope that is open now; undefined if no such wallet is open. @throws WalletError
   * `bad_wallet_name`
   */
  find(): OpenWallet | undefined {
    const { wallets } = this.#resources;
    if (this.#name !== undefined) return this.#findByName(this.#name);
    const { current } = wallets;
    return current !== undefined && this.mayKnow(current.name) ? current : undefined;
  }

  /** True if the wallet of this scope is about to move to another process of the cluster: calls that wait must end. */
  get isMoving(): boolean {
    return this.find()?.held?.isMoving === true;
  }

  /** True if the client may know of a wallet. @param name name of the wallet. */
  mayKnow(name: string): boolean {
    return this.#access?.allowsWallet(name) ?? true;
  }

  /** Finds an open wallet by the name in the path. @throws WalletError `bad_wallet_name` */
  #findByName(name: string): OpenWallet | undefined {
    const paths = this.#directory().locate(name);
    return this.mayKnow(name) ? this.#resources.wallets.findByPath(paths) : undefined;
  }

  /**
   * Returns the wallet of a name that is open now. The path of the request must not name another wallet.
   * @throws WalletError `wallet_not_open`, `bad_wallet_name`
   */
  wallet(name: string): OpenWallet {
    const filename = this.#filename(name);
    return this.require(this.#findNamed(filename), filename);
  }

  #findNamed(filename: string): OpenWallet | undefined {
    const own = this.find();
    return this.#name !== undefined || own?.name === filename ? own : this.#findByName(filename);
  }

  /**
   * Returns the wallet of a request. @param wallet the wallet that was found. @param name name in a parameter; absent:
   * the name in the path.
   * @throws WalletError if the wallet is not open: `wallet_not_open` with a name, `no_wallet` without a name.
   */
  require(wallet: OpenWallet | undefined, name = this.#name): OpenWallet {
    if (wallet !== undefined) return wallet;
    if (name === undefined) throw new WalletError({ kind: 'no_wallet' });
    const failure = this.mayKnow(name) ? this.#openings.failureOf(name) : undefined;
    throw new WalletError({ kind: 'wallet_not_open', name, ...(failure === undefined ? {} : { failure }) });
  }

  get #openings(): OpenWallets['openings'] {
    return this.#resources.wallets.openings;
  }

  /** Waits while the server starts. @param ms longest wait [ms]. @throws WalletError `wallet_opening` */
  untilStarted(ms: number): Promise<void> {
    return this.#openings.hold(START, () => false, ms);
  }

  /**
   * Waits while a wallet is not open and this process is about to open it, or is opening it. A wallet that the client may
   * not know of is not waited for.
   * @param given name in a parameter; absent: the wallet of this scope. @param ms longest wait [ms].
   * @throws WalletError `wallet_opening`, `bad_wallet_name`
   */
  async untilOpened(given: string | undefined, ms: number): Promise<void> {
    const name = given === undefined ? this.#name : this.#filename(given);
    if (name === undefined) return this.#openings.hold(CURRENT, () => this.find() !== undefined, ms);
    if (this.mayKnow(name)) await this.#openings.hold(name, () => this.#findNamed(name) !== undefined, ms);
  }

  /**
   * Waits while a wallet is being opened under its path, so that it is not opened a second time meanwhile.
   * @param given name in a parameter. @param ms longest wait [ms]. @throws WalletError `wallet_opening`, `bad_wallet_name`
   */
  async whileOpening(given: string, ms: number): Promise<void> {
    const name = this.#filename(given);
    if (this.mayKnow(name)) await this.#openings.holdAttempt(name, ms);
  }

  /**
   * Waits until all wallets of the start that the client may know of were tried. @param ms longest wait [ms].
   * @throws WalletError `wallet_opening`
   */
  untilAllTried(ms: number): Promise<void> {
    return this.#openings.holdStart((name) => this.mayKnow(name), ms);
  }

  /**
   * Creates a wallet as {@link WalletCreation.create}. @throws WalletError as there, `bad_wallet_name`,
   * `credential_denied`
   */
  async createWallet(request: CreateRequest): Promise<void> {
    await this.#creation.create({ ...request, filename: this.#newName(request.filename) });
  }

  /**
   * Restores a wallet as {@link WalletCreation.restore}. @throws WalletError as there, `bad_wallet_name`,
   * `credential_denied`
   */
  async restoreWallet(request: RestoreRequest): ReturnType<WalletCreation['restore']> {
    return this.#creation.restore({ ...request, filename: this.#newName(request.filename) });
  }

  /**
   * Restores a multisig participant as {@link WalletCreation.restoreMultisig}.
   * @throws WalletError as there, `bad_wallet_name`, `credential_denied`
   */
  async restoreMultisig(request: MultisigRestoreRequest): ReturnType<WalletCreation['restoreMultisig']> {
    return this.#creation.restoreMultisig({ ...request, filename: this.#newName(request.filename) });
  }

  /**
   * Creates a wallet as {@link WalletCreation.generateFromKeys}.
   * @throws WalletError as there, `bad_wallet_name`, `credential_denied`
   */
  async generateFromKeys(request: GenerateRequest): ReturnType<WalletCreation['generateFromKeys']> {
    return this.#creation.generateFromKeys({ ...request, filename: this.#newName(request.filename) });
  }

  /**
   * Opens a wallet of the directory.
   * @throws WalletError `wallet_missing`, `wrong_password`, `wallet_locked`, `wallet_io`, `wallet_corrupt`
   */
  async openWallet({
    filename,
    password,
  }: {
    readonly filename: string;
    readonly password: string;
  }): Promise<void> {
    const name = this.#filename(filename);
    const paths = this.#directory().locate(name);
    if (!this.mayKnow(name)) throw new WalletError({ kind: 'wallet_missing', name });
    await this.#resources.wallets.open(paths, password, this.#holder);
  }

  /**
   * Closes a wallet. @param wallet wallet that the request was bound to. @throws WalletError `no_wallet` if it is
   * closed already.
   */
  closeWallet(wallet: OpenWallet): Promise<void> {
    return this.#resources.wallets.release(wallet, this.#holder);
  }

  /**
   * Sets the refresh period of the wallet of this scope. @param seconds period [s]; undefined: refreshed on request
   * only.
   * @throws WalletError `wallet_not_open` for a named wallet that is closed.
   */
  setAutoRefresh(seconds: number | undefined): void {
    const wallet = this.find();
    if (this.#name !== undefined) this.require(wallet);
    this.#resources.wallets.setPeriod(wallet, this.#holder, seconds);
  }

  #directory(): WalletDirectory {
    const { directory } = this.#resources.settings;
    if (directory === undefined) throw new WalletError({ kind: 'no_wallet_dir' });
    return directory;
  }

  /**
   * Checks the name of a new wallet.
   * @throws WalletError `bad_wallet_name`; `credential_denied`, even if no wallet of this name exists.
   */
  #newName(given: string): string {
    const name = this.#filename(given);
    if (this.#access === undefined || this.mayKnow(name)) return name;
    throw new WalletError({
      kind: 'credential_denied',
      reason: `credential ${this.#access.name}: wallet '${name}' is not allowed`,
    });
  }

  /**
   * Returns the name of the wallet that a request names.
   * @throws WalletError `bad_wallet_name` if the path and the request name different wallets.
   */
  #filename(given: string): string {
    const name = walletNameOf(given);
    if (this.#name === undefined || name === this.#name) return name;
    if (name === '') return this.#name;
    throw new WalletError({
      kind: 'bad_wallet_name',
      name: given,
      reason: 'the path of the request names another wallet: leave filename out',
    });
  }
}
