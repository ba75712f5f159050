import type { Logger } from 'pino';
import {
  categoriesOf,
  changeCategories,
  LOG_LEVELS,
  MAX_CATEGORIES,
  severityOf,
  type Severity,
} from '../../util/log-categories.js';
import { WalletError } from '../../model/wallet-error.js';

const PINO_LEVEL: Readonly<Record<Severity, string>> = {
  FATAL: 'fatal',
  ERROR: 'error',
  WARNING: 'warn',
  INFO: 'info',
  DEBUG: 'debug',
  TRACE: 'trace',
};

/** Converts a string of log categories to a level of pino. */
export function pinoLevel(categories: string): string {
  const severity = severityOf(categories);
  return severity === undefined ? 'silent' : PINO_LEVEL[severity];
}

/** Changes the log level and categories at run time. */
export class LogControl {
  readonly #log: Logger;
  #categories: string;

  /** @param categories log categories at the start. */
  constructor(log: Logger, categories: string) {
    this.#log = log;
    this.#categories = categories;
  }

  /** Sets the log level. @param level number from 0 to 4, as in the reference. @throws WalletError `bad_log_level` */
  setLevel(level: number): void {
    if (level < 0 || level >= LOG_LEVELS) throw new WalletError({ kind: 'bad_log_level', level });
    this.#apply(categoriesOf(level));
  }

  /**
   * Sets, adds or removes log categories. @param change string of categories, as in `set_log_categories` of the
   * reference.
   * @returns the categories in force afterwards. @throws WalletError `invalid` if the text is too long.
   */
  setCategories(change: string): string {
    const categories = changeCategories(this.#categories, change);
    if (categories.length > MAX_CATEGORIES)
      throw new WalletError({
        kind: 'invalid',
        reason: `the categories have more than ${MAX_CATEGORIES} characters`,
      });
    this.#apply(categories);
    return categories;
  }

  #apply(categories: string): void {
    this.#categories = categories;
    this.#log.level = pinoLevel(categories);
  }
}
