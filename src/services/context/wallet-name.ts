import { basename } from 'node:path';
import { ADDRESS_RECORD_SUFFIX } from '../../store/file/address-record.js';
import { LOG_SUFFIXES } from '../../store/file/atomic-replace.js';
import { DRAFT_SUFFIX } from '../../store/file/file-draft.js';
import { WalletError } from '../../model/wallet-error.js';

/** Longest wallet name [bytes] that leaves room for the endings of its files on common file systems. */
const MAX_NAME_BYTES = 200;

/** Ending of the file that says how the local files of a wallet belong to a cluster. */
export const MARK_ENDING = '.cluster';

/** Endings, after a wallet name, of files that this server may write at any time. */
export const OWN_ENDINGS = [
  '.keys',
  '.lock',
  MARK_ENDING,
  DRAFT_SUFFIX,
  ADDRESS_RECORD_SUFFIX,
  ...LOG_SUFFIXES,
];

/**
 * Endings of other files of a wallet: background files, backups, and files of the reference. Source: wallet2.cpp
 * `do_prepare_file_names`, `store_to`, `store_keys`, `load_wallet_cache`.
 */
const OTHER_ENDINGS = [
  '.background',
  '.reference-cache',
  '.replaced',
  '.new',
  '.mms',
  '.address.txt',
  '.unportable',
  '.wallet-rpc-ids',
];

/** Number after the ending of every backup except the first. Source: file-draft.ts. */
const BACKUP_NUMBER = /(?<=\.(reference-cache|replaced))\.\d+$/i;

/** White space, control characters, and characters without width, as a class of a regular expression. */
const BLANK = '[\\s\\p{White_Space}\\p{Cc}\\u180e\\u200b-\\u200f\\u2060\\ufeff]';

/**
 * Matches a name that begins or ends with such a character. Libraries, file systems and people drop these characters,
 * so that two names become the same.
 */
const BLANK_END = new RegExp(`^${BLANK}|${BLANK}$`, 'u');

/** Matches one half of a surrogate pair, which UTF-8 cannot encode. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * Returns the ending that a name has, without regard to case, as on some file systems; undefined if it has none of
 * them.
 */
export const endingOf = (name: string, endings: readonly string[]): string | undefined =>
  endings.find((ending) => name.toLowerCase().endsWith(ending));

/** True if a name is a file name without a directory. */
export const isPlainName = (name: string): boolean =>
  name !== '' &&
  name === basename(name) &&
  !/[/\\\0]/.test(name) &&
  !LONE_SURROGATE.test(name) &&
  name !== '.' &&
  name !== '..';

export const badName = (name: string, reason: string): WalletError =>
  new WalletError({ kind: 'bad_wallet_name', name, reason });

/**
 * Checks the name of an existing wallet. @throws WalletError `bad_wallet_name` for a name that no wallet in a directory
 * can have.
 */
export function assertName(name: string): void {
  if (!isPlainName(name))
    throw badName(name, 'a wallet name is a plain file name inside the wallet directory');
  if (Buffer.byteLength(name) > MAX_NAME_BYTES)
    throw badName(name, `a wallet name has at most ${MAX_NAME_BYTES} bytes`);
  if (name.endsWith('.keys') || name.endsWith('.lock'))
    throw badName(name, 'a wallet is opened by its name, without .keys or .lock');
}

/**
 * Checks the name of a new wallet.
 * @throws WalletError `bad_wallet_name` for a name that only an older wallet may have, or that none can have.
 */
export function assertNewName(name: string): void {
  if (BLANK_END.test(name))
    throw badName(name, 'a wallet name neither begins nor ends with white space or invisible characters');
  const ending = endingOf(name.replace(BACKUP_NUMBER, ''), [...OWN_ENDINGS, ...OTHER_ENDINGS]);
  if (ending !== undefined)
    throw badName(name, `a wallet name cannot end with ${ending}: files of other wallets have such names`);
  assertName(name);
}
