import { basename } from 'node:path';
import { LOG_SUFFIXES } from '../../store/file/atomic-replace.js';
import { DRAFT_SUFFIX } from '../../store/file/file-draft.js';
import { WalletError } from '../../monero/wallet/model/wallet-error.js';

/** Longest wallet name [bytes] that leaves room for our endings on common file systems. */
const MAX_NAME_BYTES = 200;

/** Endings, after a wallet name, of the files that this server may write at any time. */
export const OWN_ENDINGS = ['.keys', '.lock', DRAFT_SUFFIX, ...LOG_SUFFIXES];

/**
 * Endings of the other files beside a wallet: background files, backups, and files of the reference.
 * Source: wallet2.cpp `do_prepare_file_names`, `store_to`, `store_keys`, `load_wallet_cache`.
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

/** Number behind the ending of every backup but the first. Source: backup-name.ts. */
const BACKUP_NUMBER = /(?<=\.(reference-cache|replaced))\.\d+$/i;

/** White space, control characters, and characters without width. */
const BLANK = '[\\s\\p{White_Space}\\p{Cc}\\u180e\\u200b-\\u200f\\u2060\\ufeff]';

/** Libraries, file systems and people drop such characters at an end, and then two names are one. */
const BLANK_END = new RegExp(`^${BLANK}|${BLANK}$`, 'u');

/** Half of a surrogate pair, which UTF-8 has no bytes for. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/** Compares without regard to case, as some file systems do. */
export const endingOf = (name: string, endings: readonly string[]): string | undefined =>
  endings.find((ending) => name.toLowerCase().endsWith(ending));

/** Whether a name is a file name without a directory. */
export const isPlainName = (name: string): boolean =>
  name !== '' &&
  name === basename(name) &&
  !/[/\\\0]/.test(name) &&
  !LONE_SURROGATE.test(name) &&
  name !== '.' &&
  name !== '..';

export const badName = (name: string, reason: string): WalletError =>
  new WalletError({ kind: 'bad_wallet_name', name, reason });

/** @throws WalletError `bad_wallet_name` for a name that no wallet of a directory has. */
export function assertName(name: string): void {
  if (!isPlainName(name))
    throw badName(name, 'a wallet name is a plain file name inside the wallet directory');
  if (Buffer.byteLength(name) > MAX_NAME_BYTES)
    throw badName(name, `a wallet name has at most ${MAX_NAME_BYTES} bytes`);
  if (name.endsWith('.keys') || name.endsWith('.lock'))
    throw badName(name, 'a wallet is opened by its name, without .keys or .lock');
}

/** @throws WalletError `bad_wallet_name` for a name that no new wallet gets; an older one may have it. */
export function assertNewName(name: string): void {
  if (BLANK_END.test(name))
    throw badName(name, 'a wallet name neither begins nor ends with white space or invisible characters');
  const ending = endingOf(name.replace(BACKUP_NUMBER, ''), [...OWN_ENDINGS, ...OTHER_ENDINGS]);
  if (ending !== undefined)
    throw badName(name, `a wallet name cannot end with ${ending}: files of other wallets have such names`);
  assertName(name);
}
