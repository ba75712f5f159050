import type { Hash, KeyImage, PublicKey } from '../../monero/crypto/types.js';
import type { ImportedKeyImage } from '../../monero/wallet/scan/key-images.js';
import { fromFlag, toBytes, toFlag, type Integer, keyEquals } from './columns.js';
import type { SqlDatabase } from '../../util/sql-database.js';
import { equalBytes } from '../../util/bytes.js';

interface ImportedRow {
  readonly public_key: Uint8Array;
  readonly key_image: Uint8Array;
  readonly proven: Integer;
  readonly placed: Integer;
}

const toImported = (row: ImportedRow): ImportedKeyImage => ({
  publicKey: toBytes<'PublicKey'>(row.public_key),
  keyImage: toBytes<'KeyImage'>(row.key_image),
  proven: toFlag(row.proven),
  ...(toFlag(row.placed) ? { placed: true } : {}),
});

/**
 * A key image that an earlier version assigned by the position of its output, with the mined transaction that spends
 * it.
 */
export interface PlacedSpend {
  readonly publicKey: PublicKey;
  readonly keyImage: KeyImage;
  readonly txHash: Hash;
}

interface PlacedSpendRow {
  readonly public_key: Uint8Array;
  readonly key_image: Uint8Array;
  readonly spent_by: Uint8Array;
}

/** Number of key images that are read at once, in less than a millisecond. */
const IMAGES_READ_AT_ONCE = 512;

/** Reads key images that were imported into a wallet without a spend key. */
export class ImportedKeyImageReader {
  protected readonly db: SqlDatabase;

  constructor(db: SqlDatabase) {
    this.db = db;
  }

  of(publicKey: PublicKey): ImportedKeyImage | undefined {
    const row = this.db.bigints.row<ImportedRow>(
      'SELECT * FROM told_key_image WHERE public_key = ?',
      publicKey,
    );
    return row && toImported(row);
  }

  /** Returns true if a signature proves the imported key image of an output. */
  isProven(publicKey: PublicKey): boolean {
    return this.of(publicKey)?.proven === true;
  }

  /**
   * Returns the outputs for which a key image was imported; only stores of earlier versions have several such outputs.
   */
  ownersOf(keyImage: KeyImage): ImportedKeyImage[] {
    return this.db.bigints
      .rows<ImportedRow>(
        `SELECT * FROM told_key_image WHERE ${keyEquals('key_image', '?')}`,
        keyImage,
        keyImage,
      )
      .map(toImported);
  }

  /**
   * Returns true if an import is to be stored. Two imports contradict each other if they give one output different key
   * images, or different outputs one key image. Then a proven import wins; otherwise the earlier import wins, unless it
   * was assigned by position.
   */
  accepts({ publicKey, keyImage, proven }: ImportedKeyImage): boolean {
    if (proven) return true;
    const known = this.of(publicKey);
    if (known?.proven === true) return false;
    const isSame = known !== undefined && equalBytes(known.keyImage, keyImage);
    return (
      (known === undefined || isSame || known.placed === true) &&
      this.ownersOf(keyImage).every(
        (owner) => owner.placed === true || equalBytes(owner.publicKey, publicKey),
      )
    );
  }

  /** Returns true if an import replaces the key image of an output, or takes its key image from another output. */
  contradicts({ publicKey, keyImage }: ImportedKeyImage): boolean {
    const known = this.of(publicKey);
    return (
      (known !== undefined && !equalBytes(known.keyImage, keyImage)) ||
      this.ownersOf(keyImage).some((owner) => !equalBytes(owner.publicKey, publicKey))
    );
  }

  /**
   * Returns some output keys with their key images, 64 bytes per pair, ordered by output key.
   * @param key key after which the output keys begin; empty for the first call.
   * @returns `last` key for the next call; absent when there are no more keys.
   */
  packedAfter(key: Uint8Array): { readonly packed: Uint8Array; readonly last: Uint8Array | undefined } {
    const packed = Buffer.from(
      this.db.value<string | null>(
        `SELECT group_concat(hex(public_key) || hex(key_image), '') FROM
           (SELECT * FROM told_key_image WHERE public_key > ? ORDER BY public_key LIMIT ?)`,
        key,
        IMAGES_READ_AT_ONCE,
      ) ?? '',
      'hex',
    );
    const isFull = packed.length === 64 * IMAGES_READ_AT_ONCE;
    return { packed, last: isFull ? packed.subarray(-64).subarray(0, 32) : undefined };
  }

  /** Returns key images that were assigned by position and that mined transactions spend which the wallet has seen. */
  placedSpends(): PlacedSpend[] {
    return this.db
      .rows<PlacedSpendRow>(`SELECT told.public_key, told.key_image, output.spent_by
         FROM told_key_image AS told INDEXED BY told_key_image_placed
           JOIN owned_output AS output ON ${keyEquals('output.key_image', 'told.key_image')}
         WHERE told.placed = 1 AND output.spent_height IS NOT NULL AND output.spent_by <> zeroblob(32)`)
      .map((row) => ({
        publicKey: toBytes<'PublicKey'>(row.public_key),
        keyImage: toBytes<'KeyImage'>(row.key_image),
        txHash: toBytes<'Hash'>(row.spent_by),
      }));
  }
}

export class ImportedKeyImageWriter extends ImportedKeyImageReader {
  /**
   * Stores a key image for an output, in place of the output's former key image.
   * @returns the other outputs that have lost this key image.
   */
  set({
    publicKey,
    keyImage,
    proven,
    placed = false,
  }: Omit<ImportedKeyImage, 'placed'> & { readonly placed?: boolean }): PublicKey[] {
    const others = this.ownersOf(keyImage)
      .map((owner) => owner.publicKey)
      .filter((owner) => !equalBytes(owner, publicKey));
    for (const other of others) this.remove(other);
    this.db.run(
      'INSERT OR REPLACE INTO told_key_image (public_key, key_image, proven, placed) VALUES (?, ?, ?, ?)',
      publicKey,
      keyImage,
      fromFlag(proven),
      fromFlag(placed),
    );
    return others;
  }

  /** Records that an unproven key image certainly belongs to its output. */
  confirm({ publicKey, keyImage }: Pick<ImportedKeyImage, 'publicKey' | 'keyImage'>): void {
    this.db.run(
      'UPDATE told_key_image SET placed = 0 WHERE public_key = ? AND key_image = ?',
      publicKey,
      keyImage,
    );
  }

  remove(publicKey: PublicKey): void {
    this.db.run('DELETE FROM told_key_image WHERE public_key = ?', publicKey);
  }
}
