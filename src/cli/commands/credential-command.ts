import { existsSync, lstatSync, readlinkSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Command } from 'commander';
import {
  CredentialFileError,
  readCredentials,
  readEntry,
  readOwnFile,
  type CredentialEntry,
  type CredentialFile,
} from '../../rpc/access/credential-file.js';
import { createPassword, createToken, digestHash, FAMILIES } from '../../rpc/access/credential.js';
import { REALM } from '../../http/login/authentication.js';
import { explain } from '../../rpc/faults/fault-table.js';
import { replaceContent } from '../../store/file/file-draft.js';
import { lockWallet, type WalletLock } from '../../store/file/wallet-lock.js';
import { utf8 } from '../../util/bytes.js';
import { faultOf } from '../../model/wallet-error.js';
import { methodNames } from '../clients.js';

/** Output streams of the command. */
export interface Terminal {
  /** Prints a line to standard output. */
  print(line: string): void;
  /** Prints a line to standard error. */
  hint(line: string): void;
}

interface FileOption {
  readonly credentials: string;
}

interface AddOptions extends FileOption {
  readonly digest?: true;
  readonly wallet?: readonly string[];
  readonly method?: readonly string[];
  readonly expires?: string;
  readonly address?: readonly string[];
  readonly from?: readonly string[];
  readonly spendTransaction?: string;
  readonly spendHour?: string;
  readonly spendDay?: string;
  readonly lock?: true;
  readonly balances?: true;
  readonly rate?: string;
  readonly payoutAccount?: readonly string[];
  readonly approveAbove?: string;
  readonly approvals?: string;
  readonly approvalDelay?: string;
  readonly approveOwn?: true;
}

/** Longest wait for other commands that change the file [ms]. */
const LOCK_MS = 10_000;
const LOCK_PAUSE_MS = 20;

const collect = (value: string, previous: readonly string[] = []): string[] => [...previous, value];

/** Contents of a file of credentials in its own form; the rules for payouts are kept as they are. */
interface FileContents {
  readonly credentials: readonly CredentialEntry[];
  readonly payouts?: CredentialFile['payouts'];
}

/** Reads a file of credentials; a missing file is empty. @throws CredentialFileError */
function contentsOf(path: string): FileContents {
  if (!existsSync(path)) return { credentials: [] };
  const { credentials, payouts } = readCredentials(readOwnFile(path), methodNames());
  return {
    credentials: credentials.map(({ entry }) => entry),
    ...(payouts === undefined ? {} : { payouts }),
  };
}

/**
 * Locks the file for one change, after the changes of other commands. @throws WalletError `wallet_locked`, `wallet_io`
 */
async function lock(path: string): Promise<WalletLock> {
  for (let waited = 0; ; waited += LOCK_PAUSE_MS) {
    try {
      return lockWallet(`${path}.lock`, path);
    } catch (error) {
      const isLocked = faultOf(error)?.kind === 'wallet_locked';
      if (!isLocked || waited >= LOCK_MS) throw error;
      await pause(LOCK_PAUSE_MS);
    }
  }
}

/** Largest number of symbolic links that are followed from a path to its file. Source: path_resolution(7). */
const MOST_LINKS = 40;

/** Follows symbolic links to the path of the file to write, which need not exist. @throws CredentialFileError */
function targetOf(path: string): string {
  let target = path;
  for (let links = 0; links <= MOST_LINKS; links++) {
    const isLink = lstatSync(target, { throwIfNoEntry: false })?.isSymbolicLink() === true;
    if (!isLink) return target;
    target = resolve(dirname(target), readlinkSync(target));
  }
  throw new CredentialFileError(`${path} cannot be read: its symbolic links form a circle`);
}

/**
 * Replaces the whole file of credentials; only its owner may read the file. Keeps a symbolic link, the owner and the
 * rights of the file. Commands that run at the same time change the file one after another.
 * @param edit returns the new credentials. @throws CredentialFileError
 */
async function change(
  path: string,
  edit: (entries: readonly CredentialEntry[]) => readonly CredentialEntry[],
): Promise<void> {
  try {
    const file = targetOf(path);
    const held = await lock(file);
    try {
      const before = contentsOf(file);
      const after = { ...before, credentials: edit(before.credentials) };
      await replaceContent(file, utf8(`${JSON.stringify(after, undefined, 2)}\n`));
    } finally {
      held.release();
    }
  } catch (cause) {
    const fault = faultOf(cause);
    if (fault === undefined) throw cause;
    throw new CredentialFileError(`${path} cannot be written: ${explain(fault)}`, { cause });
  }
}

/** Parses a rate limit `requests/seconds`. @throws CredentialFileError */
function readRate(text: string): { requests: number; seconds: number } {
  const [, requests, seconds] = /^(\d{1,6})\/(\d{1,6})$/.exec(text) ?? [];
  if (requests === undefined || seconds === undefined)
    throw new CredentialFileError('--rate is requests/seconds, such as 100/60');
  return { requests: Number(requests), seconds: Number(seconds) };
}

