/** Writes a table whose cells are padded to the width of their column, as the format check demands. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const all = [head, ...rows.map((row) => row.map((cell) => cell.replaceAll('|', '\\|')))];
  const widths = head.map((_, column) => Math.max(3, ...all.map((row) => (row[column] ?? '').length)));
  const line = (row: readonly string[]): string =>
    `| ${widths.map((width, column) => (row[column] ?? '').padEnd(width)).join(' | ')} |`;
  const [first = head, ...body] = all;
  return [line(first), `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...body.map(line)];
}
