import type { PublicKey } from '../../monero/crypto/types.js';
import type { SubaddressIndex } from '../../monero/cryptonote/types.js';
import {
  type SubaddressKey,
  eachSubaddress,
  ENTRY_BYTES,
  findPacked,
  packKeys,
  partOf,
  partsOf,
  type PackedSubaddresses,
} from '../../monero/wallet/scan/packed-subaddresses.js';
import { joinBytes } from '../../util/bytes.js';
import type { SqlDatabase } from '../../util/sql-database.js';

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
  protected readonly db: SqlDatabase;

  constructor(db: SqlDatabase) {
    this.db = db;
  }

  count(): number {
    return this.db.value<number>('SELECT count(*) FROM account') ?? 0;
  }

  /** Returns the number of addresses of all accounts. */
  addressSum(): number {
    return this.db.value<number>('SELECT coalesce(sum(address_count), 0) FROM account') ?? 0;
  }

  get(major: number): AccountRow | undefined {
    return this.db.row<AccountRow>(`${ACCOUNT} WHERE major = ?`, major);
  }

  list(): AccountRow[] {
    return this.db.rows<AccountRow>(`${ACCOUNT} ORDER BY major`);
  }
}

export class AccountWriter extends AccountReader {
  /** Creates an account. @returns its index. */
  create(): number {
    const major = this.count();
    this.db.run('INSERT INTO account (major, address_count) VALUES (?, 1)', major);
    return major;
  }

  /** Adds addresses to an account. @returns the minor index of the first new address. */
  addAddresses(major: number, count: number): number {
    const first = this.get(major)?.addressCount ?? 0;
    this.db.run('UPDATE account SET address_count = address_count + ? WHERE major = ?', count, major);
    return first;
  }

  /**
   * Creates all accounts and addresses up to the index of an address that has received an output. Source: wallet2.cpp
   * `expand_subaddresses`.
   */
  reach({ major, minor }: SubaddressIndex): void {
    const known = this.db.row('SELECT 1 FROM account WHERE major = ? AND address_count > ?', major, minor);
    if (known !== undefined) return;
    while (this.count() <= major)
      this.db.run(
        'INSERT INTO subaddress_label (major, minor, label) VALUES (?, 0, ?) ON CONFLICT DO NOTHING',
        this.create(),
        REACHED_LABEL,
      );
    this.db.run('UPDATE account SET address_count = max(address_count, ?) WHERE major = ?', minor + 1, major);
  }

  /** Creates all accounts and addresses as {@link reach}, for each of several indices. */
  reachAll(indices: readonly SubaddressIndex[]): void {
    const last = new Map<number, number>();
    for (const { major, minor } of indices) last.set(major, Math.max(minor, last.get(major) ?? 0));
    for (const [major, minor] of last) this.reach({ major, minor });
  }
}

/** Reads labels of addresses and the spend keys of all known subaddresses. */
export class SubaddressReader {
  protected readonly db: SqlDatabase;

  constructor(db: SqlDatabase) {
    this.db = db;
  }

  /** Returns the label of an address; empty if the address has no label. */
  label({ major, minor }: SubaddressIndex): string {
    return (
      this.db.value<string>(
        'SELECT label FROM subaddress_label WHERE major = ? AND minor = ?',
        major,
        minor,
      ) ?? ''
    );
  }

  /** Returns the length of the label of an address [bytes], without reading it. */
  labelBytes({ major, minor }: SubaddressIndex): number {
    return (
      this.db.value<number>(
        'SELECT octet_length(label) FROM subaddress_label WHERE major = ? AND minor = ?',
        major,
        minor,
      ) ?? 0
    );
  }

  /** Returns the labels of all addresses of an account, by minor index. */
  labels(major: number): Map<number, string> {
    return new Map(
      this.db.arrays.rows<[number, string]>(
        'SELECT minor, label FROM subaddress_label WHERE major = ?',
        major,
      ),
    );
  }

  /** Returns the labels of a few addresses of an account, by minor index. */
  labelsAmong(major: number, minors: readonly number[]): Map<number, string> {
    return new Map(
      this.db.arrays.rows<[number, string]>(
        `SELECT minor, label FROM subaddress_label
         WHERE major = ? AND minor IN (SELECT value FROM json_each(?))`,
        major,
        JSON.stringify(minors),
      ),
    );
  }

