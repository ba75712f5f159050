import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { Secret } from '../../util/secret.js';
import { utf8 } from '../../util/bytes.js';
import { ConfigError } from './config-error.js';

/** Asks for a secret on the terminal, without echo. @throws ConfigError without a terminal, or if the user cancels. */
export async function promptSecret(question: string, interactive: boolean): Promise<Secret> {
  if (!interactive || !process.stdin.isTTY)
    throw new ConfigError(`${question}: not given, and there is no terminal to ask on`);
  process.stderr.write(`${question}: `);
  const muted = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output: muted, terminal: true });
  const cancelled = new AbortController();
  terminal.on('SIGINT', () => cancelled.abort());
  terminal.on('close', () => cancelled.abort());
  try {
    return new Secret(utf8(await terminal.question('', { signal: cancelled.signal })));
  } catch (cause) {
    if (cancelled.signal.aborted) throw new ConfigError(`${question}: not given`, { cause });
    throw cause;
  } finally {
    terminal.close();
    process.stderr.write('\n');
  }
}
