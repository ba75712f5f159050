import type { Statement } from '../../util/sql-database.js';
import type { PublicKey } from '../../monero/crypto/types.js';
import type { SubaddressIndex } from '../../monero/cryptonote/types.js';
import type { SubaddressKey } from '../../monero/wallet/model/records.js';
import {
  eachSubaddress,
  ENTRY_BYTES,
  findPacked,
  packKeys,
  partOf,
  partsOf,
  type PackedSubaddresses,
} from '../../monero/wallet/scan/packed-subaddresses.js';
import { joinBytes } from '../../util/bytes.js';
import type { Db } from '../file/database.js';

/** An account with its number of addresses. */
export interface AccountRow {
  readonly major: number;
  readonly addressCount: number;
}

/** Label of an account that no client created, but that was found in the chain. */
const REACHED_LABEL = 'Untitled account';

/** Number of keys added at once from which they are stored packed; each append rewrites all packed parts. */
const MIN_PACKED = 500;

/** Largest number of keys that are stored packed. A lookup reads one part of them, of 50 kB. */
const MAX_PACKED = 20_000;

/** Number of keys of watched addresses that are read at once, in less than a millisecond. */
const KEYS_READ_AT_ONCE = 512;

/** Keys of some watched addresses, and the last key for the next call; `last` is absent when there are no more. */
interface KeysRead {
  readonly packed: PackedSubaddresses;
  readonly last: Uint8Array | undefined;
}

const ACCOUNT = 'SELECT major, address_count AS addressCount FROM account';

export class AccountReader {
  protected readonly db: Db;
  readonly #count: Statement<[], { n: number }>;
  readonly #get: Statement<[number], AccountRow>;
  readonly #list: Statement<[], AccountRow>;
  readonly #addressSum: Statement<[], number>;

  constructor(db: Db) {
    this.db = db;
    this.#count = db.prepare('SELECT count(*) AS n FROM account');
    this.#get = db.prepare(`${ACCOUNT} WHERE major = ?`);
    this.#list = db.prepare(`${ACCOUNT} ORDER BY major`);
    this.#addressSum = db.prepare<[], number>('SELECT coalesce(sum(address_count), 0) FROM account').pluck();
  }

  count(): number {
    return this.#count.get()?.n ?? 0;
  }

  /** Returns the number of addresses of all accounts. */
  addressSum(): number {
    return this.#addressSum.get() ?? 0;
  }

  get(major: number): AccountRow | undefined {
    return this.#get.get(major);
  }

  list(): AccountRow[] {
    return this.#list.all();
  }
}

export class AccountWriter extends AccountReader {
  readonly #has: Statement<[number, number], { found: number }>;
  readonly #untitled: Statement<[number, string]>;
  readonly #reach: Statement<[number, number]>;

  constructor(db: Db) {
    super(db);
    this.#has = db.prepare('SELECT 1 AS found FROM account WHERE major = ? AND address_count > ?');
    this.#untitled = db.prepare(
      'INSERT INTO subaddress_label (major, minor, label) VALUES (?, 0, ?) ON CONFLICT DO NOTHING',
    );
    this.#reach = db.prepare('UPDATE account SET address_count = max(address_count, ?) WHERE major = ?');
  }

  /** Creates an account. @returns its index. */
  create(): number {
    const major = this.count();
    this.db.prepare('INSERT INTO account (major, address_count) VALUES (?, 1)').run(major);
    return major;
  }

  /** Adds addresses to an account. @returns the minor index of the first new address. */
  addAddresses(major: number, count: number): number {
    const first = this.get(major)?.addressCount ?? 0;
    this.db.prepare('UPDATE account SET address_count = address_count + ? WHERE major = ?').run(count, major);
    return first;
  }

  /**
   * Creates all accounts and addresses up to the index of an address that has received an output. Source: wallet2.cpp
   * `expand_subaddresses`.
   */
  reach({ major, minor }: SubaddressIndex): void {
    if (this.#has.get(major, minor) !== undefined) return;
    while (this.count() <= major) this.#untitled.run(this.create(), REACHED_LABEL);
    this.#reach.run(minor + 1, major);
  }

  /** Does the same as {@link reach} for each of several indices. */
  reachAll(indices: readonly SubaddressIndex[]): void {
    const last = new Map<number, number>();
    for (const { major, minor } of indices) last.set(major, Math.max(minor, last.get(major) ?? 0));
    for (const [major, minor] of last) this.reach({ major, minor });
  }
}

/** Reads labels of addresses and the spend keys of all known subaddresses. */
export class SubaddressReader {
  protected readonly db: Db;
  readonly #label: Statement<[number, number], { label: string }>;
  readonly #find: Statement<[Uint8Array], SubaddressIndex>;
  readonly #findPart: Statement<[number], Uint8Array>;
  readonly #labelBytes: Statement<[number, number], number>;
  readonly #labels: Statement<[number], [number, string]>;
  readonly #labelsAmong: Statement<[number, string], [number, string]>;
  readonly #labelsBetween: Statement<[number, number, number], [number, string]>;
  readonly #bytesBetween: Statement<[number, number, number], number>;

