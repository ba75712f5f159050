import { categoriesOf, changeCategories, LOG_LEVELS, MAX_CATEGORIES } from '../util/log-categories.js';

/** What `/set_log_categories` goes back to without an argument. */
export const DEFAULT_CATEGORIES =
  '*:WARNING,net:FATAL,net.p2p:FATAL,net.cn:FATAL,global:INFO,verify:FATAL,stacktrace:INFO,logging:INFO,msgwriter:INFO';

/** Categories as they were last set; this daemon logs little, and keeps them for whoever asks. */
export class LogSettings {
  #categories = DEFAULT_CATEGORIES;

  get categories(): string {
    return this.#categories;
  }

  /** @returns false for a level that there is not. */
  setLevel(level: number): boolean {
    if (!Number.isInteger(level) || level < 0 || level >= LOG_LEVELS) return false;
    this.#categories = level === 0 ? DEFAULT_CATEGORIES : categoriesOf(level);
    return true;
  }

  /** A list, a level, or a change after `+` or `-`. */
  set(categories: string): void {
    this.#categories = changeCategories(this.#categories, categories).slice(0, MAX_CATEGORIES);
  }
}
