import { randomSecretKey } from '../../crypto/derivation.js';
import { accountKeysOf } from '../../cryptonote/account-keys.js';
import { DAEMON_RPC_PORT, GENESIS_HASH, NEWEST_FORK } from '../../cryptonote/constants.js';
import { DaemonError } from '../../daemon/errors.js';
import type { DaemonConfig } from '../../daemon/http-daemon.js';
import type { KeysFile } from '../../store/keys/keys-file.js';
import { keysFileVersion } from '../../store/keys/keys-file-disk.js';
import { equalBytes } from '../../util/bytes.js';
import { Mutex } from '../../util/mutex.js';
import { WalletError } from '../../wallet/model/wallet-error.js';
import { parseAccountKeys, type KeyTexts } from '../../wallet/key-import.js';
import { RefreshScheduler } from './refresh-scheduler.js';
import { DaemonConnection } from '../context/daemon-connection.js';
import { LogControl } from './log-control.js';
import { MultisigSetup } from '../multisig/multisig-setup.js';
import {
  requireLanguage,
  walletFromMultisigSeed,
  walletFromWords,
  type MultisigRestoreRequest,
  type PlacelessWallet,
  type RestoreRequest,
} from './wallet-restore.js';
import type { ServerSettings } from './server-settings.js';
import {
  assertFree,
  assertPresent,
  servedBy,
  type WalletDirectory,
  type WalletPaths,
} from '../context/wallet-directory.js';
import { WalletOpener } from './wallet-opener.js';
import type { OpenWallet } from '../open-wallet.js';

/** A new wallet whose height is not known by then finds it at its first refresh, by the time of its creation. */
const HEIGHT_DEADLINE_MS = 10_000;

export interface GenerateRequest {
  readonly filename: string;
  readonly password: string;
  readonly keys: KeyTexts;
  readonly restoreHeight: number;
  /** Empty: none is noted down. */
  readonly language: string;
}

/** Opens and closes wallets, one at a time for clients, and keeps the open one in step with the chain. */
export class WalletManager {
  readonly settings: ServerSettings;
  readonly logControl: LogControl;
  readonly multisigSetup: MultisigSetup;
  readonly #link: DaemonConnection;
  /** Opening, closing and creating exclude each other. */
  readonly #changing = new Mutex();
  readonly #opener: WalletOpener;
  readonly #autoRefresh: RefreshScheduler;
  #session: OpenWallet | undefined;

