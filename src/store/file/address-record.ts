import { closeSync, fstatSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { regularAt, withFileErrors } from './file-errors.js';

/** Ending of the file beside a store that contains the number of addresses that its wallet has given out. */
export const ADDRESS_RECORD_SUFFIX = '.wallet-rpc-addresses';

/** Content of the record beside a restored store, which may lack any number of addresses. */
const RESTORED = 'restored';

/** Number of digits of the number, so that each number completely overwrites the number before. */
const DIGITS = 16;

/** Path of the record beside a store. */
export const addressRecordOf = (store: string): string => `${store}${ADDRESS_RECORD_SUFFIX}`;

/** Record of the addresses that a wallet has given out. */
export interface AddressRecord {
  /** Number of addresses that the store had at least; Infinity: unknown. */
  readonly count: number;
  /**
   * Time at which the file was created [ns], which a copy of the file does not keep; 0 on file systems that do not
   * record it.
   */
  readonly born: string;
}

/** Reads the record beside a store; undefined if there is no record. @throws WalletError `wallet_io` */
export function readAddressRecord(store: string): AddressRecord | undefined {
  const path = addressRecordOf(store);
  return withFileErrors(path, () => {
    const stat = regularAt(path);
    if (stat === undefined) return undefined;
    const text = readFileSync(path, 'latin1').trim();
    // A file without a number was not written to the disk before the machine stopped.
    const count = text === RESTORED ? Infinity : /^\d{1,15}$/.test(text) ? Number(text) : 0;
    return { count, born: String(stat.birthtimeNs) };
  });
}

/**
 * Creates the record beside a store, in place of an earlier record.
 * @param count number of addresses of the store; `restored`: the store may lack any number of addresses.
 * @returns time of creation of the record, as in {@link AddressRecord}. @throws WalletError `wallet_io`
 */
export function createAddressRecord(store: string, count: number | typeof RESTORED): string {
  const path = addressRecordOf(store);
  return withFileErrors(path, () => {
    rmSync(path, { force: true });
    const file = openSync(path, 'wx', 0o600);
    try {
      writeSync(file, lineOf(count));
      return String(fstatSync(file, { bigint: true }).birthtimeNs);
    } finally {
      closeSync(file);
    }
  });
}

/**
 * Overwrites the number in the record beside a store. The addresses must be on disk: otherwise a crash of the machine
 * could leave a record of more addresses than the store has.
 */
export function noteAddresses(store: string, count: number): void {
  try {
    const file = openSync(addressRecordOf(store), 'r+');
    try {
      writeSync(file, lineOf(count), 0);
    } finally {
      closeSync(file);
    }
  } catch {
    // A missing record is noticed when the store is next opened; the addresses are created in any case.
  }
}

const lineOf = (count: number | typeof RESTORED): string => `${String(count).padEnd(DIGITS)}\n`;
