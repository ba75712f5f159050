/* Records of CSV, whose texts no spreadsheet runs. */

/** End of a record. Source: RFC 4180, section 2, rule 1. */
const LINE_END = '\r\n';

/**
 * Characters because of which a field is written in quotes. Semicolons and tabs separate fields in programs of some
 * countries.
 */
const QUOTED = /[",;\t\r\n]/;

/**
 * Places at which a spreadsheet finds a formula: the beginning, and every place that is the beginning of a cell for a
 * program which divides the text by semicolons or tabs. Spaces may precede the formula. The last four characters are
 * the full-width forms of the four characters before. Source: OWASP, CSV Injection.
 */
const FORMULA = /(^|[;\t\r\n"])([^\S\t\r\n]*)(?=[=+\-@\uff1d\uff0b\uff0d\uff20])/g;

/** Writes a field, in quotes if the field needs quotes. Source: RFC 4180, section 2, rules 5 to 7. */
const field = (text: string): string => (QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** Writes a record with its line end. */
export const csvRecord = (fields: readonly string[]): string => fields.map(field).join(',') + LINE_END;

/**
 * Makes a text of a person harmless in a spreadsheet: where a formula could begin, an apostrophe is inserted, and a
 * leading tab or line break, which spreadsheets skip, also gets an apostrophe.
 */
export const withoutFormulas = (text: string): string =>
  text.replace(FORMULA, "$1$2'").replace(/^(?=[\t\r\n])/, "'");
