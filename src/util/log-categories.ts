/** Source: mlog.cpp `get_default_categories`. */
const DEFAULTS = [
  '*:WARNING,net:FATAL,net.http:FATAL,net.ssl:FATAL,net.p2p:FATAL,net.cn:FATAL,daemon.rpc:FATAL,global:INFO,verify:FATAL,serialization:FATAL,daemon.rpc.payment:ERROR,stacktrace:INFO,logging:INFO,msgwriter:INFO',
  '*:INFO,global:INFO,stacktrace:INFO,logging:INFO,msgwriter:INFO,perf.*:DEBUG',
  '*:DEBUG',
  '*:TRACE,*.dump:DEBUG',
  '*:TRACE',
] as const;

export const LOG_LEVELS = DEFAULTS.length;

/** From silent to everything. */
const SEVERITIES = ['FATAL', 'ERROR', 'WARNING', 'INFO', 'DEBUG', 'TRACE'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** Longest text kept; additions stop there. */
export const MAX_CATEGORIES = 10_000;

/** What the reference logs at a level. @param level 0 to 4. */
export const categoriesOf = (level: number): string => DEFAULTS[level] ?? '';

/**
 * The text in force once a client has asked for another one: a list, a level, a level with a list, `+` with
 * what is added or `-` with what is taken away.
 * Source: mlog.cpp `mlog_set_log`, `mlog_set_categories`.
 */
export function changeCategories(current: string, asked: string): string {
  const [, digits, rest] = /^\s*([+-]?\d{1,9})(,.*)?$/s.exec(asked) ?? [];
  if (digits !== undefined && rest === undefined) {
    const level = Number(digits);
    return level >= 0 && level < LOG_LEVELS ? categoriesOf(level) : current;
  }
  if (digits !== undefined) return categoriesOf(Number(digits)) + (rest ?? '');
  if (asked.startsWith('+'))
    return asked === '+' ? current : current + (current === '' ? '' : ',') + asked.slice(1);
  if (!asked.startsWith('-')) return asked;
  return asked
    .slice(1)
    .split(',')
    .reduce((left, category) => left.replace(category, ''), current);
}

/**
 * Categories that a start asks for: a level of 0 to 4, a level with a list, or a list of `name:SEVERITY`.
 * @returns undefined for any other text. Source: mlog.cpp `mlog_set_log`.
 */
export function readLogLevel(asked: string): string | undefined {
  if (
    asked.length > MAX_CATEGORIES ||
    !/^(?:[0-4]|(?:[0-4],)?[^,:\s]+:[^,:\s]+(?:,[^,:\s]+:[^,:\s]+)*)$/.test(asked)
  )
    return undefined;
  return changeCategories('', asked);
}

/** Names under which the reference logs what we log. */
const OUR_CATEGORIES = ['global', 'wallet.rpc', 'wallet.wallet2'];

/** How much is logged under a text of categories; undefined is nothing. The last entry that fits a name decides. */
export function severityOf(categories: string): Severity | undefined {
  const entries = categories
    .split(',')
    .map((entry) => entry.split(':'))
    .flatMap(([name = '', severity = '']) => {
      const rank = (SEVERITIES as readonly string[]).indexOf(severity);
      return rank < 0 || name === '' ? [] : [{ name, rank }];
    });
  const rank = Math.max(
    ...OUR_CATEGORIES.map((own) => entries.findLast(({ name }) => fits(name, own))?.rank ?? -1),
  );
  return SEVERITIES[rank];
}

/** `*` is anything, `?` any character. Linear in both, unlike an expression made of the pattern. */
function fits(pattern: string, text: string): boolean {
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
