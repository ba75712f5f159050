import type { SoakReport } from './report.js';

const escaped = (text: unknown): string =>
  String(text).replace(/[&<>"]/g, (char) => `&#${char.codePointAt(0) ?? 0};`);

/** Table with a header; all cells are escaped. */
const table = (header: readonly string[], rows: readonly (readonly unknown[])[]): string =>
  `<table><thead><tr>${header.map((cell) => `<th>${escaped(cell)}</th>`).join('')}</tr></thead>\n<tbody>${rows
    .map((row) => `<tr>${row.map((cell) => `<td>${escaped(cell)}</td>`).join('')}</tr>`)
    .join('\n')}</tbody></table>`;

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
const mebibytes = (bytes: number): string => `${Math.round(bytes / 1048576)} MiB`;

const STYLE =
  'body{font:14px/1.5 system-ui,sans-serif;margin:2em auto;max-width:80em;padding:0 1em}' +
  'table{border-collapse:collapse;margin:1em 0}th,td{padding:.2em .7em;border-bottom:1px solid #8884;text-align:left}' +
  '.bad{color:#b00020}.good{color:#006b3c}';

/** Writes a report as one page, without scripts. */
export function reportPage(report: SoakReport): string {
  const { seed, begun, ms, wallets, nodes, faults, rounds, unavailable, behaviours, clients } = report;
  const last = rounds.at(-1);
  const verdict =
    faults.length === 0
      ? '<p class="good">Nothing acknowledged was lost, and no order was paid twice.</p>'
      : `<p class="bad">${faults.length} faults</p><ul>${faults.map((fault) => `<li>${escaped(fault)}</li>`).join('\n')}</ul>`;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Soak run ${escaped(seed)}</title><style>${STYLE}</style></head><body>
<h1>Soak run</h1>
${verdict}
${table(
  ['', ''],
  [
    ['seed', seed],
    ['begun', begun],
    ['time', seconds(ms)],
    ['wallets', wallets],
    ['nodes', nodes.join(', ')],
    ['rounds', rounds.length],
    ['facts', last?.facts ?? 0],
    [
      'orders paid, of orders placed',
      `${last?.paid ?? 0} of ${last?.orders ?? 0}, ${last?.paidAnew ?? 0} of them anew`,
    ],
    ['payment requests', last?.requests ?? 0],
    ['events', last?.events ?? 0],
    ['events streamed, delivered to webhooks', `${last?.streamed ?? 0}, ${last?.delivered ?? 0}`],
  ],
)}
<h2>Not brought about on this machine</h2>
${
  unavailable.length === 0
    ? '<p>Nothing.</p>'
    : table(
        ['trouble', 'reason'],
        unavailable.map(({ trouble, reason }) => [trouble, reason]),
      )
}
<h2>Rounds</h2>
${table(
  [
    'round',
    'troubles',
    'load and rest',
    'comparisons',
    'answered',
    'refused',
    'broken',
    'memory, open files',
    'faults',
  ],
  rounds.map((round) => [
    ...[round.round, round.troubles.join(', '), seconds(round.troubleMs), seconds(round.checkMs)],
    ...[round.answered, round.refused, round.broken],
    round.resources
      .map(({ process, memory, descriptors }) => `${process}: ${mebibytes(memory)}, ${descriptors}`)
      .join('; '),
    round.faults.length,
  ]),
)}
<h2>Troubles</h2>
${table(
  ['name', 'trouble', 'rounds'],
  report.troubles.map(({ name, title }) => [
    ...[name, title],
    rounds.filter(({ troubles }) => troubles.includes(name)).length,
  ]),
)}
<h2>Behaviours of the hostile daemon</h2>
${table(
  ['name', 'behaviour', 'answers'],
  behaviours.map(({ name, title, answers }) => [name, title, answers]),
)}
<h2>Hostile clients</h2>
${table(
  ['name', 'client', 'requests'],
  clients.map(({ name, title, answers }) => [name, title, answers]),
)}
<h2>Decisions</h2>
${table(
  ['round', 'time', 'subject', 'decision'],
  report.decisions.map(({ round, ms: at, subject, text }) => [round, seconds(at), subject, text]),
)}
</body></html>
`;
}
