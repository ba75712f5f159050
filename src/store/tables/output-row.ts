import { bytesToInt } from '../../crypto/scalar.js';
import type { OwnedOutput } from '../../wallet/model/records.js';
import { toAmount, toBytes, toFlag, toNumber, type Integer } from '../sql/columns.js';

export interface OutputRow {
  readonly tx_hash: Uint8Array;
  readonly output_index: Integer;
  readonly global_index: Integer;
  readonly public_key: Uint8Array;
  readonly key_image: Uint8Array | null;
  readonly amount: Integer;
  readonly mask: Uint8Array;
  readonly rct: Integer;
  readonly account: Integer;
  readonly minor: Integer;
  readonly derivation_key: Uint8Array;
  readonly height: Integer;
  readonly unlock_time: string;
  readonly coinbase: Integer;
  readonly change: Integer;
  readonly burnt: Integer;
  readonly frozen: Integer;
  readonly spent_by: Uint8Array | null;
  readonly spent_height: Integer | null;
  readonly credited: Integer | null;
  readonly first_height: Integer | null;
  readonly first_index: Integer | null;
  readonly spent_index: Integer | null;
  readonly taken: Integer;
}

/** Chain order: within a block, global indices follow the order of its transactions. */
export const CHAIN_ORDER = 'ORDER BY height, global_index, tx_hash, output_index';

export const toOutput = (row: OutputRow): OwnedOutput => ({
  txHash: toBytes<'Hash'>(row.tx_hash),
  outputIndex: toNumber(row.output_index),
  globalIndex: toNumber(row.global_index),
  publicKey: toBytes<'PublicKey'>(row.public_key),
  ...(row.key_image === null ? {} : { keyImage: toBytes<'KeyImage'>(row.key_image) }),
  amount: toAmount(row.amount),
  mask: bytesToInt(row.mask),
  rct: toFlag(row.rct),
  subaddress: { major: toNumber(row.account), minor: toNumber(row.minor) },
  derivationKey: toBytes<'PublicKey'>(row.derivation_key),
  height: toNumber(row.height),
  unlockTime: BigInt(row.unlock_time),
  coinbase: toFlag(row.coinbase),
  change: toFlag(row.change),
  burnt: toFlag(row.burnt),
  frozen: toFlag(row.frozen),
  ...(row.spent_by === null ? {} : { spentBy: toBytes<'Hash'>(row.spent_by) }),
  ...(row.spent_height === null ? {} : { spentHeight: toNumber(row.spent_height) }),
  ...(row.credited === null ? {} : { credited: toAmount(row.credited) }),
});
