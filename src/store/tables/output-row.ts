import { bytesToInt } from '../../monero/crypto/scalar.js';
import type { OwnedOutput } from '../../monero/wallet/scan/findings.js';
import type { Hash, KeyImage, PublicKey } from '../../monero/crypto/types.js';
import { equalBytes, fromHex, type Bytes } from '../../util/bytes.js';
import { CARROT_BYTES, fromCarrotColumn } from './carrot-column.js';
import { toAmount, toFlag, toNumber, type Integer } from './columns.js';

/** Row with the columns of {@link OUTPUT_COLUMNS}. */
export interface OutputRow {
  /**
   * Joined byte strings of 32 bytes: transaction hash, output key, derivation key, mask; then key image and spending
   * transaction if they are known; at the end the column of an output in the form of the fork.
   */
  readonly packed: Uint8Array;
  readonly has_key_image: Integer;
  readonly is_carrot: Integer;
  readonly output_index: Integer;
  readonly global_index: Integer;
  readonly amount: Integer;
  readonly rct: Integer;
  readonly account: Integer;
  readonly minor: Integer;
  readonly height: Integer;
  readonly unlock_time: string;
  readonly coinbase: Integer;
  readonly change: Integer;
  readonly burnt: Integer;
  readonly frozen: Integer;
  readonly spent_height: Integer | null;
  readonly credited: Integer | null;
}

/**
 * SQL columns of an output. All byte strings are joined into one value, because a Buffer for each byte string would
 * take three times as long.
 */
export const OUTPUT_COLUMNS = `CAST(tx_hash || public_key || derivation_key || mask
    || coalesce(key_image, x'') || coalesce(spent_by, x'') || coalesce(carrot, x'') AS BLOB) AS packed, key_image IS NOT NULL AS has_key_image,
  carrot IS NOT NULL AS is_carrot, output_index, global_index,
  amount, rct, account, minor, height, unlock_time, coinbase, change, burnt, frozen, spent_height, credited`;

const KEY_BYTES = 32;

/** Returns a function that copies the n-th byte string out of a packed value. */
function keysIn(packed: Uint8Array): <K extends string>(place: number) => Bytes<K> {
  // `slice` of a Buffer would share its memory instead of copying.
  const bytes = new Uint8Array(packed.buffer, packed.byteOffset, packed.length);
  return (place) => bytes.slice(KEY_BYTES * place, KEY_BYTES * (place + 1)) as Bytes<never>;
}

/**
 * Returns a function that returns the n-th byte string of a packed value as a view, without copying, for values that
 * are used only briefly.
 */
const keyViewsIn =
  (packed: Uint8Array) =>
  <K extends string>(place: number): Bytes<K> =>
    packed.subarray(KEY_BYTES * place, KEY_BYTES * (place + 1)) as Bytes<never>;

/** SQL condition that several outputs of the wallet have the key of an output. */
export const REUSED = `EXISTS (SELECT 1 FROM owned_output AS other INDEXED BY owned_output_burnt
  WHERE other.public_key = owned_output.public_key AND other.burnt = 1)`;

/** SQL condition that no transaction spends an output, and that it is neither burnt nor frozen. */
export const FREE = 'spent_by IS NULL AND burnt = 0 AND frozen = 0';

/** SQL condition like {@link FREE} that also holds if only an unmined payment spends the output. */
export const UNSPENT = 'spent_height IS NULL AND burnt = 0 AND frozen = 0';

/** Value that is stored in place of the hash of a spending transaction that the wallet has not seen. */
export const UNKNOWN_TX = new Uint8Array(KEY_BYTES) as Hash;

export const isUnknownSpend = (spentBy: Uint8Array | undefined): boolean =>
  spentBy !== undefined && equalBytes(spentBy, UNKNOWN_TX);

/** SQL order of outputs in the chain. Within a block, global indices ascend with the order of its transactions. */
export const CHAIN_ORDER = 'ORDER BY height, global_index, tx_hash, output_index';