/** Returns the rules that the options give, without absent ones. */
function rulesOf(options: AddOptions): Omit<CredentialEntry, 'name'> {
  const spend = {
    ...(options.spendTransaction === undefined ? {} : { transaction: options.spendTransaction }),
    ...(options.spendHour === undefined ? {} : { hour: options.spendHour }),
    ...(options.spendDay === undefined ? {} : { day: options.spendDay }),
  };
  const payouts = {
    ...(options.payoutAccount === undefined ? {} : { accounts: options.payoutAccount.map(Number) }),
    ...(options.approveAbove === undefined ? {} : { approve_above: options.approveAbove }),
    ...(options.approvals === undefined ? {} : { approvals: Number(options.approvals) }),
    ...(options.approvalDelay === undefined ? {} : { delay: Number(options.approvalDelay) }),
    ...(options.approveOwn === undefined ? {} : { own: options.approveOwn }),
  };
  return {
    wallets: [...(options.wallet ?? [])],
    methods: [...(options.method ?? [])],
    ...(options.expires === undefined ? {} : { expires: options.expires }),
    ...(options.address === undefined ? {} : { addresses: [...options.address] }),
    ...(options.from === undefined ? {} : { from: [...options.from] }),
    ...(Object.keys(spend).length === 0 ? {} : { spend }),
    ...(options.lock === undefined ? {} : { lock: options.lock }),
    ...(options.balances === undefined ? {} : { balances: options.balances }),
    ...(options.rate === undefined ? {} : { rate: readRate(options.rate) }),
    ...(Object.keys(payouts).length === 0 ? {} : { payouts }),
  };
}

async function add(name: string, options: AddOptions, { print, hint }: Terminal): Promise<void> {
  const path = options.credentials;
  const token = createToken(name);
  const password = createPassword();
  const secret = options.digest
    ? { digest: { ha1: digestHash(name, REALM, password) } }
    : { token: token.hash };
  await change(path, (entries) => {
    if (entries.some((entry) => entry.name === name))
      throw new CredentialFileError(
        `${path} has a credential ${name} already: remove it first, or choose another name`,
      );
    const { entry } = readEntry({ name, ...secret, ...rulesOf(options) }, methodNames(), entries.length);
    return [...entries, entry];
  });
  print(options.digest ? `${name}:${password}` : token.text);
  hint(`This ${options.digest ? 'login' : 'token'} is shown once. ${RELOAD}`);
}

async function remove(name: string, { credentials: path }: FileOption, { hint }: Terminal): Promise<void> {
  await change(path, (entries) => {
    const kept = entries.filter((entry) => entry.name !== name);
    if (kept.length === entries.length) throw new CredentialFileError(`${path} has no credential ${name}`);
    return kept;
  });
  hint(`Credential ${name} was removed. ${RELOAD}`);
}

/** Prints the rules of every credential as JSON lines, without their secrets. */
function list({ credentials: path }: FileOption, { print }: Terminal): void {
  for (const { credential, entry } of readCredentials(readOwnFile(path), methodNames()).credentials) {
    const login = entry.token === undefined ? 'digest' : 'token';
    const isExpired = credential.refusal() !== undefined;
    const shown = { ...entry, token: undefined, digest: undefined, login };
    print(JSON.stringify({ ...shown, ...(isExpired ? { expired: true } : {}) }));
  }
}

const RELOAD = 'A running server reads the file again on SIGHUP.';

/** Creates the command `wallet-rpc credential`, whose actions throw CredentialFileError. */
export function credentialCommand(terminal: Terminal): Command {
  const program = new Command('wallet-rpc credential')
    .description('Adds, lists and removes the clients of a server started with --credentials.')
    .showHelpAfterError('(--help lists the options)');
  const command = (usage: string, description: string): Command =>
    program
      .command(usage)
      .description(description)
      .requiredOption('--credentials <file>', 'file of credentials');
  command('add <name>', 'add a credential, and print its token or login once')
    .option('--digest', 'an HTTP digest login in place of a bearer token')
    .option('--wallet <pattern>', 'allow wallets of these names; * and ? as in a shell; repeatable', collect)
    .option('--method <name>', `allow a method, or a family: ${FAMILIES.join(', ')}; repeatable`, collect)
    .option('--expires <time>', 'refuse it from this time on, such as 2027-01-31T00:00:00Z')
    .option('--address <address>', 'allow payments to this address only; repeatable', collect)
    .option('--from <ip[/bits]>', 'allow clients of this address or network only; repeatable', collect)
    .option('--spend-transaction <n>', 'most for one transaction with its fee, in atomic units')
    .option('--spend-hour <n>', 'most within any hour, per wallet, in atomic units')
    .option('--spend-day <n>', 'most within any 24 hours, per wallet, in atomic units')
    .option('--lock', 'allow locking money: payments with an unlock_time, and freeze')
    .option('--balances', 'show it balances and sums on /status')
    .option('--rate <requests/seconds>', 'most calls within any period of so many seconds')
    .option('--payout-account <index>', 'allow payouts of this account only; repeatable', collect)
    .option(
      '--approve-above <n>',
      'other persons must approve its payouts above this amount, in atomic units',
    )
    .option('--approvals <n>', 'approvals that such a payout needs; 2 if it is not given')
    .option('--approval-delay <seconds>', 'time between the last approval and the sending')
    .option('--approve-own', 'let its own approval count')
    .action((name: string, options: AddOptions) => add(name, options, terminal));
  command('list', 'print the rules of all credentials, without their secrets').action((options: FileOption) =>
    list(options, terminal),
  );
  command('remove <name>', 'remove a credential').action((name: string, options: FileOption) =>
    remove(name, options, terminal),
  );
  return program;
}
