import { availableParallelism } from 'node:os';
import { parseCommandLine } from '../../../src/cli/config/command-line.js';
import { mergeSources, toConfig } from '../../../src/cli/config/config.js';
import { prepareStart } from '../../../src/cli/config/prepare.js';
import { createLogger } from '../../../src/cli/output/log.js';
import { STOP_TIMEOUT_MS } from '../../../src/cli/process/run-process.js';
import { REGTEST_DAEMON, toRegtestConfig } from '../../../src/cli/regtest/regtest-options.js';
import { startRegtest } from '../../../src/cli/regtest/regtest-server.js';
import { startServer } from '../../../src/cli/server.js';
import { readOwnPackage } from '../../../src/util/own-package.js';
import type { HostedProgram, HostMessage, HostRequest } from './host-messages.js';

/*
 * Runs wallet servers and regtest daemons for the tests of one Jest worker, several at a time and one after the other, in one
 * process: a process of its own for each takes 0.4 s of CPU and more to load the program. Ends with the Jest worker.
 */

interface Running {
  close(): Promise<void>;
}

const { version } = readOwnPackage();

const send = (message: HostMessage): void => void process.send?.(message);

/** Functions that end the programs that start or run, by the number of the program. */
const ends = new Map<number, () => void>();

type Start = (args: string[], print: (text: string) => void, stop: () => void) => Promise<Running>;

const startWallet: Start = async (args, print, stop) => {
  const config = toConfig(mergeSources(parseCommandLine(args, version), process.env), availableParallelism());
  const { log } = createLogger(config.log.categories, config.log.file, print);
  const prepared = await prepareStart(config, log);
  return startServer(config, prepared, log, stop);
};

const startDaemon: Start = (args, print, stop) => {
  const config = toRegtestConfig(parseCommandLine(args, version, REGTEST_DAEMON));
  const { log } = createLogger(config.log.categories, config.log.file, print);
  return startRegtest(config, version, log, stop);
};

const starts: Readonly<Record<HostedProgram, Start>> = { wallet: startWallet, regtest: startDaemon };

/** Closes a program. @returns its exit code. */
async function close(program: Running): Promise<number> {
  const { promise: timeout, resolve } = Promise.withResolvers<number>();
  // Timer: reports a program that hangs, as the program itself does by its exit code.
  const timer = setTimeout(() => resolve(1), STOP_TIMEOUT_MS);
  try {
    return await Promise.race([program.close().then(() => 0), timeout]);
  } finally {
    clearTimeout(timer);
  }
}

function begin(id: number, program: HostedProgram, args: readonly string[]): void {
  let isEnding = false;
  const end = async (): Promise<void> => {
    if (isEnding) return;
    isEnding = true;
    let code = 1;
    try {
      code = await close(await started);
    } catch (error) {
      send({ id, text: `${error instanceof Error ? error.message : String(error)}\n` });
    }
    ends.delete(id);
    send({ id, code });
  };
  ends.set(id, () => void end());
  const started = starts[program](
    [...args],
    (text) => send({ id, text }),
    () => void end(),
  );
  started.catch(end);
}

/** Adds text without a known origin to the output of each program that runs. */
function report(text: string): void {
  for (const id of ends.keys()) send({ id, text });
}

process.umask(0o077);
process.stderr.write = (text: string | Uint8Array) => {
  report(typeof text === 'string' ? text : Buffer.from(text).toString());
  return true;
};
process.on('unhandledRejection', (error) => report(`bug: unhandled promise rejection: ${String(error)}\n`));
process.on('disconnect', () => process.exit(0));
process.on('message', (request: HostRequest) => {
  if ('program' in request) begin(request.id, request.program, request.args);
  else ends.get(request.id)?.();
});
