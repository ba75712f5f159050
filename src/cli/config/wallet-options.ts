import { dirname, resolve } from 'node:path';
import { parseCoins } from '../../monero/cryptonote/coins.js';
import type { ConfirmationStep } from '../../model/payment-request.js';
import type { Amount } from '../../util/amount.js';
import { utf8 } from '../../util/bytes.js';
import { CodecError } from '../../util/codec.js';
import { Secret } from '../../util/secret.js';
import { ConfigError, optional, readText, withoutLineEnd } from './config-values.js';
import { integer, list, oneOf, texts, type Given, type Options } from './option.js';

const DAY_MS = 86_400_000;
const MAX_THRESHOLDS = 8;
const MAX_CONFIRMATIONS = 10_000;

/** Parses the thresholds of `payment.confirmed` [confirmations]. @throws ConfigError */
function readConfirmations(texts: readonly string[]): number[] {
  const numbers = texts.map((text) => (/^\d{1,5}$/.test(text) ? Number(text) : 0));
  const thresholds = [...new Set(numbers)].sort((a, b) => a - b);
  const isValid = thresholds.every((n) => n >= 1 && n <= MAX_CONFIRMATIONS);
  if (!isValid || thresholds.length === 0 || thresholds.length > MAX_THRESHOLDS)
    throw new ConfigError(
      `--confirmations takes 1 to ${MAX_THRESHOLDS} whole numbers from 1 to ${MAX_CONFIRMATIONS}, comma separated`,
    );
  return thresholds;
}

/**
 * Parses pairs of an amount in XMR and a number of confirmations, such as `0.5:1`. The first amount is 0; amounts and
 * confirmations ascend. @throws ConfigError
 */
function readConfirmationScale(texts: readonly string[]): ConfirmationStep[] {
  const steps = texts.map((text) => {
    const [, coins, confirmations] = /^(\d+(?:\.\d{1,12})?):(\d{1,5})$/.exec(text) ?? [];
    const from = coins === undefined ? undefined : tryParseCoins(coins);
    return from === undefined ? undefined : { from, confirmations: Number(confirmations) };
  });
  const isValid = steps.every((step, i): step is ConfirmationStep => {
    if (step === undefined || step.confirmations > MAX_CONFIRMATIONS) return false;
    const before = steps[i - 1];
    return before === undefined
      ? step.from === 0n
      : step.from > before.from && step.confirmations >= before.confirmations;
  });
  if (!isValid || steps.length === 0 || steps.length > MAX_THRESHOLDS)
    throw new ConfigError(
      `--confirmations-by-amount takes 1 to ${MAX_THRESHOLDS} pairs as 0:1,1.5:10, of ascending amounts in XMR from 0 on, with ascending confirmations up to ${MAX_CONFIRMATIONS}`,
    );
  return steps as ConfirmationStep[];
}

/** Parses an amount in coins; undefined if it is beyond 64 bits. */
function tryParseCoins(text: string): Amount | undefined {
  try {
    return parseCoins(text);
  } catch (error) {
    if (error instanceof CodecError) return undefined;
    throw error;
  }
}

