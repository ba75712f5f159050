import { markdownTable } from './markdown-table.js';

/** Lines of a page between which the table stands. */
const BEGIN = '<!-- Written by `npm run docs` from packaging/prometheus/alerts.yml: edit that. -->';
const END = '<!-- End of the alerts. -->';

/** A rule of the file: name, condition, and the time for which the condition holds first. */
const RULE = /^ {6}- alert: (\w+)\n {8}expr: (.+)\n(?: {8}for: (\w+)\n)?/gm;

/** Reads the rows of the table from the rules of the alerts. @throws Error for a rule of another form. */
function rowsOf(rules: string): string[][] {
  const rows = [...rules.matchAll(RULE)].map(([, name = '', condition = '', time = '']) => [
    `\`${name}\``,
    `\`${condition}\``,
    time,
  ]);
  if (rows.length !== rules.split('alert:').length - 1) throw new Error('an alert rule has another form');
  return rows;
}

/** Returns a page with the table of the alert rules of a Prometheus file. @throws Error for a page without its place. */
export function withAlerts(page: string, rules: string): string {
  const [before, , after] = page.split(new RegExp(`(?<=${BEGIN}\n)([^]*?)(?=${END})`));
  if (before === undefined || after === undefined) throw new Error('the page has no place for the alerts');
  const table = markdownTable(['alert', 'condition', 'for'], rowsOf(rules));
  return [before, '\n', table.join('\n'), '\n\n', after].join('');
}
