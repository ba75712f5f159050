import type { Statement } from 'better-sqlite3';
import type { Hash } from '../../crypto/types.js';
import { amount, ZERO } from '../../util/amount.js';
import type { ImportedOutput, OwnedOutput } from '../../wallet/model/records.js';
import { fromFlag, toAmount, toBytes, toColumn, toFlag, toNumber, type Integer } from '../sql/columns.js';
import type { Db } from '../file/database.js';
import type { HeldAmount } from '../queries/balances.js';

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

/** As the chain would show it, what only the chain knows left blank. */
const toOwned = (told: ImportedOutput): OwnedOutput => ({
  publicKey: told.publicKey,
  derivationKey: told.derivationKey,
  outputIndex: told.outputIndex,
  globalIndex: told.globalIndex,
  amount: told.amount,
  rct: told.rct,
  subaddress: told.subaddress,
  keyImage: told.keyImage,
  frozen: told.frozen,
  txHash: NO_HASH,
  mask: 1n,
  height: 0,
  unlockTime: 0n,
  coinbase: false,
  change: false,
  burnt: false,
  ...(told.spent ? { spentBy: NO_HASH, spentHeight: 0 } : {}),
});

/** Outputs that an offline wallet was told of, in their order. */
export class ImportedOutputReader {
  protected readonly db: Db;
  readonly #list: Statement<[], ImportedRow>;

  constructor(db: Db) {
    this.db = db;
    this.#list = db.prepare<[], ImportedRow>('SELECT * FROM imported_output ORDER BY place').safeIntegers();
  }

  list(): ImportedOutput[] {
    return this.#list.all().map(toImported);
  }

  /** @param account absent: every account. @param minors absent: every address. */
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

  balances(account?: number): HeldAmount[] {
    const held = new Map<string, HeldAmount>();
    for (const { subaddress, amount: value } of this.unspent(account)) {
      const key = `${subaddress.major}/${subaddress.minor}`;
      const known = held.get(key) ?? { subaddress, total: ZERO, unspentCount: 0 };
      held.set(key, {
        subaddress,
        total: amount(known.total + value),
        unspentCount: known.unspentCount + 1,
      });
    }
    return [...held.values()];
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

  /** Puts outputs in the places from `first` on; with `anew`, later places are emptied. */
  put(first: number, outputs: readonly ImportedOutput[], anew: boolean): void {
    if (anew) this.db.prepare('DELETE FROM imported_output WHERE place >= ?').run(first);
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

  /** Nobody waits for a key image any more. */
  clearRequests(): void {
    this.db.prepare('UPDATE imported_output SET requested = 0').run();
  }

  clear(): void {
    this.#clear.run();
  }
}
