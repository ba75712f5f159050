import { ConfigError } from './config-values.js';
import { didYouMean } from '../../util/nearest-name.js';
import { OPTION_NAMES, OPTIONS } from './options.js';

/** Settings of one source by flag name; `false` means that the source turns a switch off. */
export type Settings = Readonly<Record<string, Setting>>;

/** Value of one setting: a text, a switch, or the texts of a repeatable setting. */
export type Setting = string | boolean | readonly string[];

const WHITE_SPACE = ' \t\r\n';

/**
 * Removes the white space that the reference removes, in linear time. Source: boost, program_options/src/config_file.cpp
 * `trim_ws`.
 */
function trimmed(text: string): string {
  let [start, end] = [0, text.length];
  while (end > start && WHITE_SPACE.includes(text[end - 1] ?? '')) end -= 1;
  while (start < end && WHITE_SPACE.includes(text[start] ?? '')) start += 1;
  return text.slice(start, end);
}

/**
 * Returns the prefix of the names after a `[section]` line. Since no setting has a prefix, a section can only stand at
 * the end of a file. Source: config_file.cpp `common_config_file_iterator::get`.
 */
const prefixOf = (section: string): string => (section.endsWith('.') ? section : `${section}.`);

/**
 * Parses `name=value` lines by the rules of the reference's parser: everything from the first `#` of a line is a
 * comment, quotes and backslashes are part of a value, and names after a line `[section]` begin with `section.`. The
 * values `1`, `true`, `yes`, `on` and the empty value turn a switch on; `0`, `false`, `no` and `off` turn it off. A
 * repeatable setting has one line per value.
 * @throws ConfigError for an unknown name, a repeated name, or a line of another form. Source: config_file.cpp
 * `common_config_file_iterator::get`.
 */
export function parseConfigFile(text: string): Settings {
  const settings: Record<string, Setting> = {};
  let prefix = '';
  text.split('\n').forEach((line, i) => {
    const content = trimmed(line.replace(/#[^]*/, ''));
    if (content === '') return;
    if (content.startsWith('[') && content.endsWith(']'))
      return void (prefix = prefixOf(content.slice(1, -1)));
    const where = `config file, line ${i + 1}`;
    // The decoder replaces invalid bytes by U+FFFD, which would change a password silently.
    if (content.includes('\ufffd')) throw new ConfigError(`${where}: not UTF-8`);
    const equals = content.indexOf('=');
    // The error does not contain the line: the file may be a password file that was passed by mistake.
    if (equals < 0) throw new ConfigError(`${where}: not of the form name=value`);
    const name = prefix + trimmed(content.slice(0, equals));
    const setting = readSetting(name, trimmed(content.slice(equals + 1)), where);
    const before = settings[name];
    if (Array.isArray(before) && Array.isArray(setting)) settings[name] = [...before, ...setting];
    else if (before === undefined) settings[name] = setting;
    else throw new ConfigError(`${where}: ${name} is given twice`);
  });
  return settings;
}

const ON = ['', '1', 'true', 'yes', 'on'];
const OFF = ['0', 'false', 'no', 'off'];

/** Quotes a name for an error message; returns an empty text for anything that cannot be a name and may be a secret. */
const quoted = (name: string): string => (/^[\w.-]{1,64}$/.test(name) ? ` '${name}'` : '');

/**
 * Parses the value of one setting.
 * @param where place of the setting for the error message, which never contains the value.
 * @throws ConfigError
 */
export function readSetting(name: string, value: string, where: string): Setting {
  const option = OPTIONS.find((candidate) => candidate.name === name);
  if (option === undefined) {
    const shown = quoted(name);
    const suggestion = shown === '' ? '' : didYouMean(name, OPTION_NAMES);
    throw new ConfigError(`${where}: unknown setting${shown}${suggestion}`);
  }
  if (option.repeatable) return [value];
  if (option.argument !== undefined) return value;
  // Words for a boolean. Source: boost, program_options/src/value_semantic.cpp `validate`.
  const word = value.toLowerCase();
  if (ON.includes(word)) return true;
  if (OFF.includes(word)) return false;
  throw new ConfigError(`${where}: ${name} is a switch: 1 or 0`);
}
