import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { checkpointAside } from './file/checkpoint.js';
import {
  isDamage,
  noticingDamage,
  openDatabase,
  openStanding,
  type Db,
  type StoreKey,
} from './file/database.js';
import { syncDirectory, syncFile } from './file/fsync.js';
import { keepAside } from './file/backup-name.js';
import { WalSync } from './file/wal-sync.js';
import { Snapshot } from './snapshot.js';
import { FileIdentity } from './file/file-identity.js';
import { cipherOf, NEW_CIPHER, type StoreCipher } from './file/store-cipher.js';
import { draftOf } from './file/file-draft.js';
import { fileTrouble, namingTrouble, namingTroubleOf } from './file/file-trouble.js';
import { removeDatabase, settleDraft, logOf } from './file/atomic-replace.js';
import { WalletReader } from './wallet-reader.js';
import { amount, type Amount } from '../util/amount.js';
import { Secret } from '../util/secret.js';
import { WalletError } from '../wallet/model/wallet-error.js';
import { WalletWriter } from './wallet-writer.js';

/** Writes what a store begins with. */
export type Fill = (w: WalletWriter) => void;

/** Told where the store was gone from its place and was written anew. @param aside what stood there, if anything. */
export type OnGone = (aside: string | undefined) => void;

/** What a store on disk is opened from. */
interface Home {
  readonly path: string;
  readonly key: Secret;
  readonly cipher: StoreCipher;
  readonly onGone: OnGone;
}

const keyOf = ({ key, cipher }: Home): StoreKey => ({ key: key.expose(), cipher });

/** The log of a database that was just opened. Its name is on disk before anything in it is relied on. */
function logIn(db: Db, home: Home | undefined): WalSync {
  if (home !== undefined) syncDirectory(dirname(home.path));
  return new WalSync(logOf(db.name));
}

/** The encrypted store of one wallet. */
export class WalletStore {
  /** Absent for a store in memory. */
  readonly #home: Home | undefined;
  #standing: FileIdentity | undefined;
  #db: Db;
  #reader: WalletReader;
  #writer: WalletWriter;
  #log: WalSync;
  #version = 0;
  readonly #snapshots = new Set<Snapshot>();
  #tidying: Promise<unknown> | undefined;
  /** Does a commit wait for the disk? */
  #waitsForDisk = true;

  private constructor(db: Db, home?: Home) {
    this.#home = home;
    this.#standing = home && new FileIdentity(home.path);
    this.#db = db;
    this.#log = logIn(db, home);
    this.#reader = new WalletReader(db);
    this.#writer = new WalletWriter(db);
  }

  /**
   * Makes a store; it stands at its place only once it is whole, what `fill` writes included.
   * @param path `:memory:` keeps it in memory. @param key 32 bytes.
   */
  static create(path: string, key: Uint8Array, fill: Fill = () => undefined, onGone?: OnGone): WalletStore {
    if (path === ':memory:') {
      const file = new WalletStore(openDatabase(path, { key, cipher: NEW_CIPHER }));
      file.write(fill);
      return file;
    }
    WalletStore.draft(path, key, fill);
    settleDraft(path);
    return WalletStore.open(path, key, onGone);
  }

  /**
   * Writes a whole store beside its place, on disk when this returns.
   * @throws WalletError `wallet_io`, and whatever `fill` throws: no draft stays.
   */
  static draft(path: string, key: Uint8Array, fill: Fill): void {
    const draft = draftOf(path);
    namingTrouble(draft, () => {
      removeDatabase(draft);
      let db: Db | undefined;
      try {
        db = openDatabase(draft, { key, cipher: NEW_CIPHER });
        const file = new WalletStore(db);
        file.write(fill);
        // The log does not take its place with it.
        db.pragma('wal_checkpoint(TRUNCATE)');
        file.close();
      } catch (error) {
        db?.close();
        removeDatabase(draft);
        throw error;
      }
    });
  }

  /** Removes a store that is not open. @throws WalletError `wallet_io` */
  static remove(path: string): void {
    namingTrouble(path, () => {
      removeDatabase(path);
      syncDirectory(dirname(path));
    });
  }

