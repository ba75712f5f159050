import { type Amount, amount } from '../../util/amount.js';
import type { KeyImage, PublicKey } from '../../monero/crypto/types.js';
import type { SubaddressIndex } from '../../monero/cryptonote/types.js';
import type { KeptExtensions } from '../../monero/wallet/scan/found-output.js';
import { fromCarrotColumn, toCarrotColumn } from './carrot-column.js';
import { fromFlag, toAmount, toBytes, toColumn, toFlag, toNumber, type Integer } from './columns.js';
import type { SqlDatabase } from '../../util/sql-database.js';
import { rangeOf, type AddressBalance } from './balances.js';

/** An output that was imported into an offline wallet. Source: wallet2.h `transfer_details`, after `import_outputs`. */
export interface ImportedOutput {
  readonly publicKey: PublicKey;
  readonly derivationKey: PublicKey;
  /** Index of the output in its transaction. */
  readonly outputIndex: number;
  readonly globalIndex: number;
  readonly amount: Amount;
  readonly rct: boolean;
  readonly subaddress: SubaddressIndex;
  readonly keyImage: KeyImage;
  /** Secret facts of an output in the form of the fork; absent in the old form. */
  readonly carrot?: KeptExtensions;
  readonly spent: boolean;
  readonly frozen: boolean;
  /** True if the last import requested the key image of the output. */
  readonly requested: boolean;
}

interface ImportedRow {
  readonly public_key: Uint8Array;
  readonly derivation_key: Uint8Array;
  readonly output_index: Integer;
  readonly global_index: Integer;
  readonly amount: Integer;
  readonly rct: Integer;
  readonly account: Integer;
  readonly minor: Integer;
  readonly key_image: Uint8Array;
  readonly spent: Integer;
  readonly frozen: Integer;
  readonly requested: Integer;
  readonly carrot: Uint8Array | null;
}

const toImported = (row: ImportedRow): ImportedOutput => ({
  publicKey: toBytes<'PublicKey'>(row.public_key),
  derivationKey: toBytes<'PublicKey'>(row.derivation_key),
  outputIndex: toNumber(row.output_index),
  globalIndex: toNumber(row.global_index),
  amount: toAmount(row.amount),
  rct: toFlag(row.rct),
  subaddress: { major: toNumber(row.account), minor: toNumber(row.minor) },
  keyImage: toBytes<'KeyImage'>(row.key_image),
  spent: toFlag(row.spent),
  frozen: toFlag(row.frozen),
  requested: toFlag(row.requested),
  ...(row.carrot === null ? {} : { carrot: fromCarrotColumn(row.carrot) }),
});

/** Sums of the upper and the lower 32 bits of the amounts of an address: a sum of whole amounts may exceed 64 bits. */
type SumRow = readonly [account: bigint, minor: bigint, high: bigint, low: bigint, count: bigint];

/** Reads outputs that were imported into an offline wallet, in the order of the import. */
export class ImportedOutputReader {
  protected readonly db: SqlDatabase;

  constructor(db: SqlDatabase) {
    this.db = db;
  }

  isEmpty(): boolean {
    return this.db.row('SELECT 1 FROM imported_output LIMIT 1') === undefined;
  }

  /** Counts the outputs, whose places are the numbers below the count. */
  count(): number {
    return this.db.value<number>('SELECT max(place) + 1 FROM imported_output') ?? 0;
  }

  /**
   * Lists outputs.
   * @param first place of the first output, from 0 on.
   * @param count largest number; absent: all further outputs.
   */
  list(first = 0, count?: number): ImportedOutput[] {
    return this.db.bigints
      .rows<ImportedRow>(
        'SELECT * FROM imported_output WHERE place >= ? ORDER BY place LIMIT ?',
        first,
        count ?? -1,
      )
      .map(toImported);
  }

  /** Returns the address that an imported output pays; undefined for an output that was not imported. */
  addressOf(publicKey: PublicKey): SubaddressIndex | undefined {
    return this.db.row<SubaddressIndex>(
      'SELECT account AS major, minor FROM imported_output WHERE public_key = ?',
      publicKey,
    );
  }

  /** Lists the key images of the first outputs. @param count largest number. */
  keyImages(count: number): KeyImage[] {
    return this.db
      .values<Uint8Array>('SELECT key_image FROM imported_output ORDER BY place LIMIT ?', count)
      .map((keyImage) => toBytes<'KeyImage'>(keyImage));
  }

  /**
   * Returns the place of the first output whose key image the last import asked for; undefined if it asked for no key
   * image.
   */
  firstRequested(): number | undefined {
    return this.db.value<number>(
      'SELECT place FROM imported_output WHERE requested = 1 ORDER BY place LIMIT 1',
    );
  }

  /**
   * Returns the sum of each address with outputs that are neither spent nor frozen, in the order of accounts and minor
   * indices. @param account absent: every account.
   */
  balances(account?: number): AddressBalance[] {
    return this.db.bigintArrays
      .rows<SumRow>(
        `SELECT account, minor, sum(amount >> 32), sum(amount & 0xffffffff), count(*) FROM imported_output
         WHERE spent = 0 AND frozen = 0 AND account BETWEEN ? AND ? GROUP BY account, minor`,
        ...rangeOf(account),
      )
      .map(([major, minor, high, low, count]) => ({
        subaddress: { major: toNumber(major), minor: toNumber(minor) },
        total: amount((high << 32n) + low),
        unspentCount: toNumber(count),
      }));
  }

  /** Returns the given addresses of an account that an imported output pays, by minor index. */
  usedAmong(account: number, minors: readonly number[]): number[] {
    return this.db.values<number>(
      `SELECT m.value FROM json_each(?) m
         WHERE EXISTS (SELECT 1 FROM imported_output i WHERE i.account = ? AND i.minor = m.value)`,
      JSON.stringify(minors),
      account,
    );
  }
}

export class ImportedOutputWriter extends ImportedOutputReader {
  /**
   * Stores outputs at the positions from `first` on.
   * @param truncate true: outputs at these and later positions are deleted before.
   */
  put(first: number, outputs: readonly ImportedOutput[], truncate: boolean): void {
    if (truncate) this.db.run('DELETE FROM imported_output WHERE place >= ?', first);
    outputs.forEach((output, i) =>
      this.db.run(
        `INSERT OR REPLACE INTO imported_output (place, public_key, derivation_key, output_index, global_index, amount, rct,
           account, minor, key_image, spent, frozen, requested, carrot) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        first + i,
        output.publicKey,
        output.derivationKey,
        output.outputIndex,
        output.globalIndex,
        toColumn(output.amount),
        fromFlag(output.rct),
        output.subaddress.major,
        output.subaddress.minor,
        output.keyImage,
        fromFlag(output.spent),
        fromFlag(output.frozen),
        fromFlag(output.requested),
        output.carrot === undefined ? null : toCarrotColumn(output.carrot),
      ),
    );
  }

  /** Clears the flag of all outputs by which their key images are requested. */
  clearRequests(): void {
    this.db.run('UPDATE imported_output SET requested = 0 WHERE requested = 1');
  }

  clear(): void {
    this.db.run('DELETE FROM imported_output');
  }
}
