/**
 * Reads CSV as spreadsheets do: a field that begins with a quote ends with the next single one; text after it belongs to
 * the field.
 */
export function csvRecords(text: string, separator = ','): string[][] {
  const records: string[][] = [];
  let record: string[] = [];
  let at = 0;
  while (at < text.length) {
    let value = '';
    if (text[at] === '"') {
      for (at += 1; at < text.length; at += 1) {
        if (text[at] !== '"') value += text[at];
        else if (text[at + 1] === '"') {
          value += '"';
          at += 1;
        } else break;
      }
      at += 1;
    }
    while (at < text.length && text[at] !== separator && text[at] !== '\r' && text[at] !== '\n') {
      value += text[at];
      at += 1;
    }
    record.push(value);
    if (text[at] === separator) {
      at += 1;
      if (at === text.length) record.push('');
      continue;
    }
    at += text.startsWith('\r\n', at) ? 2 : 1;
    records.push(record);
    record = [];
  }
  if (record.length > 0) records.push(record);
  return records;
}