export function toOutput(row: OutputRow): OwnedOutput {
  const key = keysIn(row.packed);
  const hasKeyImage = toFlag(row.has_key_image);
  const isCarrot = toFlag(row.is_carrot);
  const carrotAt = row.packed.length - (isCarrot ? CARROT_BYTES : 0);
  const spendPlace = 4 + (hasKeyImage ? 1 : 0);
  return {
    txHash: key<'Hash'>(0),
    outputIndex: toNumber(row.output_index),
    globalIndex: toNumber(row.global_index),
    publicKey: key<'PublicKey'>(1),
    ...(hasKeyImage ? { keyImage: key<'KeyImage'>(4) } : {}),
    ...(isCarrot ? { carrot: fromCarrotColumn(row.packed.subarray(carrotAt)) } : {}),
    amount: toAmount(row.amount),
    mask: bytesToInt(key(3)),
    rct: toFlag(row.rct),
    subaddress: { major: toNumber(row.account), minor: toNumber(row.minor) },
    derivationKey: key<'PublicKey'>(2),
    height: toNumber(row.height),
    unlockTime: BigInt(row.unlock_time),
    coinbase: toFlag(row.coinbase),
    change: toFlag(row.change),
    burnt: toFlag(row.burnt),
    frozen: toFlag(row.frozen),
    ...(carrotAt > KEY_BYTES * spendPlace ? { spentBy: key<'Hash'>(spendPlace) } : {}),
    ...(row.spent_height === null ? {} : { spentHeight: toNumber(row.spent_height) }),
    ...(row.credited === null ? {} : { credited: toAmount(row.credited) }),
  };
}

/** A {@link KeyImageState} as a row with the columns of {@link STATE_COLUMNS}. */
export type StateRow = readonly [
  number: number,
  packed: Uint8Array,
  outputIndex: number,
  spentHeight: number | null,
];

/**
 * SQL columns of a {@link KeyImageState}. Transaction hash, output key, key image and, if known, spending transaction
 * are joined into one value.
 */
export const STATE_COLUMNS = `rowid, CAST(tx_hash || public_key || key_image || coalesce(spent_by, x'') AS BLOB), output_index,
  spent_height`;

/** An output with its key image and the spend of that key image. */
export type KeyImageState = Pick<
  OwnedOutput,
  'txHash' | 'outputIndex' | 'publicKey' | 'spentBy' | 'spentHeight'
> & {
  /** Row number; ascends in the order in which outputs were found. */
  readonly number: number;
  readonly keyImage: KeyImage;
};

export function toState([number, packed, outputIndex, spentHeight]: StateRow): KeyImageState {
  const key = keyViewsIn(packed);
  return {
    number,
    txHash: key<'Hash'>(0),
    outputIndex,
    publicKey: key<'PublicKey'>(1),
    keyImage: key<'KeyImage'>(2),
    ...(packed.length > 3 * KEY_BYTES ? { spentBy: key<'Hash'>(3) } : {}),
    ...(spentHeight === null ? {} : { spentHeight }),
  };
}

/** SQL condition that a signature proves the imported key image of an output. */
export const PROVEN = `EXISTS (
  SELECT 1 FROM told_key_image AS told WHERE told.public_key = owned_output.public_key AND told.proven = 1)`;

/** Row with the columns of {@link IMPORT_COLUMNS}. */
export type ImportRow = readonly [
  number: number,
  packed: Uint8Array,
  amount: string,
  height: number,
  frozen: number,
  isSpent: number,
  isSpentByUnknown: number | null,
  isProven: number,
  isCarrot: number,
];

/**
 * SQL columns of {@link ImportFacts}. Amounts are read as text, so that the other integers need not be read as bigints,
 * which take longer to collect as garbage than the query runs.
 */
export const IMPORT_COLUMNS = `rowid, CAST(public_key || coalesce(key_image, x'') AS BLOB), CAST(amount AS TEXT), height, frozen,
  spent_by IS NOT NULL, spent_by = zeroblob(${KEY_BYTES}), ${PROVEN}, carrot IS NOT NULL`;

/** Facts of an output that decide how an import of its key image is treated. */
export interface ImportFacts extends Pick<
  OwnedOutput,
  'publicKey' | 'keyImage' | 'amount' | 'height' | 'frozen'