  /** @throws WalletError `wallet_corrupt`, `wallet_io` */
  static open(path: string, key: Uint8Array, onGone: OnGone = () => undefined): WalletStore {
    const cipher = cipherOf(path);
    const home = { path, key: new Secret(Uint8Array.from(key)), cipher, onGone };
    const db = openDatabase(path, { key, cipher });
    try {
      return noticingDamage(path, () => {
        const file = new WalletStore(db, home);
        if (file.#reader.meta.get('reused_keys') !== undefined) file.write((w) => w.settleReusedKeys());
        return file;
      });
    } catch (error) {
      db.close();
      throw error;
    }
  }

  get isInMemory(): boolean {
    return this.#home === undefined;
  }

  /** Another one whenever what is stored may have changed. */
  get version(): number {
    return this.#version;
  }

  /** @throws WalletError `no_wallet` once it is closed, `wallet_corrupt` where the file is damaged, `wallet_io`. */
  read<T>(task: (r: WalletReader) => T): T {
    this.#assertOpen();
    return noticingDamage(this.#path, () => task(this.#reader));
  }

  /** Number of blocks that the wallet knows. */
  height(): number {
    return (this.read((r) => r.chain.tip())?.height ?? 0) + 1;
  }

  /** Reward of the last block [atomic units]; zero while unknown. */
  lastBlockReward(): Amount {
    return amount(BigInt(this.read((r) => r.meta.get('last_block_reward')) ?? '0'));
  }

  /** What is stored now, to be read bit by bit. Not of a store in memory. It ends when the store is closed. */
  snapshot(): Snapshot {
    const home = this.#home;
    if (home === undefined) throw new Error('a snapshot of a store in memory');
    const snapshot = new Snapshot({
      now: () => this.#reader,
      apart: () => openStanding(home.path, keyOf(home)),
      guard: (task) => noticingDamage(home.path, task),
      onRelease: () => this.#snapshots.delete(snapshot),
    });
    this.#snapshots.add(snapshot);
    return snapshot;
  }

  /**
   * One transaction: all of it is on disk when this returns, or nothing when it throws.
   * @throws WalletError `wallet_corrupt` where the file is damaged, `wallet_io` where the disk is full or fails.
   */
  write<T>(task: (w: WalletWriter) => T): T {
    return this.#commit(task, true);
  }

  #commit<T>(task: (w: WalletWriter) => T, waitsForDisk: boolean): T {
    this.#assertOpen();
    if (this.#db.inTransaction) throw new Error('a write inside a write');
    return noticingDamage(this.#path, () => {
      this.#returnHome();
      for (const snapshot of this.#snapshots) snapshot.part();
      if (waitsForDisk !== this.#waitsForDisk)
        this.#db.pragma(`synchronous = ${waitsForDisk ? 'FULL' : 'NORMAL'}`);
      this.#waitsForDisk = waitsForDisk;
      this.#version += 1;
      return this.#db.transaction(() => task(this.#writer)).immediate();
    });
  }

  /**
   * One transaction of what the chain could tell again, or nobody is told of yet: it outlives this process as any
   * other does, but a failure of the machine only once {@link harden}, or any {@link write} after it, has ended. Does not wait for the disk.
   */
  writeRecoverable<T>(task: (w: WalletWriter) => T): T {
    const result = this.#commit(task, false);
    if (!this.#db.memory) this.#log.note();
    return result;
  }

  /** Ends once everything written so far is on disk; other work goes on meanwhile. @throws WalletError `wallet_io` */
  async harden(): Promise<void> {
    // Closing a store puts all of it on disk.
    if (this.#db.memory || !this.#db.open) return;
    noticingDamage(this.#path, () => this.#returnHome());
    await namingTroubleOf(this.#path, () => this.#log.finish());
  }

  /**
   * Moves what the log holds into the main file on another thread, so that the log can begin anew. Where that fails
   * the log grows, until a write moves it and says what is wrong.
   */
  async tidy(): Promise<void> {
    const home = this.#home;
    if (home === undefined) return;
    this.#tidying ??= checkpointAside(home.path, keyOf(home))
      .catch(() => undefined)
      .finally(() => {
        this.#tidying = undefined;
      });
    await this.#tidying;
  }

  /** Ends once nobody else holds the file open. */
  async settle(): Promise<void> {
    await this.#tidying;
  }

  /** Moves what the log holds into the main file; everything is on disk before this already. @throws WalletError `wallet_io` */
  sync(): void {
    noticingDamage(this.#path, () => {
      this.#returnHome();
      this.#db.pragma('wal_checkpoint(PASSIVE)');
    });
  }

  /** Drops pages that were read and can be read again. */
  giveMemoryBack(): void {
    if (this.#db.open) this.#db.pragma('shrink_memory');
  }

  /** After {@link settle}, where the store was tidied. @throws WalletError `wallet_corrupt`: it is closed all the same. */
  close(): void {
    if (!this.#db.open) return;
    for (const snapshot of this.#snapshots) snapshot.release();
    try {
      noticingDamage(this.#path, () => {
        this.#returnHome();
        this.#emptyLog();
      });
    } finally {
      this.#db.close();
      this.#standing?.release();
      this.#home?.key.wipe();
    }
  }

  /** Moves the log into the main file, where there is room: everything in the log is on disk already, and stays there. */
  #emptyLog(): void {
    try {
      this.#db.pragma('wal_checkpoint(TRUNCATE)');
    } catch (error) {
      const trouble = isDamage(error) ? error : fileTrouble(this.#path, error);
      if (!(trouble instanceof WalletError)) throw error;
    }
  }

  /** A request may be bound to a wallet that is closed meanwhile. @throws WalletError `no_wallet` */
  #assertOpen(): void {
    if (!this.#db.open) throw new WalletError({ kind: 'no_wallet' });
  }

  get #path(): string {
    return this.#home?.path ?? this.#db.name;
  }

  /**
   * Somebody may have deleted the file, or put another in its place, while it was open: what is written would be
   * gone with this process. All of it is written to its place again then; the other file gets another name.
   */
  #returnHome(): void {
    const home = this.#home;
    if (home === undefined || this.#standing?.isThere() !== false) return;
    const { path, onGone } = home;
    const draft = draftOf(path);
    removeDatabase(draft);
    this.#db.prepare('VACUUM INTO ?').run(draft);
    syncFile(draft);
    const aside = existsSync(path) ? keepAside(path, 'replaced') : undefined;
    this.#db.close();
    this.#standing.release();
    settleDraft(path);
    this.#db = openDatabase(path, keyOf(home));
    this.#log = logIn(this.#db, home);
    this.#waitsForDisk = true;
    this.#standing = new FileIdentity(path);
    this.#reader = new WalletReader(this.#db);
    this.#writer = new WalletWriter(this.#db);
    onGone(aside);
  }
}
