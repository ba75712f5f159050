import { existsSync } from 'node:fs';
import type { Logger } from 'pino';
import { publicKeyOf, randomSecretKey } from '../crypto/derivation.js';
import type { SecretKey } from '../crypto/types.js';
import { spendSecretFromSeed, viewSecretFromSpend } from '../cryptonote/account-keys.js';
import { GENESIS_HASH, NEWEST_FORK } from '../cryptonote/constants.js';
import { findLanguage, OLD_ENGLISH, type Language } from '../cryptonote/languages.js';
import { decodeMnemonic, encodeMnemonic, removeSeedOffset } from '../cryptonote/mnemonic.js';
import type { NetworkType } from '../cryptonote/types.js';
import { DaemonError } from '../daemon/errors.js';
import type { DaemonConfig } from '../daemon/http-daemon.js';
import { RefreshCancelled } from '../refresh/refresher.js';
import type { KeysFile } from '../store/keys-file.js';
import { loadKeysFile, saveKeysFile } from '../store/keys-file-disk.js';
import { lockWallet } from '../store/lock.js';
import { storeKey } from '../store/store-key.js';
import { WalletFile } from '../store/wallet-file.js';
import { CodecError } from '../util/codec.js';
import { Mutex } from '../util/mutex.js';
import type { Rng } from '../util/random.js';
import { Secret } from '../util/secret.js';
import { WalletError } from '../wallet/fault.js';
import type { WalletKeys } from '../wallet/keys.js';
import { DaemonLink } from './daemon-link.js';
import type { WalletEvents } from './events.js';
import {
  assertFree,
  assertPresent,
  setReferenceCacheAside,
  type WalletDirectory,
  type WalletPaths,
} from './wallet-directory.js';
import { WalletSession } from './wallet-session.js';

/** What the process was told, as far as wallets are concerned. */
export interface ServerSettings {
  readonly network: NetworkType;
  /** Absent: clients cannot create or open wallets. */
  readonly directory?: WalletDirectory;
  readonly kdfRounds: number;
  readonly restricted: boolean;
  readonly threads: number;
  /** Absent: offline. */
  readonly daemon?: DaemonConfig;
  readonly daemonTrusted: boolean;
  /** Blocks whose version is newer than any known are read all the same. */
  readonly anyFork: boolean;
  readonly rng: Rng;
  readonly events: WalletEvents;
  readonly log: Logger;
  /** Ends the process. */
  readonly stop: () => void;
}

export interface RestoreRequest {
  readonly filename: string;
  readonly password: string;
  readonly seed: string;
  readonly restoreHeight: number;
  readonly language: string;
  readonly seedOffset: string;
}

const DEFAULT_REFRESH_SECONDS = 20;
const RETRY_MS = { first: 1000, last: 60_000 };

/** Opens and closes wallets, one at a time for clients, and keeps the open one in step with the chain. */
export class WalletServer {
  readonly settings: ServerSettings;
  readonly #link: DaemonLink;
  /** Opening, closing and creating exclude each other. */
  readonly #changing = new Mutex();
  #session: WalletSession | undefined;
  #period: number | undefined = DEFAULT_REFRESH_SECONDS;
  #timer: NodeJS.Timeout | undefined;
  #failures = 0;

