import { existsSync } from 'node:fs';
import { ClusterSecret } from '../../cluster/cluster-secret.js';
import { ClusterRefused } from '../../cluster/errors.js';
import { ConfigError } from '../config/config-error.js';

/** Makes a secret file, unless it exists. @returns true if it was made. @throws ConfigError */
export function makeSecret(path: string): boolean {
  if (existsSync(path)) return false;
  try {
    ClusterSecret.create(path);
    return true;
  } catch (cause) {
    if (cause instanceof ClusterRefused) throw cause;
    const code = (cause as NodeJS.ErrnoException).code ?? 'unknown error';
    throw new ConfigError(`the secret file ${path} cannot be written (${code})`, { cause });
  }
}