> {
  readonly isSpent: boolean;
  /** True if the transaction that spends the output was not seen. */
  readonly isSpentByUnknown: boolean;
  /** True if the key image of the output was imported with a signature that proves it. */
  readonly isProven: boolean;
  /** True if the output has the form of the fork. */
  readonly isCarrot: boolean;
}

export function toImportFacts([
  ,
  packed,
  value,
  height,
  frozen,
  isSpent,
  isSpentByUnknown,
  isProven,
  isCarrot,
]: ImportRow): ImportFacts {
  const key = keyViewsIn(packed);
  return {
    publicKey: key<'PublicKey'>(0),
    ...(packed.length > KEY_BYTES ? { keyImage: key<'KeyImage'>(1) } : {}),
    amount: toAmount(BigInt(value)),
    height,
    frozen: frozen === 1,
    isSpent: isSpent === 1,
    isSpentByUnknown: isSpentByUnknown === 1,
    isProven: isProven === 1,
    isCarrot: isCarrot === 1,
  };
}

/** Row with the columns of {@link EXPORT_COLUMNS}. */
export type ExportRow = readonly [
  number: number,
  keys: string,
  outputIndex: number,
  globalIndex: number,
  amount: string,
  account: number,
  minor: number,
  flags: number,
];

/** Bits of the flags in an {@link ExportRow}. */
const EXPORT_FLAG = { rct: 1, frozen: 2, spent: 4, keyImage: 8, proven: 16 };

/**
 * SQL columns of {@link ExportFacts}. Both keys are one text in hex, which is read in a fraction of the time of a Buffer;
 * amounts are text as in {@link IMPORT_COLUMNS}.
 */
export const EXPORT_COLUMNS = `rowid, hex(public_key || derivation_key || coalesce(carrot, x'')), output_index, global_index, CAST(amount AS TEXT),
  account, minor, ${EXPORT_FLAG.rct} * rct + ${EXPORT_FLAG.frozen} * frozen
  + ${EXPORT_FLAG.spent} * (spent_by IS NOT NULL) + ${EXPORT_FLAG.keyImage} * (key_image IS NOT NULL)
  + ${EXPORT_FLAG.proven} * ${PROVEN}`;

/** Facts of an output from which another wallet with the same keys recognises it and computes its key image. */
export interface ExportFacts extends Pick<
  OwnedOutput,
  | 'publicKey'
  | 'derivationKey'
  | 'outputIndex'
  | 'globalIndex'
  | 'amount'
  | 'subaddress'
  | 'rct'
  | 'frozen'
  | 'carrot'
> {
  readonly isSpent: boolean;
  readonly hasKeyImage: boolean;
  /** True if the key image of the output was imported with a signature that proves it. */
  readonly isProven: boolean;
}

/**
 * Converts the rows of a page. The keys are views of one byte string, which takes less time than two byte strings for
 * each row.
 */
export function toExportFacts(rows: readonly ExportRow[]): ExportFacts[] {
  const all = fromHex(rows.map(([, keys]) => keys).join(''));
  let at = 0;
  const next = (length: number): Uint8Array => all.subarray(at, (at += length));
  return rows.map(([, keys, outputIndex, globalIndex, value, account, minor, flags]) => ({
    publicKey: next(KEY_BYTES) as PublicKey,
    derivationKey: next(KEY_BYTES) as PublicKey,
    ...(keys.length > 4 * KEY_BYTES ? { carrot: fromCarrotColumn(next(CARROT_BYTES)) } : {}),
    outputIndex,
    globalIndex,
    amount: toAmount(BigInt(value)),
    subaddress: { major: account, minor },
    rct: (flags & EXPORT_FLAG.rct) !== 0,
    frozen: (flags & EXPORT_FLAG.frozen) !== 0,
    isSpent: (flags & EXPORT_FLAG.spent) !== 0,
    hasKeyImage: (flags & EXPORT_FLAG.keyImage) !== 0,
    isProven: (flags & EXPORT_FLAG.proven) !== 0,
  }));
}
