import { ConfigError } from './config-error.js';
import type { RawOptions } from './option-spec.js';

/** Options of which one at most may be given, in the order of their checks. */
const EXCLUSIVE: readonly (readonly string[])[] = [
  ['testnet', 'stagenet'],
  ['wallet-dir', 'wallet-file'],
  ['password', 'password-file', 'prompt-for-password'],
  ['rpc-login', 'disable-rpc-login'],
  ['credentials', 'disable-rpc-login'],
  ['trusted-daemon', 'untrusted-daemon'],
  ['daemon-address', 'daemon-host'],
  ['daemon-address', 'daemon-port'],
  ...['testnet', 'stagenet', 'offline', 'daemon-address', 'daemon-host', 'daemon-login', 'proxy'].map(
    (other) => ['regtest', other],
  ),
];

/** Checks which options are given together. @throws ConfigError */
export function assertCompatible(raw: RawOptions): void {
  const has = (name: string): boolean => raw[name] !== undefined;
  for (const names of EXCLUSIVE) {
    const given = names.filter(has);
    if (given.length > 1)
      throw new ConfigError(`${given.map((name) => `--${name}`).join(' and ')} exclude each other`);
  }
  if (!has('wallet-dir') && !has('wallet-file'))
    throw new ConfigError('one of --wallet-dir and --wallet-file is needed');
  const hasPassword = ['password', 'password-file', 'prompt-for-password'].some(has);
  if (has('wallet-dir') && hasPassword)
    throw new ConfigError(
      'a password at the start goes with --wallet-file; clients of --wallet-dir send theirs',
    );
  if (has('wallet-file') && !hasPassword)
    throw new ConfigError(
      '--wallet-file needs one of --password-file, --password (which may be empty) and --prompt-for-password',
    );
  if (has('cluster') && !has('wallet-dir'))
    throw new ConfigError('--cluster keeps its wallets in --wallet-dir, which is not given');
  const { open } = raw;
  const opens = Array.isArray(open) ? open.length > 0 : open !== undefined;
  if (opens && !has('wallet-dir'))
    throw new ConfigError('--open names a wallet of --wallet-dir, which is not given');
  if (has('password-dir') && !opens && !has('cluster'))
    throw new ConfigError('--password-dir has the passwords of wallets that --open names: none is given');
}