/** Options of the wallets. */
export const WALLET_OPTIONS = {
  'wallet-dir': {
    argument: 'dir',
    help: 'directory of the wallets that clients create and open (made when missing)',
  },
  open: {
    argument: 'name',
    help: 'open this wallet of --wallet-dir at the start, under its path /wallet/<name>/json_rpc; repeatable',
    repeatable: true,
    value: texts,
  },
  'password-dir': {
    argument: 'dir',
    help: 'directory with the passwords of --open, a file a wallet, named as the wallet',
  },
  'wallet-file': { argument: 'file', help: 'open this wallet at the start' },
  password: { argument: 'text', help: 'password of --wallet-file', secret: true },
  'password-file': {
    argument: 'file',
    help: 'file that holds that password',
  },
  'prompt-for-password': { help: 'ask for that password on the terminal' },
  'kdf-rounds': {
    argument: 'n',
    help: 'key-stretching rounds of keys files',
    default: '1',
    value: integer(1, 1_000_000),
  },
  'export-format': {
    argument: 'format',
    help: 'format of outputs exported to offline wallets: current, or 0.18.0 for wallets of that first release',
    default: 'current',
    value: oneOf(['current', '0.18.0'], ' is current or 0.18.0'),
  },
  'refresh-period': {
    argument: 'seconds',
    help: 'time between two refreshes of a wallet, until auto_refresh sets another; 0 is on request only',
    default: '20',
    value: integer(0, 86_400),
  },
  'no-initial-sync': {
    help: 'ignored: requests are answered while the wallet syncs, always',
    noEffect: true,
  },
  'tx-notify': {
    argument: 'command',
    help: 'run for every incoming transaction, %s is its hash and %w the wallet, ./-name where an argument would begin with - (no shell); at most 4 at once, killed after 5 minutes',
  },
  'notify-history': {
    help: 'run --tx-notify, and send webhooks, also for what a restored or imported wallet received and paid before',
  },
  confirmations: {
    argument: 'n[,n…]',
    help: 'confirmations at which payment.confirmed is reported, at most 8 numbers; 1 is the block of the payment',
    default: '1,10',
    value: list.transform(readConfirmations),
  },
  'confirmations-by-amount': {
    argument: 'xmr:n[,xmr:n…]',
    help: 'confirmations that a payment request needs, from each amount in XMR on; 0 is the mempool',
    default: '0:1,1:10',
    value: list.transform(readConfirmationScale),
  },
  'backup-dir': {
    argument: 'dir',
    help: 'directory of the backups that backup_wallet writes',
  },
  'event-retention': {
    argument: 'days',
    help: 'age at which events are deleted',
    default: '90',
    value: integer(1, 36_500),
  },
  'webhook-allow-private': {
    help: 'let webhooks reach this machine and private networks',
  },
  'max-concurrency': {
    argument: 'n',
    help: 'scanning threads; 0 is one a core',
    default: '0',
    value: integer(0, 1024),
  },
} as const satisfies Options;

/** Settings of the wallets. */
export type WalletConfig = ReturnType<typeof walletConfig>;

/** Returns the directory of the wallets, where the server keeps its own files, too. */
export const homeOf = ({ dir, file = '.' }: Pick<WalletConfig, 'dir' | 'file'>): string =>
  resolve(dir ?? dirname(file));

/** Returns the settings of the wallets. @throws ConfigError */
export function walletConfig(given: Given<typeof WALLET_OPTIONS>) {
  const { password = passwordIn(given['password-file']) } = given;
  return {
    ...optional('dir', given['wallet-dir']),
    ...optional('file', given['wallet-file']),
    ...optional('password', password === undefined ? undefined : new Secret(utf8(password))),
    /** Names of the wallets to open at the start. */
    open: [...new Set(given.open)],
    /** Directory with the passwords of these wallets, one file per wallet. */
    ...optional('passwordDir', given['password-dir']),
    /** Directory for backups. */
    ...optional('backupDir', given['backup-dir']),
    promptForPassword: given['prompt-for-password'],
    kdfRounds: given['kdf-rounds'],
    exportFormat: given['export-format'],
    /** Refresh period [s]; 0: on request only. */
    refreshPeriod: given['refresh-period'],
    ...optional('txNotify', given['tx-notify']),
    /** True: run `--tx-notify`, and send webhooks, for the history of restored and imported wallets too. */
    ...(given['notify-history'] ? { notifyHistory: true } : {}),
    /** Thresholds of `payment.confirmed`, ascending. */
    confirmations: given.confirmations,
    /** Confirmations that payment requests need by their amount. */
    confirmationScale: given['confirmations-by-amount'],
    eventRetentionMs: given['event-retention'] * DAY_MS,
  };
}

/** Password in a file. @throws ConfigError */
const passwordIn = (path: string | undefined): string | undefined =>
  path === undefined ? undefined : withoutLineEnd(readText(path, 'password-file'));
