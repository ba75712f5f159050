import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { AccountTagWriter } from './account-tags.js';
import { AccountWriter, SubaddressWriter } from './accounts.js';
import { AddressBookWriter } from './address-book.js';
import { AttributeWriter } from './attributes.js';
import { ChainWriter } from './chain.js';
import { checkpointAside } from './checkpoint.js';
import { noticingDamage, openDatabase, openStanding, type Db, type StoreKey } from './database.js';
import { syncDirectory, syncFile } from './durable.js';
import { ImportedOutputWriter } from './imported-outputs.js';
import { keepAside } from './keep-aside.js';
import { recogniseSpends } from './learn-key-images.js';
import { LogSync } from './log-sync.js';
import { MetaWriter } from './meta.js';
import { MultisigWriter } from './multisig.js';
import { NoteWriter, OutgoingWriter, TxKeyWriter } from './outgoing.js';
import { OutputWriter } from './output-writer.js';
import type { OutputRef } from './outputs.js';
import { PaymentWriter } from './payments.js';
import { PossibleSpendWriter } from './possible-spends.js';
import { PoolWriter } from './pool.js';
import { Snapshot } from './snapshot.js';
import { StandingFile } from './standing-file.js';
import { cipherOf, NEW_CIPHER, type StoreCipher } from './store-cipher.js';
import { draftOf, removeDatabase, settleDraft, logOf } from './store-draft.js';
import { ToldKeyImageWriter } from './told-key-images.js';
import { WalletReader } from './wallet-reader.js';
import type { Hash, SecretKey } from '../crypto/types.js';
import { Secret } from '../util/secret.js';
import type { OutgoingTx, PageFindings, TxFindings } from '../wallet/records.js';

/** Above all heights. */
const MAX_HEIGHT = Number.MAX_SAFE_INTEGER;

