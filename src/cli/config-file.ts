import { ConfigError, OPTIONS } from './options.js';

/** Settings of one source by flag name; `false` is a switch that the source turns off. */
export type Settings = Readonly<Record<string, Setting>>;

/** Value of one setting: a text, a switch, or the texts of a repeatable setting. */
export type Setting = string | boolean | readonly string[];

/**
 * Reads `name=value` lines; `#` starts a comment line. `1`, `true`, `yes` or no value turn a switch on; `0`, `false`
 * or `no` turn it off. A repeatable setting has one line a value.
 * @throws ConfigError on an unknown name, a repeated name, or a line of another form.
 */
export function parseConfigFile(text: string): Settings {
  const settings: Record<string, Setting> = {};
  text.split(/\r?\n/).forEach((line, i) => {
    if (/^\s*(#|$)/.test(line)) return;
    const where = `config file, line ${i + 1}`;
    const [, name = '', value] = /^\s*([a-z0-9-]+)\s*(?:=\s*(.*?)\s*)?$/.exec(line) ?? [];
    // The error does not quote the line: a password file may have been passed by mistake.
    if (value === undefined && !isSetting(name))
      throw new ConfigError(`${where}: not of the form name=value`);
    const setting = readSetting(name, value ?? '', where);
    const before = settings[name];
    if (Array.isArray(before) && Array.isArray(setting)) settings[name] = [...before, ...setting];
    else if (before === undefined) settings[name] = setting;
    else throw new ConfigError(`${where}: ${name} is given twice`);
  });
  return settings;
}

const isSetting = (name: string): boolean => OPTIONS.some((option) => option.name === name);

/**
 * Reads one setting from text.
 * @param where location for the error text, which never quotes the value.
 * @throws ConfigError
 */
export function readSetting(name: string, value: string, where: string): Setting {
  const option = OPTIONS.find((candidate) => candidate.name === name);
  if (option === undefined) throw new ConfigError(`${where}: unknown setting '${name}'`);
  if (option.repeatable) return [value];
  if (option.argument !== undefined) return value;
  if (['', '1', 'true', 'yes'].includes(value)) return true;
  if (['0', 'false', 'no'].includes(value)) return false;
  throw new ConfigError(`${where}: ${name} is a switch: 1 or 0`);
}
