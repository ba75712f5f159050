import type { Statement } from 'better-sqlite3';
import type { SubaddressIndex } from '../cryptonote/types.js';
import type { Amount } from '../util/amount.js';
import type { OwnedOutput } from '../wallet/records.js';
import { toHex } from '../util/bytes.js';
import { toAmount, toFlag, toNumber, type Integer } from './columns.js';
import type { Db } from './database.js';

/** An output as lists show it: names in hex, for there may be very many of them. */
export interface IncomingOutput {
  readonly txHash: string;
  readonly publicKey: string;
  /** Empty while unknown. */
  readonly keyImage: string;
  readonly globalIndex: number;
  readonly amount: Amount;
  readonly subaddress: SubaddressIndex;
  readonly height: number;
  readonly unlockTime: bigint;
  readonly frozen: boolean;
  readonly spent: boolean;
}

interface Row {
  readonly tx_hash: string;
  readonly public_key: string;
  readonly key_image: string;
  readonly global_index: Integer;
  readonly amount: Integer;
  readonly account: Integer;
  readonly minor: Integer;
  readonly height: Integer;
  readonly unlock_time: string;
  readonly frozen: Integer;
  readonly spent: Integer;
}

const toIncoming = (row: Row): IncomingOutput => ({
  txHash: row.tx_hash,
  publicKey: row.public_key,
  keyImage: row.key_image,
  globalIndex: toNumber(row.global_index),
  amount: toAmount(row.amount),
  subaddress: { major: toNumber(row.account), minor: toNumber(row.minor) },
  height: toNumber(row.height),
  unlockTime: BigInt(row.unlock_time),
  frozen: toFlag(row.frozen),
  spent: toFlag(row.spent),
});

/** As {@link IncomingReader} would show an output. */
export const asIncoming = (output: OwnedOutput): IncomingOutput => ({
  txHash: toHex(output.txHash),
  publicKey: toHex(output.publicKey),
  keyImage: output.keyImage === undefined ? '' : toHex(output.keyImage),
  globalIndex: output.globalIndex,
  amount: output.amount,
  subaddress: output.subaddress,
  height: output.height,
  unlockTime: output.unlockTime,
  frozen: output.frozen,
  spent: output.spentBy !== undefined,
});

/** Lists what an account received. */
export class IncomingReader {
  readonly #list: Statement<[number], Row>;

  constructor(db: Db) {
    this.#list = db
      .prepare<[number], Row>(
        `SELECT lower(hex(tx_hash)) AS tx_hash, lower(hex(public_key)) AS public_key,
           lower(hex(coalesce(key_image, ''))) AS key_image, global_index, amount, account, minor, height,
           unlock_time, frozen, spent_by IS NOT NULL AS spent
         FROM owned_output WHERE account = ? AND burnt = 0
         ORDER BY height, global_index, owned_output.tx_hash, output_index`,
      )
      .safeIntegers();
  }

  /** In the order of the chain, burnt ones left out. @param minors absent: every address. */
  list(account: number, minors?: readonly number[]): IncomingOutput[] {
    const outputs = this.#list.all(account).map(toIncoming);
    return minors === undefined
      ? outputs
      : outputs.filter(({ subaddress }) => minors.includes(subaddress.minor));
  }
}
