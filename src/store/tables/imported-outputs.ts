import type { Statement } from '../../util/sql-database.js';
import type { Hash } from '../../monero/crypto/types.js';
import { amount, ZERO } from '../../util/amount.js';
import type { ImportedOutput, OwnedOutput } from '../../monero/wallet/model/records.js';
import { fromFlag, toAmount, toBytes, toColumn, toFlag, toNumber, type Integer } from '../sql/columns.js';
import type { Db } from '../file/database.js';
import type { AddressBalance } from '../queries/balances.js';

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
});

const NO_HASH = new Uint8Array(32) as Hash;

/** Converts an imported output to an output of the chain. Values that only the chain provides are blank. */
const toOwned = (imported: ImportedOutput): OwnedOutput => ({
  publicKey: imported.publicKey,
  derivationKey: imported.derivationKey,
  outputIndex: imported.outputIndex,
  globalIndex: imported.globalIndex,
  amount: imported.amount,
  rct: imported.rct,
  subaddress: imported.subaddress,
  keyImage: imported.keyImage,
  frozen: imported.frozen,
  txHash: NO_HASH,
  mask: 1n,
  height: 0,
  unlockTime: 0n,
  coinbase: false,
  change: false,
  burnt: false,
  ...(imported.spent ? { spentBy: NO_HASH, spentHeight: 0 } : {}),
});

/** Reads outputs that were imported into an offline wallet, in the order of the import. */
export class ImportedOutputReader {
  protected readonly db: Db;
  readonly #list: Statement<[], ImportedRow>;

  constructor(db: Db) {
    this.db = db;
    this.#list = db.prepare<[], ImportedRow>('SELECT * FROM imported_output ORDER BY place').safeIntegers();
  }

  isEmpty(): boolean {
    return this.db.prepare('SELECT 1 FROM imported_output LIMIT 1').get() === undefined;
  }

  count(): number {
    return this.db.prepare<[], number>('SELECT count(*) FROM imported_output').pluck().get() ?? 0;
  }

  list(): ImportedOutput[] {
    return this.#list.all().map(toImported);
  }

  /** Returns imported outputs. @param account absent: every account. @param minors absent: every address. */
  owned(account?: number, minors?: readonly number[]): OwnedOutput[] {
    return this.list()
      .map(toOwned)
      .filter(
        ({ subaddress: { major, minor } }) =>
          (account === undefined || major === account) && (minors === undefined || minors.includes(minor)),
      );
  }

  unspent(account?: number): OwnedOutput[] {
    return this.owned(account).filter(({ spentBy, frozen }) => spentBy === undefined && !frozen);
  }

  balances(account?: number): AddressBalance[] {
    const balances = new Map<string, AddressBalance>();
    for (const { subaddress, amount: value } of this.unspent(account)) {
      const key = `${subaddress.major}/${subaddress.minor}`;
      const known = balances.get(key) ?? { subaddress, total: ZERO, unspentCount: 0 };
      balances.set(key, {
        subaddress,
        total: amount(known.total + value),
        unspentCount: known.unspentCount + 1,
      });
    }
    return [...balances.values()];
  }

  usedAddresses(account: number): number[] {
    return [...new Set(this.owned(account).map(({ subaddress }) => subaddress.minor))];
  }
}

export class ImportedOutputWriter extends ImportedOutputReader {
  readonly #clear: Statement<[]>;

  constructor(db: Db) {
    super(db);
    this.#clear = db.prepare('DELETE FROM imported_output');
  }

  /**
   * Stores outputs at the positions from `first` on.
   * @param truncate true: outputs at these and later positions are deleted before.
   */
  put(first: number, outputs: readonly ImportedOutput[], truncate: boolean): void {
    if (truncate) this.db.prepare('DELETE FROM imported_output WHERE place >= ?').run(first);
    const insert = this.db.prepare(
      `INSERT OR REPLACE INTO imported_output (place, public_key, derivation_key, output_index, global_index, amount, rct,
         account, minor, key_image, spent, frozen, requested) VALUES (${Array(13).fill('?').join(', ')})`,
    );
    outputs.forEach((output, i) =>
      insert.run(
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
      ),
    );
  }

  /** Clears the flag of all outputs by which their key images are requested. */
  clearRequests(): void {
    this.db.prepare('UPDATE imported_output SET requested = 0').run();
  }

  clear(): void {
    this.#clear.run();
  }
}