/** Changes a wallet's store; handed out by {@link WalletFile.write} alone. */
export class WalletWriter {
  readonly meta: MetaWriter;
  readonly chain: ChainWriter;
  readonly outputs: OutputWriter;
  readonly payments: PaymentWriter;
  readonly outgoing: OutgoingWriter;
  readonly txKeys: TxKeyWriter;
  readonly notes: NoteWriter;
  readonly pool: PoolWriter;
  readonly accounts: AccountWriter;
  readonly subaddresses: SubaddressWriter;
  readonly accountTags: AccountTagWriter;
  readonly possibleSpends: PossibleSpendWriter;
  readonly addressBook: AddressBookWriter;
  readonly attributes: AttributeWriter;
  readonly imported: ImportedOutputWriter;
  readonly toldKeyImages: ToldKeyImageWriter;
  readonly multisig: MultisigWriter;
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
    this.meta = new MetaWriter(db);
    this.chain = new ChainWriter(db);
    this.outputs = new OutputWriter(db);
    this.payments = new PaymentWriter(db);
    this.outgoing = new OutgoingWriter(db);
    this.txKeys = new TxKeyWriter(db);
    this.notes = new NoteWriter(db);
    this.pool = new PoolWriter(db);
    this.accounts = new AccountWriter(db);
    this.subaddresses = new SubaddressWriter(db);
    this.accountTags = new AccountTagWriter(db);
    this.possibleSpends = new PossibleSpendWriter(db);
    this.addressBook = new AddressBookWriter(db);
    this.attributes = new AttributeWriter(db);
    this.imported = new ImportedOutputWriter(db);
    this.toldKeyImages = new ToldKeyImageWriter(db);
    this.multisig = new MultisigWriter(db);
  }

  /**
   * Puts a page of blocks into the store: undo of what it replaces comes before redo.
   * @param freeInputs payments that it undoes hold their inputs no longer, though they can be relayed again.
   */
  applyPage(page: PageFindings, { freeInputs = false }: { readonly freeInputs?: boolean } = {}): void {
    const last = page.startHeight + page.hashes.length - 1;
    const tip = this.chain.tip()?.height ?? -1;
    // What lies beyond a page that continues the chain was read out of turn, and stands until the chain gets there.
    this.detach(page.startHeight, page.startHeight > tip ? last : MAX_HEIGHT, freeInputs);
    this.chain.attach(page.startHeight, page.hashes);
    this.subaddresses.add(page.subaddresses);
    for (const tx of page.received) {
      // Read out of turn, at a height that a reorganisation has taken from it.
      if (this.payments.has(tx.txHash)) this.#forget(tx.txHash);
      this.payments.add(tx);
      this.pool.remove(tx.txHash);
    }
    for (const output of page.outputs) {
      this.outputs.add(output);
      this.accounts.reach(output.subaddress);
    }
    for (const spend of page.spends) this.outputs.markSpent(spend);
    for (const tx of page.outgoing) this.outgoing.confirm(tx);
    for (const spend of page.possibleSpends ?? []) this.possibleSpends.add(spend);
    // A key image may have been told while the page was on its way.
    for (const { spentKeyImages = [] } of page.received) recogniseSpends(this, spentKeyImages);
    if (page.hashes.length > 0) this.imported.clear();
    this.outgoing.settle(last);
  }

  /** Puts transactions of the chain into the store that were read out of turn; of those known already it adds what is missing. */
  addFound(found: TxFindings): void {
    this.subaddresses.add(found.subaddresses);
    for (const tx of found.received) {
      if (!this.payments.has(tx.txHash)) this.payments.add(tx);
      this.pool.remove(tx.txHash);
    }
    for (const output of found.outputs) {
      if (this.outputs.has(output)) this.outputs.setChange(output);
      else this.outputs.add(output);
      this.accounts.reach(output.subaddress);
    }
    for (const spend of found.spends) this.outputs.markSpent(spend);
    for (const tx of found.outgoing) this.outgoing.confirmAnew(tx);
    for (const spend of found.possibleSpends ?? []) this.possibleSpends.add(spend);
    // A key image may have been told while they were looked at.
    for (const { spentKeyImages = [] } of found.received) recogniseSpends(this, spentKeyImages);
  }

  /** A transaction that paid us, and what it paid. */
  #forget(txHash: Hash): void {
    this.outputs.freezeUnseen(this.outputs.ofTx(txHash).filter(({ frozen }) => frozen));
    this.payments.remove(txHash);
  }

  /** Forgets what blocks from one height to another, both inclusive, hold. */
  detach(from: number, to: number = MAX_HEIGHT, freeInputs = false): void {
    this.chain.drop(from);
    this.outputs.detach(from, to, freeInputs);
    this.payments.detach(from, to);
    this.outgoing.detach(from, to);
    this.possibleSpends.detach(from, to);
  }

  /** A payment is about to be relayed: it, its keys if this wallet has them, and its inputs are recorded together. */
  prepare(tx: OutgoingTx, inputs: readonly OutputRef[], txKeys: readonly SecretKey[]): void {
    this.outgoing.insert(tx);
    this.outputs.reserve(inputs, tx.txHash);
    if (txKeys.length > 0 || this.txKeys.get(tx.txHash) === undefined) this.txKeys.set(tx.txHash, txKeys);
  }

  /** A payment was refused by the network: its inputs are free again. */
  fail(txHash: Hash): void {
    this.outgoing.setState(txHash, 'failed');
    this.outputs.release(txHash);
  }

  /** A payment that never left: nothing of it stays. */
  discard(txHash: Hash): void {
    this.outputs.release(txHash);
    this.outgoing.remove(txHash);
    this.#db.prepare('DELETE FROM tx_secret_key WHERE tx_hash = ?').run(txHash);
  }

  /**
   * Forgets what the chain can tell. @param hard what it cannot tell of payments too: keys and destinations. Notes
   * stay, as they do upstream. Source: wallet2.cpp `clear`, `clear_soft`.
   */
  clearChain({ hard }: { readonly hard: boolean }): void {
    this.detach(0);
    this.pool.clear();
    if (!hard) return;
    for (const table of ['outgoing_destination', 'outgoing_fact', 'outgoing_tx', 'tx_secret_key'])
      this.#db.prepare(`DELETE FROM ${table}`).run();
  }
}

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

