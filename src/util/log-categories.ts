/** Default categories by log level. Source: mlog.cpp `get_default_categories`. */
const DEFAULTS = [
  '*:WARNING,net:FATAL,net.http:FATAL,net.ssl:FATAL,net.p2p:FATAL,net.cn:FATAL,daemon.rpc:FATAL,global:INFO,verify:FATAL,serialization:FATAL,daemon.rpc.payment:ERROR,stacktrace:INFO,logging:INFO,msgwriter:INFO',
  '*:INFO,global:INFO,stacktrace:INFO,logging:INFO,msgwriter:INFO,perf.*:DEBUG',
  '*:DEBUG',
  '*:TRACE,*.dump:DEBUG',
  '*:TRACE',
] as const;

export const LOG_LEVELS = DEFAULTS.length;

/** Severities of log messages, from the fewest to the most messages. */
const SEVERITIES = ['FATAL', 'ERROR', 'WARNING', 'INFO', 'DEBUG', 'TRACE'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** Longest text of categories [characters]. */
export const MAX_CATEGORIES = 10_000;

/** Returns the default categories of a log level. @param level 0 to 4; the result is empty for any other level. */
export const categoriesOf = (level: number): string => DEFAULTS[level] ?? '';

/**
 * Applies a change to a text of log categories.
 * @param change a list, a level, a level with a list, `+` with categories to add, or `-` with categories to remove.
 * Source: mlog.cpp `mlog_set_log`, `mlog_set_categories`.
 */
export function changeCategories(current: string, change: string): string {
  const [, digits, rest] = /^\s*([+-]?\d{1,9})(,.*)?$/s.exec(change) ?? [];
  if (digits !== undefined && rest === undefined) {
    const level = Number(digits);
    return level >= 0 && level < LOG_LEVELS ? categoriesOf(level) : current;
  }
  if (digits !== undefined) return categoriesOf(Number(digits)) + (rest ?? '');
  if (change.startsWith('+'))
    return change === '+' ? current : current + (current === '' ? '' : ',') + change.slice(1);
  if (!change.startsWith('-')) return change;
  return change
    .slice(1)
    .split(',')
    .reduce((left, category) => left.replace(category, ''), current);
}

/**
 * Parses the option `--log-level`: a level from 0 to 4, a level with a list, or a list of `name:SEVERITY`.
 * @returns log categories; undefined for any other text. Source: mlog.cpp `mlog_set_log`.
 */
export function readLogLevel(option: string): string | undefined {
  if (
    option.length > MAX_CATEGORIES ||
    !/^(?:[0-4]|(?:[0-4],)?[^,:\s]+:[^,:\s]+(?:,[^,:\s]+:[^,:\s]+)*)$/.test(option)
  )
    return undefined;
  return changeCategories('', option);
}

/** Categories of the reference to which the messages of this server belong. */
const OUR_CATEGORIES = ['global', 'wallet.rpc', 'wallet.wallet2'];

/**
 * Returns the lowest severity that log categories allow for this server; undefined if they allow no severity. The last
 * entry that matches a category decides.
 */
export function severityOf(categories: string): Severity | undefined {
  const entries = categories
    .split(',')
    .map((entry) => entry.split(':'))
    .flatMap(([name = '', severity = '']) => {
      const rank = (SEVERITIES as readonly string[]).indexOf(severity);
      return rank < 0 || name === '' ? [] : [{ name, rank }];
    });
  const rank = Math.max(
    ...OUR_CATEGORIES.map((own) => entries.findLast(({ name }) => matchesGlob(name, own))?.rank ?? -1),
  );
  return SEVERITIES[rank];
}

/**
 * Matches a glob: `*` stands for any text, `?` for one character. Unlike a regular expression, it never takes
 * exponential time.
 */
function matchesGlob(pattern: string, text: string): boolean {
  let reached = new Set([0]);
  for (const char of pattern) {
    const next = new Set<number>();
    for (const at of reached)
      if (char === '*') for (let to = at; to <= text.length; to++) next.add(to);
      else if (at < text.length && (char === '?' || char === text[at])) next.add(at + 1);
    reached = next;
  }
  return reached.has(text.length);
}
