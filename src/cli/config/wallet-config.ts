import * as z from 'zod';
import type { ExportFormat } from '../../monero/wallet/exchange/exported-outputs.js';
import { utf8 } from '../../util/bytes.js';
import { Secret } from '../../util/secret.js';
import type { ConfirmationScale } from '../../model/payment-request.js';
import {
  optional,
  readConfirmations,
  readConfirmationScale,
  readText,
  withoutLineEnd,
} from './config-values.js';
import { flag, integer, list, oneOf, text, texts } from './option-schemas.js';

export interface WalletConfig {
  readonly dir?: string;
  readonly file?: string;
  readonly password?: Secret;
  /** Names of the wallets to open at the start. */
  readonly open: readonly string[];
  /** Directory with the passwords of these wallets, one file per wallet. */
  readonly passwordDir?: string;
  /** Directory for backups. */
  readonly backupDir?: string;
  readonly promptForPassword: boolean;
  readonly kdfRounds: number;
  readonly exportFormat: ExportFormat;
  /** Refresh period [s]; 0: on request only. */
  readonly refreshPeriod: number;
  readonly txNotify?: string;
  /** Run `--tx-notify`, and send webhooks, for the history of restored and imported wallets too. */
  readonly notifyHistory?: boolean;
  /** Thresholds of `payment.confirmed`, ascending. */
  readonly confirmations: readonly number[];
  readonly eventRetentionMs: number;
  /** Confirmations that payment requests need by their amount. */
  readonly confirmationScale: ConfirmationScale;
}

const DAY_MS = 86_400_000;

export const walletConfig = z
  .object({
    'export-format': oneOf(['current', '0.18.0'], ' is current or 0.18.0'),
    'password-file': text,
    password: text,
    'wallet-dir': text,
    'wallet-file': text,
    open: texts,
    'password-dir': text,
    'backup-dir': text,
    'prompt-for-password': flag,
    'kdf-rounds': integer(1, 1_000_000),
    'refresh-period': integer(0, 86_400),
    'tx-notify': text,
    'notify-history': flag,
    confirmations: list.transform(readConfirmations),
    'confirmations-by-amount': list.transform(readConfirmationScale),
    'event-retention': integer(1, 36_500),
  })
  .transform((given): WalletConfig => {
    const { password = passwordIn(given['password-file']) } = given;
    return {
      ...optional('dir', given['wallet-dir']),
      ...optional('file', given['wallet-file']),
      ...optional('password', password === undefined ? undefined : new Secret(utf8(password))),
      open: [...new Set(given.open)],
      ...optional('passwordDir', given['password-dir']),
      ...optional('backupDir', given['backup-dir']),
      promptForPassword: given['prompt-for-password'],
      kdfRounds: given['kdf-rounds'],
      exportFormat: given['export-format'],
      refreshPeriod: given['refresh-period'],
      ...optional('txNotify', given['tx-notify']),
      ...(given['notify-history'] ? { notifyHistory: true } : {}),
      confirmations: given.confirmations,
      confirmationScale: given['confirmations-by-amount'],
      eventRetentionMs: given['event-retention'] * DAY_MS,
    };
  });

/** Password in a file. @throws ConfigError */
const passwordIn = (path: string | undefined): string | undefined =>
  path === undefined ? undefined : withoutLineEnd(readText(path, 'password-file'));