/** The encrypted store of one wallet. */
export class WalletFile {
  /** Absent for a store in memory. */
  readonly #home: Home | undefined;
  #standing: StandingFile | undefined;
  #db: Db;
  #reader: WalletReader;
  #writer: WalletWriter;
  #log: LogSync;
  #version = 0;
  readonly #snapshots = new Set<Snapshot>();
  #tidying: Promise<unknown> | undefined;
  /** Does a commit wait for the disk? */
  #waitsForDisk = true;

  private constructor(db: Db, home?: Home) {
    this.#home = home;
    this.#standing = home && new StandingFile(home.path);
    this.#db = db;
    this.#log = new LogSync(logOf(db.name));
    this.#reader = new WalletReader(db);
    this.#writer = new WalletWriter(db);
  }

  /**
   * Makes a store; it stands at its place only once it is whole, what `fill` writes included.
   * @param path `:memory:` keeps it in memory. @param key 32 bytes.
   */
  static create(path: string, key: Uint8Array, fill: Fill = () => undefined, onGone?: OnGone): WalletFile {
    if (path === ':memory:') {
      const file = new WalletFile(openDatabase(path, { key, cipher: NEW_CIPHER }));
      file.write(fill);
      return file;
    }
    WalletFile.draft(path, key, fill);
    settleDraft(path);
    return WalletFile.open(path, key, onGone);
  }

  /** Writes a whole store beside its place, on disk when this returns. @throws whatever `fill` throws: no draft stays. */
  static draft(path: string, key: Uint8Array, fill: Fill): void {
    const draft = draftOf(path);
    removeDatabase(draft);
    const file = new WalletFile(openDatabase(draft, { key, cipher: NEW_CIPHER }));
    try {
      file.write(fill);
      file.close();
    } catch (error) {
      file.close();
      removeDatabase(draft);
      throw error;
    }
  }

  /** Removes a store that is not open. */
  static remove(path: string): void {
    removeDatabase(path);
    syncDirectory(dirname(path));
  }

  /** @throws WalletError `wallet_corrupt` */
  static open(path: string, key: Uint8Array, onGone: OnGone = () => undefined): WalletFile {
    const cipher = cipherOf(path);
    const home = { path, key: new Secret(Uint8Array.from(key)), cipher, onGone };
    const db = openDatabase(path, { key, cipher });
    try {
      return noticingDamage(path, () => new WalletFile(db, home));
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

  /** @throws WalletError `wallet_corrupt` where the file is damaged. */
  read<T>(task: (r: WalletReader) => T): T {
    return noticingDamage(this.#path, () => task(this.#reader));
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
   * @throws WalletError `wallet_corrupt` where the file is damaged.
   */
  write<T>(task: (w: WalletWriter) => T): T {
    return this.#commit(task, true);
  }

  #commit<T>(task: (w: WalletWriter) => T, waitsForDisk: boolean): T {
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

  /** Ends once everything written so far is on disk; other work goes on meanwhile. */
  async harden(): Promise<void> {
    // Closing a store puts all of it on disk.
    if (this.#db.memory || !this.#db.open) return;
    this.#returnHome();
    await this.#log.finish();
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

  /** Moves what the log holds into the main file; everything is on disk before this already. */
  sync(): void {
    this.#returnHome();
    this.#db.pragma('wal_checkpoint(PASSIVE)');
  }

  /** Drops pages that were read and can be read again. */
  giveMemoryBack(): void {
    if (this.#db.open) this.#db.pragma('shrink_memory');
  }

  /** After {@link settle}, where the store was tidied. */
  close(): void {
    if (!this.#db.open) return;
    for (const snapshot of this.#snapshots) snapshot.release();
    try {
      this.#returnHome();
      this.#db.pragma('wal_checkpoint(TRUNCATE)');
    } finally {
      this.#db.close();
      this.#standing?.release();
      this.#home?.key.wipe();
    }
  }

  get #path(): string {
    return this.#home?.path ?? ':memory:';
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
    this.#log = new LogSync(logOf(path));
    this.#waitsForDisk = true;
    this.#standing = new StandingFile(path);
    this.#reader = new WalletReader(this.#db);
    this.#writer = new WalletWriter(this.#db);
    onGone(aside);
  }
}
