import { categoriesOf, changeCategories, LOG_LEVELS, MAX_CATEGORIES } from '../util/log-categories.js';

/** Default that `/set_log_categories` restores when called without an argument. */
export const DEFAULT_CATEGORIES =
  '*:WARNING,net:FATAL,net.p2p:FATAL,net.cn:FATAL,global:INFO,verify:FATAL,stacktrace:INFO,logging:INFO,msgwriter:INFO';

/** Log categories as last set; returned to clients, without effect on this daemon's log. */
export class LogSettings {
  #categories = DEFAULT_CATEGORIES;

  get categories(): string {
    return this.#categories;
  }

  /** @returns false for an unknown level. */
  setLevel(level: number): boolean {
    if (!Number.isInteger(level) || level < 0 || level >= LOG_LEVELS) return false;
    this.#categories = level === 0 ? DEFAULT_CATEGORIES : categoriesOf(level);
    return true;
  }

  /** @param categories a list, a level, or a change that starts with `+` or `-`. */
  set(categories: string): void {
    this.#categories = changeCategories(this.#categories, categories).slice(0, MAX_CATEGORIES);
  }
}