  constructor(settings: ServerSettings) {
    this.settings = settings;
    this.#link = new DaemonLink({
      threads: settings.threads,
      chain: {
        genesis: GENESIS_HASH[settings.network],
        ...(settings.anyFork ? {} : { newestVersion: NEWEST_FORK }),
      },
      config: settings.daemon,
      trusted: settings.daemonTrusted,
      rng: settings.rng,
    });
  }

  /** @throws WalletError `no_wallet` */
  wallet(): WalletSession {
    if (this.#session === undefined) throw new WalletError({ kind: 'no_wallet' });
    return this.#session;
  }

  async createWallet({
    filename,
    password,
    language,
  }: {
    filename: string;
    password: string;
    language: string;
  }): Promise<void> {
    const words = requireLanguage(language);
    const paths = this.#locateNew(filename);
    await this.#changing.run(async () => {
      if (paths !== undefined) assertFree(paths);
      const spendSecret = randomSecretKey(this.settings.rng);
      await this.#replace(
        await this.#create(paths, spendSecret, words, password, await this.#daemonHeight()),
      );
    });
  }

  /** @returns what the caller should write down. */
  async restoreWallet(
    request: RestoreRequest,
  ): Promise<{ address: string; seed: string; deprecated: boolean }> {
    const paths = this.#locateNew(request.filename);
    if (request.seed.trim() === '') throw new WalletError({ kind: 'bad_seed', reason: 'it is empty' });
    const decoded = decodeSeed(request.seed);
    // The first word list is read, never written: its wallets need another one.
    const words = decoded.language === OLD_ENGLISH ? requireLanguage(request.language) : decoded.language;
    return this.#changing.run(async () => {
      if (paths !== undefined) assertFree(paths);
      const plain =
        request.seedOffset === '' ? decoded.seed : await removeSeedOffset(decoded.seed, request.seedOffset);
      const spendSecret = spendSecretFromSeed(plain);
      const session = await this.#create(paths, spendSecret, words, request.password, request.restoreHeight);
      await this.#replace(session);
      return {
        address: session.accounts.address({ major: 0, minor: 0 }),
        seed: encodeMnemonic(plain, words),
        deprecated: decoded.deprecated,
      };
    });
  }

  /** A wallet that cannot be opened leaves the one before open. */
  async openWallet({ filename, password }: { filename: string; password: string }): Promise<void> {
    await this.openPaths(this.#directory().locate(filename), password);
  }

  async openPaths(paths: WalletPaths, password: string): Promise<void> {
    await this.#changing.run(async () => {
      assertPresent(paths);
      // The same wallet once more: the password is checked before the open one is given up.
      const same = this.#session !== undefined && this.#session.name === paths.name;
      const keysFile = await loadKeysFile(paths.keys, password, this.settings.kdfRounds);
      if (keysFile.network !== this.settings.network)
        throw new WalletError({
          kind: 'wallet_corrupt',
          name: paths.name,
          reason: `it is a wallet of ${keysFile.network}`,
        });
      if (same) await this.#closeCurrent();
      await this.#replace(await this.#openFiles(paths, keysFile, password, keysFile.refreshHeight));
    });
  }

  /** @throws WalletError `no_wallet` */
  async closeWallet(): Promise<void> {
    await this.#changing.run(async () => {
      this.wallet();
      await this.#closeCurrent();
    });
  }

  async setDaemon(config: DaemonConfig | undefined, trusted: boolean): Promise<void> {
    try {
      await this.#link.change(config, trusted);
    } catch (error) {
      if (error instanceof DaemonError)
        throw new WalletError({ kind: 'bad_daemon_settings', reason: error.message }, { cause: error });
      throw error;
    }
    this.#failures = 0;
    this.#schedule(0);
  }

  /** @param seconds undefined: only when asked. */
  setAutoRefresh(seconds: number | undefined): void {
    this.#period = seconds;
    this.#schedule(seconds === undefined ? undefined : 0);
  }

  /** Ends the process after the answer under way. */
  requestStop(): void {
    this.settings.stop();
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#changing.run(() => this.#closeCurrent());
    await this.#link.close();
  }

  #directory(): WalletDirectory {
    if (this.settings.directory === undefined) throw new WalletError({ kind: 'no_wallet_dir' });
    return this.settings.directory;
  }

  /** undefined for a wallet in memory. */
  #locateNew(filename: string): WalletPaths | undefined {
    const directory = this.#directory();
    return filename === '' ? undefined : directory.locate(filename);
  }

  async #daemonHeight(): Promise<number | undefined> {
    try {
      return (await this.#link.daemon().getInfo()).height;
    } catch (error) {
      if (error instanceof DaemonError) return undefined;
      throw error;
    }
  }

  async #create(
    paths: WalletPaths | undefined,
    spendSecret: SecretKey,
    language: Language,
    password: string,
    restoreHeight: number | undefined,
  ): Promise<WalletSession> {
    const viewSecret = viewSecretFromSpend(spendSecret);
    const now = Math.floor(Date.now() / 1000);
    const keysFile: KeysFile = {
      spendPublicKey: publicKeyOf(spendSecret),
      viewPublicKey: publicKeyOf(viewSecret),
      spendSecret,
      viewSecret,
      watchOnly: false,
      seedLanguage: language.name,
      network: this.settings.network,
      refreshHeight: restoreHeight ?? 0,
      creationTimestamp: now,
      other: {},
    };
    if (paths !== undefined)
      await saveKeysFile(paths.keys, keysFile, password, this.settings.kdfRounds, this.settings.rng);
    return this.#openFiles(paths, keysFile, password, restoreHeight);
  }

  /** @param restoreHeight for a store that is made now; undefined where no daemon could be asked. */
  async #openFiles(
    paths: WalletPaths | undefined,
    keysFile: KeysFile,
    password: string,
    restoreHeight: number | undefined,
  ): Promise<WalletSession> {
    const { settings } = this;
    const lock = paths === undefined ? undefined : lockWallet(paths.lock, paths.name);
    try {
      const key = storeKey(keysFile.viewSecret, keysFile.spendSecret);
      const aside = paths === undefined ? undefined : await setReferenceCacheAside(paths);
      if (aside !== undefined)
        settings.log.warn(
          { kept: aside },
          'a cache of monero-wallet-rpc was set aside; the wallet is read from the chain',
        );
      const fresh = paths === undefined || !existsSync(paths.store);
      const file =
        paths === undefined
          ? WalletFile.create(':memory:', key)
          : fresh
            ? WalletFile.create(paths.store, key)
            : WalletFile.open(paths.store, key);
      if (fresh)
        file.write((w) => {
          if (restoreHeight !== undefined) w.meta.set('restore_height', String(restoreHeight));
          w.meta.set('created_at', String(keysFile.creationTimestamp));
          w.subaddresses.add([{ index: { major: 0, minor: 0 }, spendPublicKey: keysFile.spendPublicKey }]);
        });
      return new WalletSession({
        ...(paths === undefined ? {} : { paths }),
        ...(lock === undefined ? {} : { lock }),
        keys: toKeys(keysFile),
        keysFile,
        password,
        file,
        kdfRounds: settings.kdfRounds,
        link: this.#link,
        events: settings.events,
        log: settings.log,
      });
    } catch (error) {
      lock?.release();
      throw error;
    }
  }

  async #replace(session: WalletSession): Promise<void> {
    await this.#closeCurrent();
    this.#session = session;
    this.#failures = 0;
    this.#schedule(0);
  }

  async #closeCurrent(): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    await session?.close();
  }

  /** @param ms until the next refresh; undefined: none. */
  #schedule(ms: number | undefined): void {
    clearTimeout(this.#timer);
    if (ms === undefined || this.#session === undefined) return;
    this.#timer = setTimeout(() => void this.#autoRefresh(), ms);
    this.#timer.unref();
  }

  async #autoRefresh(): Promise<void> {
    const session = this.#session;
    if (session === undefined || this.#link.address === undefined || this.#period === undefined) return;
    try {
      await session.refresh();
      if (this.#failures > 0) this.settings.log.info('the daemon answers again');
      this.#failures = 0;
    } catch (error) {
      if (error instanceof RefreshCancelled || session !== this.#session)
        return this.#schedule(this.#period * 1000);
      this.#failures += 1;
      if (error instanceof DaemonError) {
        // Said once, not at every attempt.
        if (this.#failures === 1)
          this.settings.log.warn({ kind: error.kind }, 'the daemon cannot be reached; trying again');
      } else this.settings.log.error({ err: error }, 'a refresh failed');
    }
    if (session !== this.#session || this.#period === undefined) return;
    const backOff = Math.min(RETRY_MS.first * 2 ** (this.#failures - 1), RETRY_MS.last);
    this.#schedule(this.#failures > 0 ? backOff : this.#period * 1000);
  }
}

function requireLanguage(name: string): Language {
  const language = findLanguage(name);
  if (language === undefined) throw new WalletError({ kind: 'unknown_language', language: name });
  return language;
}

function decodeSeed(text: string): ReturnType<typeof decodeMnemonic> {
  try {
    return decodeMnemonic(text);
  } catch (cause) {
    if (cause instanceof CodecError)
      throw new WalletError({ kind: 'bad_seed', reason: cause.message }, { cause });
    throw cause;
  }
}

const toKeys = (file: KeysFile): WalletKeys => ({
  network: file.network,
  spendPublicKey: file.spendPublicKey,
  viewPublicKey: file.viewPublicKey,
  viewSecret: new Secret(Uint8Array.from(file.viewSecret) as SecretKey),
  ...(file.spendSecret === undefined
    ? {}
    : { spendSecret: new Secret(Uint8Array.from(file.spendSecret) as SecretKey) }),
});
