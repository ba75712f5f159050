import { ConfigError, OPTIONS, type RawOptions } from './options.js';

/**
 * Reads `name=value` lines; `#` starts a comment line. A switch takes 1, true or nothing; 0 or false leave it off.
 * @throws ConfigError on an unknown name or a line of another form.
 */
export function parseConfigFile(text: string): RawOptions {
  const settings: Record<string, string | true> = {};
  text.split(/\r?\n/).forEach((line, i) => {
    if (/^\s*(#|$)/.test(line)) return;
    const [, name = '', value = ''] = /^\s*([a-z0-9-]+)\s*(?:=\s*(.*?)\s*)?$/.exec(line) ?? [];
    const setting = readSetting(name, value, `config file, line ${i + 1}`);
    if (setting !== undefined) settings[name] = setting;
  });
  return settings;
}

/**
 * One setting given as text. @returns undefined for a switch that is off.
 * @param where for the error's text.
 */
export function readSetting(name: string, value: string, where: string): string | true | undefined {
  const option = OPTIONS.find((candidate) => candidate.name === name);
  if (option === undefined)
    throw new ConfigError(`${where}: unknown setting${name === '' ? '' : ` '${name}'`}`);
  if (option.argument !== undefined) return value;
  if (['', '1', 'true', 'yes'].includes(value)) return true;
  if (['0', 'false', 'no'].includes(value)) return undefined;
  throw new ConfigError(`${where}: ${name} is a switch: 1 or 0`);
}