  constructor(settings: ServerSettings) {
    this.settings = settings;
    this.logControl = new LogControl(settings.log, settings.logCategories);
    this.#link = new DaemonConnection({
      threads: settings.threads,
      chain: {
        genesis: GENESIS_HASH[settings.network],
        ...(settings.anyFork ? {} : { newestVersion: NEWEST_FORK }),
      },
      config: settings.daemon,
      trusted: settings.daemonTrusted,
      rng: settings.rng,
      callers: settings.callers,
    });
    this.multisigSetup = new MultisigSetup(this);
    this.#opener = new WalletOpener(settings, this.#link);
    this.#autoRefresh = new RefreshScheduler(settings.log);
  }

  /** @throws WalletError `no_wallet` */
  wallet(): OpenWallet {
    if (this.#session === undefined) throw new WalletError({ kind: 'no_wallet' });
    return this.#session;
  }

  /** `host:port` as configured; undefined when offline. */
  get daemonAddress(): string | undefined {
    return this.#link.address;
  }

  async createWallet({
    filename,
    password,
    language: name,
  }: {
    filename: string;
    password: string;
    language: string;
  }): Promise<void> {
    const paths = this.#locateNew(filename);
    const language = requireLanguage(name);
    const keys = accountKeysOf(randomSecretKey(this.settings.rng));
    const restoreHeight = await this.#daemonHeight();
    await this.#create(paths, { keys, language, password, restoreHeight });
  }

  /** @returns what the caller should write down. @throws WalletError `bad_seed` */
  async restoreWallet(
    request: RestoreRequest,
  ): Promise<{ address: string; seed: string; deprecated: boolean }> {
    const paths = this.#placeNew(request.filename);
    const { wallet, seed, deprecated } = await walletFromWords(request);
    return { address: primaryAddress(await this.#create(paths, wallet)), seed, deprecated };
  }

  /** @returns its address. @throws WalletError `bad_seed` */
  async restoreMultisig(request: MultisigRestoreRequest): Promise<string> {
    const paths = this.#placeNew(request.filename);
    return primaryAddress(await this.#create(paths, walletFromMultisigSeed(request)));
  }

  /** @returns its address. @throws WalletError `invalid` for keys that do not belong together. */
  async generateFromKeys(request: GenerateRequest): Promise<{ address: string; viewOnly: boolean }> {
    const paths = this.#placeNew(request.filename);
    const { password, restoreHeight } = request;
    const keys = parseAccountKeys(request.keys, this.settings.network);
    const language = request.language === '' ? undefined : requireLanguage(request.language);
    const session = await this.#create(paths, { keys, language, password, restoreHeight });
    return { address: primaryAddress(session), viewOnly: session.isViewOnly };
  }

  /** A wallet that cannot be opened leaves the one before open. */
  async openWallet({ filename, password }: { filename: string; password: string }): Promise<void> {
    await this.openPaths(this.#directory().locate(filename), password);
  }

  async openPaths(paths: WalletPaths, password: string): Promise<void> {
    await this.#changing.run(async () => {
      assertPresent(paths);
      const version = keysFileVersion(paths.keys);
      // The same wallet once more: the password is checked before the open one is given up.
      const keysFile = await this.#opener.readKeys(paths, password);
      const place = keysFile.backgroundKey === undefined ? paths : servedBy(paths);
      if (this.#session?.paths?.store === place.store) await this.#closeCurrent();
      const session = await this.#opener.open(place, keysFile, password, version);
      // The session has copies of its own.
      for (const secret of [keysFile.viewSecret, keysFile.spendSecret]) secret?.fill(0);
      try {
        await session.backgroundSync.resume();
      } catch (error) {
        await session.close();
        throw error;
      }
      await this.#replace(session);
    });
  }

  /**
   * Gives the open wallet other keys, and opens it with them.
   * @param change what its keys file is to say. Where this throws, nothing was changed.
   * @throws WalletError `no_wallet`
   */
  rekey(change: (session: OpenWallet) => Promise<KeysFile>): Promise<OpenWallet> {
    return this.#changing.run(async () => {
      const session = this.wallet();
      // Copies: the session wipes its keys when it closes.
      const after = structuredClone(await change(session));
      const before = structuredClone(session.keystore.whole);
      const { paths } = session;
      const { restoreHeight } = session.sync;
      const { password } = session.keystore;
      const keepStore =
        equalBytes(after.spendPublicKey, before.spendPublicKey) &&
        equalBytes(after.viewPublicKey, before.viewPublicKey);
      // No other process may open it in between.
      const lock = session.handLockOver();
      const opening = { paths, lock, password, restoreHeight };
      try {
        await this.#closeCurrent();
      } catch (error) {
        lock?.release();
        throw error;
      }
      try {
        await this.#opener.rekey(paths, after, password, { keepStore });
      } catch (error) {
        await this.#replace(await this.#opener.reopen({ ...opening, keysFile: before }));
        throw error;
      }
      const reopened = await this.#opener.reopen({ ...opening, keysFile: after });
      await this.#replace(reopened);
      return reopened;
    });
  }

  /** Starts threads ahead of the first wallet, which then need not wait for them. */
  start(): void {
    this.#link.start();
  }

  /** Lets go of what the store of the open wallet keeps in memory and can read again. */
  giveMemoryBack(): void {
    this.#session?.file.giveMemoryBack();
  }

  /** @throws WalletError `no_wallet` */
  async closeWallet(): Promise<void> {
    await this.#changing.run(async () => {
      this.wallet();
      await this.#closeCurrent();
    });
  }

  setDaemon(config: DaemonConfig | undefined, trusted: boolean): void {
    try {
      const defaultPort = DAEMON_RPC_PORT[this.settings.network];
      this.#link.change(config && { ...config, defaultPort }, trusted);
    } catch (error) {
      if (error instanceof DaemonError)
        throw new WalletError({ kind: 'bad_daemon_settings', reason: error.message }, { cause: error });
      throw error;
    }
    this.#autoRefresh.startOver();
  }

  /** @param seconds undefined: only when asked. */
  setAutoRefresh(seconds: number | undefined): void {
    this.#autoRefresh.setPeriod(seconds);
  }

  /** Ends the process after the answer under way. */
  requestStop(): void {
    this.settings.stop();
  }

  /** Ends all calls to the daemon, so that what waits for them ends. For a server that stops. */
  endDaemonCalls(): void {
    this.#autoRefresh.follow(undefined);
    this.#link.endCalls();
  }

  async close(): Promise<void> {
    this.endDaemonCalls();
    await this.#changing.run(() => this.#closeCurrent());
    await this.#link.close();
  }

  #directory(): WalletDirectory {
    if (this.settings.directory === undefined) throw new WalletError({ kind: 'no_wallet_dir' });
    return this.settings.directory;
  }

  /** undefined for a wallet in memory. @throws WalletError `bad_wallet_name` */
  #locateNew(filename: string): WalletPaths | undefined {
    const directory = this.#directory();
    return filename === '' ? undefined : directory.locateNew(filename);
  }

  /**
   * {@link #locateNew}, where upstream looks at the file before the keys. @throws WalletError `wallet_exists`
   */
  #placeNew(filename: string): WalletPaths | undefined {
    const paths = this.#locateNew(filename);
    if (paths !== undefined) assertFree(paths);
    return paths;
  }

  async #daemonHeight(): Promise<number | undefined> {
    try {
      return (await this.#link.daemon().getInfo({ deadline: HEIGHT_DEADLINE_MS })).height;
    } catch (error) {
      if (error instanceof DaemonError) return undefined;
      throw error;
    }
  }

  /** Makes a wallet where none may be, and opens it. @throws WalletError `wallet_exists` */
  #create(paths: WalletPaths | undefined, wallet: PlacelessWallet): Promise<OpenWallet> {
    return this.#changing.run(async () => {
      const session = await this.#opener.create({ ...wallet, paths });
      await this.#replace(session);
      if (this.#link.address !== undefined) await this.#watchAhead(session);
      return session;
    });
  }

  /** Has a new wallet know the addresses to watch before it is asked to refresh. A refresh makes up for what fails here. */
  async #watchAhead(session: OpenWallet): Promise<void> {
    try {
      await session.sync.watchAhead();
    } catch (error) {
      this.settings.log.warn({ err: error }, 'the addresses of a new wallet are left to its first refresh');
    }
  }

  async #replace(session: OpenWallet): Promise<void> {
    try {
      await this.#closeCurrent();
    } catch (error) {
      // It is closed all the same, and its trouble is none of the wallet that was asked for.
      this.settings.log.error({ err: error }, 'the wallet that was open before could not be closed cleanly');
    }
    this.#session = session;
    this.#autoRefresh.follow(session);
  }

  async #closeCurrent(): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    this.#autoRefresh.follow(undefined);
    await session?.close();
  }
}

const primaryAddress = ({ accounts }: OpenWallet): string => accounts.address({ major: 0, minor: 0 });
