import { categoriesOf, changeCategories, LOG_LEVELS, MAX_CATEGORIES } from '../util/log-categories.js';

/** Log categories to which `/set_log_categories` without an argument returns. */
export const DEFAULT_CATEGORIES =
  '*:WARNING,net:FATAL,net.p2p:FATAL,net.cn:FATAL,global:INFO,verify:FATAL,stacktrace:INFO,logging:INFO,msgwriter:INFO';

/**
 * Log level and categories that clients have set. They are returned to clients and have no effect on this daemon's log.
 */
export class LogSettings {
  #categories = DEFAULT_CATEGORIES;

  get categories(): string {
    return this.#categories;
  }

  /** Sets the log level. @returns false for an unknown level. */
  setLevel(level: number): boolean {
    if (!Number.isInteger(level) || level < 0 || level >= LOG_LEVELS) return false;
    this.#categories = level === 0 ? DEFAULT_CATEGORIES : categoriesOf(level);
    return true;
  }

  /**
   * Sets or changes the log categories.
   * @param categories a list of categories, a level, or a change that begins with `+` or `-`.
   */
  set(categories: string): void {
    this.#categories = changeCategories(this.#categories, categories).slice(0, MAX_CATEGORIES);
  }
}
