import { availableParallelism } from 'node:os';
import { COMMAND_NAMES, isCommandName } from './config/command-names.js';
import { parseCommandLine } from './config/command-line.js';
import { mergeSources, toConfig } from './config/config.js';
import { ConfigError } from './config/config-values.js';
import { detach, sayReady } from './detach.js';
import { failWith, keepKeysFromCoreDumps, notifyServiceManager, runProcess } from './process/run-process.js';
import { createLogger, StatusLine } from './output/log.js';
import { prepareStart } from './config/prepare.js';
import { didYouMean } from '../util/nearest-name.js';
import { readOwnPackage } from '../util/own-package.js';

/** True if standard output is a terminal on which a line can be changed in place. */
const isTerminal = (): boolean => process.stdout.isTTY && process.env['TERM'] !== 'dumb';

/** Runs the program with the arguments of this process, and ends the process. */
export const runWalletRpc = (): Promise<never> =>
  run().catch((error: unknown) => failWith('wallet-rpc', error));

/** Runs the command, or the server. @throws ConfigError */
async function run(): Promise<never> {
  // A closed pipe at standard output or error must not end the server.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  // Files are created with rights for their owner only. Source: wallet_args.cpp `main`.
  process.umask(0o077);
  const areKeysSafe = keepKeysFromCoreDumps();
  const [first = ''] = process.argv.slice(2);
  if (isCommandName(first)) {
    const { runCommand } = await import('./commands/commands.js');
    process.exit(await runCommand(first, process.argv.slice(3)));
  }
  // The word itself may be a secret, and is not repeated.
  const meant = didYouMean(first, COMMAND_NAMES);
  if (meant !== '') throw new ConfigError(`there is no such command${meant} (--help lists the commands)`);
  const config = toConfig(
    mergeSources(parseCommandLine(process.argv.slice(2), readOwnPackage().version), process.env),
    availableParallelism(),
  );
  if (config.detach) return detach(process.argv.slice(2));
  const line = isTerminal() ? new StatusLine(process.stdout) : undefined;
  const { log, reopen } = createLogger(
    config.log.categories,
    config.log.file,
    line && ((lines) => line.print(lines)),
  );
  if (!areKeysSafe)
    log.warn('Core dumps are on, and would hold the keys of open wallets: start with ulimit -c 0');
  const code = await runProcess({
    title: 'Wallet RPC server',
    log,
    reopenLog: reopen,
    pidFile: config.pidFile,
    async start(stop) {
      const prepared = await prepareStart(config, log);
      // The server is loaded last, since its loading takes longest: meanwhile clients can connect, and launchers can
      // read the address.
      const { startServer } = await import('./server.js');
      const running = await startServer(config, prepared, log, () => stop('stop_wallet'), line);
      sayReady();
      void notifyServiceManager('ready', log);
      return {
        reload: () => running.reload(),
        async close() {
          void notifyServiceManager('stopping', log);
          await running.close();
        },
      };
    },
  });
  process.exit(code);
}
