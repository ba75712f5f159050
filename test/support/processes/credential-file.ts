import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { credentialCommand, type Terminal } from '../../../src/cli/commands/credential-command.js';
import { MAIN } from './wallet-rpc.js';

const run = promisify(execFile);

/** Rules of a credential, by the flags of `wallet-rpc credential add`. */
export type CredentialFlags = Readonly<Record<string, string | readonly string[] | true>>;

/** A file of credentials that `wallet-rpc credential` writes, and the tokens of its credentials. */
export class CredentialFile {
  readonly path: string;
  /** Tokens by the name of their credential. */
  readonly tokens: Record<string, string> = {};

  constructor(path: string) {
    this.path = path;
  }

  /** Runs `wallet-rpc credential`. */
  readonly run = (...args: string[]): Promise<{ stdout: string; stderr: string }> =>
    run(process.execPath, [MAIN, 'credential', ...args, '--credentials', this.path]);

  /** Adds a credential, by the code of the command in this process: the start of a program takes half a second. */
  readonly add = async (name: string, rules: CredentialFlags): Promise<void> => {
    const flags = Object.entries(rules).flatMap(([flag, value]) =>
      value === true ? [`--${flag}`] : [value].flat().map((one) => `--${flag}=${one}`),
    );
    const terminal: Terminal = {
      print: (line) => (this.tokens[name] = line),
      hint: () => undefined,
    };
    const args = ['add', name, ...flags, '--credentials', this.path];
    await credentialCommand(terminal).parseAsync(args, { from: 'user' });
  };
}
