import { utf8 } from '../../util/bytes.js';
import { readLogLevel } from '../../util/log-categories.js';
import { fileErrorCode, readOperatorFile } from '../../util/files.js';
import { Secret } from '../../util/secret.js';

/** Error of an invalid setting. The message is shown on the terminal, and contains no secret. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** User name and password; if the password is absent, the process prompts for it. */
export interface LoginConfig {
  readonly user: string;
  readonly password: Secret | undefined;
}

/** Time for which the start waits for the writer of a pipe, such as the secret of another program [ms]. */
export const PIPE_PATIENCE_MS = 1000;

/** Returns the log categories. @param asked value of `--log-level`. @throws ConfigError */
export function logCategories(asked: string | undefined): string {
  const categories = readLogLevel(asked ?? '0');
  if (categories === undefined)
    throw new ConfigError(
      '--log-level is 0 to 4, a list of categories as wallet.rpc:DEBUG, or both with a comma between',
    );
  return categories;
}

/** Parses `user:password`. @throws ConfigError */
export function readLogin(name: string, value: string | undefined): LoginConfig | undefined {
  if (value === undefined) return undefined;
  const colon = value.indexOf(':');
  const user = colon < 0 ? value : value.slice(0, colon);
  if (user === '') throw new ConfigError(`--${name}: the user name is empty`);
  return { user, password: colon < 0 ? undefined : new Secret(utf8(value.slice(colon + 1))) };
}

/** Reads a file that an option names. @throws ConfigError */
export function readText(path: string, option: string): string {
  try {
    return readOperatorFile(path, { patienceMs: PIPE_PATIENCE_MS }).toString();
  } catch (cause) {
    throw new ConfigError(`--${option}: ${path} cannot be read (${fileErrorCode(cause)})`, { cause });
  }
}

export const withoutLineEnd = (text: string): string => text.replace(/[\r\n]+$/, '');

/** Returns an object with one member, or an empty object if the value is undefined. */
export const optional = <K extends string, V>(key: K, value: V | undefined): { readonly [P in K]?: V } =>
  (value === undefined ? {} : { [key]: value }) as { readonly [P in K]?: V };
