import { bytesToInt } from '../../monero/crypto/scalar.js';
import type { OwnedOutput } from '../../monero/wallet/model/records.js';
import type { Hash, KeyImage } from '../../monero/crypto/types.js';
import { equalBytes, type Bytes } from '../../util/bytes.js';
import { toAmount, toFlag, toNumber, type Integer } from '../sql/columns.js';

/** Row of {@link OUTPUT_COLUMNS}. */
export interface OutputRow {
  /** 32 bytes each: transaction hash, output key, derivation key, mask; key image and spending transaction if known. */
  readonly packed: Uint8Array;
  readonly has_key_image: Integer;
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

/** Columns of an output. One value has all bytes: a Buffer for each would take three times as long. */
export const OUTPUT_COLUMNS = `CAST(tx_hash || public_key || derivation_key || mask || coalesce(key_image, x'')
    || coalesce(spent_by, x'') AS BLOB) AS packed, key_image IS NOT NULL AS has_key_image, output_index, global_index,
  amount, rct, account, minor, height, unlock_time, coinbase, change, burnt, frozen, spent_height, credited`;

const KEY_BYTES = 32;

/** Returns a function that copies keys from a packed value, by their place in it. */
function keysIn(packed: Uint8Array): <K extends string>(place: number) => Bytes<K> {
  // A slice of a Buffer would share its memory.
  const bytes = new Uint8Array(packed.buffer, packed.byteOffset, packed.length);
  return (place) => bytes.slice(KEY_BYTES * place, KEY_BYTES * (place + 1)) as Bytes<never>;
}

/** Returns a function that shows keys of a packed value without copying them: for values that are dropped soon. */
const keyViewsIn =
  (packed: Uint8Array) =>
  <K extends string>(place: number): Bytes<K> =>
    packed.subarray(KEY_BYTES * place, KEY_BYTES * (place + 1)) as Bytes<never>;

/** Condition that nothing spends an output, and that it is neither burnt nor frozen. */
export const FREE = 'spent_by IS NULL AND burnt = 0 AND frozen = 0';

/** {@link FREE}, or only an unmined payment spends it. */
export const UNSPENT = 'spent_height IS NULL AND burnt = 0 AND frozen = 0';

/** Stands for a spending transaction that the wallet has not seen. */
export const UNKNOWN_TX = new Uint8Array(KEY_BYTES) as Hash;

export const isUnknownSpend = (spentBy: Uint8Array | undefined): boolean =>
  spentBy !== undefined && equalBytes(spentBy, UNKNOWN_TX);

/** Chain order: within a block, global indices follow the order of its transactions. */
export const CHAIN_ORDER = 'ORDER BY height, global_index, tx_hash, output_index';

export function toOutput(row: OutputRow): OwnedOutput {
  const key = keysIn(row.packed);
  const hasKeyImage = toFlag(row.has_key_image);
  const spendPlace = hasKeyImage ? 5 : 4;
  return {
    txHash: key<'Hash'>(0),
    outputIndex: toNumber(row.output_index),
    globalIndex: toNumber(row.global_index),
    publicKey: key<'PublicKey'>(1),
    ...(hasKeyImage ? { keyImage: key<'KeyImage'>(4) } : {}),
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
    ...(row.packed.length > KEY_BYTES * spendPlace ? { spentBy: key<'Hash'>(spendPlace) } : {}),
    ...(row.spent_height === null ? {} : { spentHeight: toNumber(row.spent_height) }),
    ...(row.credited === null ? {} : { credited: toAmount(row.credited) }),
  };
}

/** {@link KeyImageState} as a row of {@link STATE_COLUMNS}. */
export type StateRow = readonly [
  number: number,
  packed: Uint8Array,
  outputIndex: number,
  spentHeight: number | null,
];

/** Bytes of transaction hash, output key, key image and the spending transaction if there is one; and the other columns. */
export const STATE_COLUMNS = `rowid, CAST(tx_hash || public_key || key_image || coalesce(spent_by, x'') AS BLOB), output_index,
  spent_height`;

/** Output with its key image and the spend of it. */
export type KeyImageState = Pick<
  OwnedOutput,
  'txHash' | 'outputIndex' | 'publicKey' | 'spentBy' | 'spentHeight'
> & {
  /** Ascends in the order in which outputs were found. */
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

/** Condition that a signature proves the imported key image of an output. */
export const PROVEN = `EXISTS (
  SELECT 1 FROM told_key_image AS told WHERE told.public_key = owned_output.public_key AND told.proven = 1)`;

/** Row of {@link IMPORT_COLUMNS}. */
export type ImportRow = readonly [
  packed: Uint8Array,
  amount: string,
  height: number,
  frozen: number,
  isSpent: number,
  isSpentByUnknown: number | null,
  isProven: number,
];

/**
 * Columns of {@link ImportFacts}. Amounts are text, so that the other numbers need not be read as bigints, whose garbage
 * takes longer than the query.
 */
export const IMPORT_COLUMNS = `CAST(public_key || coalesce(key_image, x'') AS BLOB), CAST(amount AS TEXT), height, frozen,
  spent_by IS NOT NULL, spent_by = zeroblob(${KEY_BYTES}), ${PROVEN}`;

/** Facts of an output on which an import of its key image depends. */
export interface ImportFacts extends Pick<
  OwnedOutput,
  'publicKey' | 'keyImage' | 'amount' | 'height' | 'frozen'
> {
  readonly isSpent: boolean;
  /** The transaction that spends it was not seen. */
  readonly isSpentByUnknown: boolean;
  /** A signature proves its key image, which was imported. */
  readonly isProven: boolean;
}

export function toImportFacts([
  packed,
  value,
  height,
  frozen,
  isSpent,
  isSpentByUnknown,
  isProven,
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
  };
}
