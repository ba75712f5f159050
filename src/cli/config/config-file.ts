import { ConfigError, OPTIONS } from './options.js';

/** Settings of one source by flag name; `false` is a switch that the source turns off. */
export type Settings = Readonly<Record<string, Setting>>;

/** Value of one setting: a text, a switch, or the texts of a repeatable setting. */
export type Setting = string | boolean | readonly string[];

/** Removes the white space that the reference removes. Source: boost, program_options/src/config_file.cpp `trim_ws`. */
const trimmed = (text: string): string => text.replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, '');

/**
 * Prefix of the names below a section. No setting has a section, so that one may only stand at the end of a file.
 * Source: config_file.cpp `common_config_file_iterator::get`.
 */
const prefixOf = (section: string): string => (section.endsWith('.') ? section : `${section}.`);

/**
 * Reads `name=value` lines with the rules of the reference's parser: everything from the first `#` of a line is a comment,
 * quotes and backslashes are parts of a value, names below `[section]` begin with `section.`. The value of a switch is
 * `1`, `true`, `yes`, `on` or empty to turn it on; `0`, `false`, `no` or `off` to turn it off. A repeatable setting has
 * one line a value.
 * @throws ConfigError on an unknown name, a repeated name, or a line of another form.
 * Source: config_file.cpp `common_config_file_iterator::get`.
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
    // The decoder puts U+FFFD in place of other bytes: a password would silently be another one.
    if (content.includes('\ufffd')) throw new ConfigError(`${where}: not UTF-8`);
    const equals = content.indexOf('=');
    // The error does not quote the line: a password file may have been passed by mistake.
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

/** Name in quotes for an error; empty for a text that cannot be a name, and may be a secret. */
const quoted = (name: string): string => (/^[\w.-]{1,64}$/.test(name) ? ` '${name}'` : '');

/**
 * Reads one setting from text.
 * @param where location for the error text, which never quotes the value.
 * @throws ConfigError
 */
export function readSetting(name: string, value: string, where: string): Setting {
  const option = OPTIONS.find((candidate) => candidate.name === name);
  if (option === undefined) throw new ConfigError(`${where}: unknown setting${quoted(name)}`);
  if (option.repeatable) return [value];
  if (option.argument !== undefined) return value;
  // Source: boost, program_options/src/value_semantic.cpp `validate`, for bool.
  const word = value.toLowerCase();
  if (ON.includes(word)) return true;
  if (OFF.includes(word)) return false;
  throw new ConfigError(`${where}: ${name} is a switch: 1 or 0`);
}