  /** Returns the length of {@link labelsBetween} [bytes], without reading the labels. */
  labelBytesBetween(major: number, first: number, last: number): number {
    return (
      this.db.value<number>(
        'SELECT coalesce(sum(octet_length(label)), 0) FROM subaddress_label WHERE major = ? AND minor BETWEEN ? AND ?',
        major,
        first,
        last,
      ) ?? 0
    );
  }

  /** Returns the labels of the addresses of an account from `first` to `last`, both inclusive, by minor index. */
  labelsBetween(major: number, first: number, last: number): Map<number, string> {
    return new Map(
      this.db.arrays.rows<[number, string]>(
        'SELECT minor, label FROM subaddress_label WHERE major = ? AND minor BETWEEN ? AND ?',
        major,
        first,
        last,
      ),
    );
  }

  find(spendPublicKey: PublicKey): SubaddressIndex | undefined {
    const found = this.db.row<SubaddressIndex>(
      'SELECT major, minor FROM subaddress_key WHERE spend_public_key = ?',
      spendPublicKey,
    );
    if (found !== undefined) return found;
    const part = this.db.value<Uint8Array>(
      'SELECT entries FROM packed_subaddress WHERE part = ?',
      partOf(spendPublicKey),
    );
    return part && findPacked(part, spendPublicKey);
  }

  /**
   * Returns the subaddresses that are stored packed, at most {@link MAX_PACKED}. The minor indices of each account,
   * including the indices of {@link packedAfter}, start at 0 and have no gaps. Some addresses may occur twice.
   */
  packedParts(): PackedSubaddresses {
    return joinBytes(this.db.values<Uint8Array>('SELECT entries FROM packed_subaddress'));
  }

  /**
   * Returns some of the subaddresses that are stored as rows, ordered by key.
   * @param key key after which the subaddresses begin; empty for the first call.
   */
  packedAfter(key: Uint8Array): KeysRead {
    // All rows are read as one text, which takes less time than reading each row.
    const text =
      this.db.value<string | null>(
        `SELECT group_concat(format('%s%08x%08x', hex(spend_public_key), major, minor), '') FROM
             (SELECT * FROM subaddress_key WHERE spend_public_key > ? ORDER BY spend_public_key LIMIT ?)`,
        key,
        KEYS_READ_AT_ONCE,
      ) ?? '';
    const packed = Buffer.from(text, 'hex');
    const isFull = packed.length === KEYS_READ_AT_ONCE * ENTRY_BYTES;
    return { packed, last: isFull ? packed.subarray(-ENTRY_BYTES).subarray(0, 32) : undefined };
  }
}

export class SubaddressWriter extends SubaddressReader {
  setLabel({ major, minor }: SubaddressIndex, label: string): void {
    this.db.run(
      'INSERT INTO subaddress_label (major, minor, label) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET label = excluded.label',
      major,
      minor,
      label,
    );
  }

  /** Adds subaddress keys; known keys are not changed. */
  add(keys: readonly SubaddressKey[]): void {
    if (keys.length >= MIN_PACKED) this.addPacked(packKeys(keys));
    else for (const { index, spendPublicKey } of keys) this.#addRow(spendPublicKey, index);
  }

  /** Adds many subaddress keys as {@link add}. */
  addPacked(keys: PackedSubaddresses): void {
    const isPacked =
      keys.length >= MIN_PACKED * ENTRY_BYTES &&
      keys.length + this.#packedBytes() <= MAX_PACKED * ENTRY_BYTES;
    if (isPacked)
      partsOf(keys).forEach((entries, part) =>
        this.db.run(
          `INSERT INTO packed_subaddress (part, entries) VALUES (?, ?)
       ON CONFLICT DO UPDATE SET entries = CAST(entries || excluded.entries AS BLOB)`,
          part,
          entries,
        ),
      );
    else eachSubaddress(keys, (index, at) => this.#addRow(keys.subarray(at, at + 32), index));
  }

  #packedBytes(): number {
    return this.db.value<number>('SELECT coalesce(sum(length(entries)), 0) FROM packed_subaddress') ?? 0;
  }

  #addRow(spendPublicKey: Uint8Array, { major, minor }: SubaddressIndex): void {
    this.db.run(
      'INSERT INTO subaddress_key (spend_public_key, major, minor) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
      spendPublicKey,
      major,
      minor,
    );
  }
}
