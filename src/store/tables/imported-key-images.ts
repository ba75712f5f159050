import type { Statement } from 'better-sqlite3';
import type { KeyImage, PublicKey } from '../../crypto/types.js';
import type { ImportedKeyImage } from '../../wallet/model/records.js';
import { fromFlag, toBytes, toFlag, type Integer } from '../sql/columns.js';
import type { Db } from '../file/database.js';

interface ImportedRow {
  readonly public_key: Uint8Array;
  readonly key_image: Uint8Array;
  readonly proven: Integer;
}

const toImported = (row: ImportedRow): ImportedKeyImage => ({
  publicKey: toBytes<'PublicKey'>(row.public_key),
  keyImage: toBytes<'KeyImage'>(row.key_image),
  proven: toFlag(row.proven),
});

/** Key images that were imported into a wallet without a spend key. */
export class ImportedKeyImageReader {
  protected readonly db: Db;
  readonly #get: Statement<[Uint8Array], ImportedRow>;
  readonly #list: Statement<[], ImportedRow>;

  constructor(db: Db) {
    this.db = db;
    this.#get = db
      .prepare<[Uint8Array], ImportedRow>('SELECT * FROM told_key_image WHERE public_key = ?')
      .safeIntegers();
    this.#list = db.prepare<[], ImportedRow>('SELECT * FROM told_key_image').safeIntegers();
  }

  of(publicKey: PublicKey): ImportedKeyImage | undefined {
    const row = this.#get.get(publicKey);
    return row && toImported(row);
  }

  /** True if a signature proves the imported key image of an output. */
  isProven(publicKey: PublicKey): boolean {
    return this.of(publicKey)?.proven === true;
  }

  list(): ImportedKeyImage[] {
    return this.#list.all().map(toImported);
  }
}

export class ImportedKeyImageWriter extends ImportedKeyImageReader {
  /** A proven key image replaces an unproven one; otherwise the first one stored is kept. @returns the stored one. */
  set({ publicKey, keyImage, proven }: ImportedKeyImage): KeyImage {
    const known = this.of(publicKey);
    if (known !== undefined && (known.proven || !proven)) return known.keyImage;
    this.replace({ publicKey, keyImage, proven });
    return keyImage;
  }

  replace({ publicKey, keyImage, proven }: ImportedKeyImage): void {
    this.db
      .prepare('INSERT OR REPLACE INTO told_key_image (public_key, key_image, proven) VALUES (?, ?, ?)')
      .run(publicKey, keyImage, fromFlag(proven));
  }
}