  constructor(db: Db) {
    this.db = db;
    this.#labels = db
      .prepare<[number], [number, string]>('SELECT minor, label FROM subaddress_label WHERE major = ?')
      .raw();
    this.#labelsAmong = db
      .prepare<[number, string], [number, string]>(
        `SELECT minor, label FROM subaddress_label
         WHERE major = ? AND minor IN (SELECT value FROM json_each(?))`,
      )
      .raw();
    this.#labelsBetween = db
      .prepare<[number, number, number], [number, string]>(
        'SELECT minor, label FROM subaddress_label WHERE major = ? AND minor BETWEEN ? AND ?',
      )
      .raw();
    this.#bytesBetween = db
      .prepare<[number, number, number], number>(
        'SELECT coalesce(sum(octet_length(label)), 0) FROM subaddress_label WHERE major = ? AND minor BETWEEN ? AND ?',
      )
      .pluck();
    this.#labelBytes = db
      .prepare<[number, number], number>(
        'SELECT octet_length(label) FROM subaddress_label WHERE major = ? AND minor = ?',
      )
      .pluck();
    this.#label = db.prepare('SELECT label FROM subaddress_label WHERE major = ? AND minor = ?');
    this.#findPart = db
      .prepare<[number], Uint8Array>('SELECT entries FROM packed_subaddress WHERE part = ?')
      .pluck();
    this.#find = db.prepare('SELECT major, minor FROM subaddress_key WHERE spend_public_key = ?');
  }

  /** Returns the label of an address; empty if it has none. */
  label({ major, minor }: SubaddressIndex): string {
    return this.#label.get(major, minor)?.label ?? '';
  }

  /** Returns the length of the label of an address [bytes], without reading it. */
  labelBytes({ major, minor }: SubaddressIndex): number {
    return this.#labelBytes.get(major, minor) ?? 0;
  }

  /** Returns the labels of all addresses of an account, by minor index. */
  labels(major: number): Map<number, string> {
    return new Map(this.#labels.all(major));
  }

  /** Returns the labels of a few addresses of an account, by minor index. */
  labelsAmong(major: number, minors: readonly number[]): Map<number, string> {
    return new Map(this.#labelsAmong.all(major, JSON.stringify(minors)));
  }

  /** Returns the length of {@link labelsBetween} [bytes], without reading the labels. */
  labelBytesBetween(major: number, first: number, last: number): number {
    return this.#bytesBetween.get(major, first, last) ?? 0;
  }

  /** Returns the labels of the addresses of an account from `first` to `last`, both inclusive, by minor index. */
  labelsBetween(major: number, first: number, last: number): Map<number, string> {
    return new Map(this.#labelsBetween.all(major, first, last));
  }

  find(spendPublicKey: PublicKey): SubaddressIndex | undefined {
    const found = this.#find.get(spendPublicKey);
    if (found !== undefined) return found;
    const part = this.#findPart.get(partOf(spendPublicKey));
    return part && findPacked(part, spendPublicKey);
  }

  /**
   * Returns the subaddresses that are stored packed, at most {@link MAX_PACKED}. The minor indices of each account,
   * those of {@link packedAfter} included, start at 0 and have no gaps. Some addresses may occur twice.
   */
  packedParts(): PackedSubaddresses {
    return joinBytes(this.db.prepare<[], Uint8Array>('SELECT entries FROM packed_subaddress').pluck().all());
  }

  /**
   * Returns some of the subaddresses that are stored as rows, ordered by key.
   * @param key key after which they begin; empty for the first call.
   */
  packedAfter(key: Uint8Array): KeysRead {
    // All rows are read as one text, which takes less time than reading each.
    const text =
      this.db
        .prepare<[Uint8Array, number], string | null>(
          `SELECT group_concat(format('%s%08x%08x', hex(spend_public_key), major, minor), '') FROM
             (SELECT * FROM subaddress_key WHERE spend_public_key > ? ORDER BY spend_public_key LIMIT ?)`,
        )
        .pluck()
        .get(key, KEYS_READ_AT_ONCE) ?? '';
    const packed = Buffer.from(text, 'hex');
    const isFull = packed.length === KEYS_READ_AT_ONCE * ENTRY_BYTES;
    return { packed, last: isFull ? packed.subarray(-ENTRY_BYTES).subarray(0, 32) : undefined };
  }
}

export class SubaddressWriter extends SubaddressReader {
  readonly #setLabel: Statement<[number, number, string]>;
  readonly #add: Statement<[Uint8Array, number, number]>;
  readonly #packedBytes: Statement<[], number>;
  readonly #addPart: Statement<[number, Uint8Array]>;

  constructor(db: Db) {
    super(db);
    this.#setLabel = db.prepare(
      'INSERT INTO subaddress_label (major, minor, label) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET label = excluded.label',
    );
    this.#add = db.prepare(
      'INSERT INTO subaddress_key (spend_public_key, major, minor) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
    );
    this.#packedBytes = db
      .prepare<[], number>('SELECT coalesce(sum(length(entries)), 0) FROM packed_subaddress')
      .pluck();
    this.#addPart = db.prepare(
      `INSERT INTO packed_subaddress (part, entries) VALUES (?, ?)
       ON CONFLICT DO UPDATE SET entries = CAST(entries || excluded.entries AS BLOB)`,
    );
  }

  setLabel({ major, minor }: SubaddressIndex, label: string): void {
    this.#setLabel.run(major, minor, label);
  }

  /** Adds subaddress keys; keys that are known stay unchanged. */
  add(keys: readonly SubaddressKey[]): void {
    if (keys.length >= MIN_PACKED) this.addPacked(packKeys(keys));
    else
      for (const { index, spendPublicKey } of keys) this.#add.run(spendPublicKey, index.major, index.minor);
  }

  /** Does the same as {@link add} for many keys. */
  addPacked(keys: PackedSubaddresses): void {
    const isPacked =
      keys.length >= MIN_PACKED * ENTRY_BYTES &&
      keys.length + (this.#packedBytes.get() ?? 0) <= MAX_PACKED * ENTRY_BYTES;
    if (isPacked) partsOf(keys).forEach((entries, part) => this.#addPart.run(part, entries));
    else
      eachSubaddress(keys, ({ major, minor }, at) => this.#add.run(keys.subarray(at, at + 32), major, minor));
  }
}
