import { parseCommandLine } from '../config/command-line.js';
import { failWith, runProcess } from '../process/run-process.js';
import { createLogger } from '../output/log.js';
import { REGTEST_DAEMON, toRegtestConfig } from './regtest-options.js';
import type { RegtestGreeting } from './regtest-process.js';
import { closeDebugger } from '../process/signals.js';
import { startRegtest } from './regtest-server.js';
import { readOwnPackage } from '../../util/own-package.js';

const { version } = readOwnPackage();

async function main(): Promise<void> {
  closeDebugger();
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  const config = toRegtestConfig(parseCommandLine(process.argv.slice(2), version, REGTEST_DAEMON));
  const { log, reopen } = createLogger(config.log.categories, config.log.file);
  const code = await runProcess({
    title: 'Regtest daemon',
    log,
    reopenLog: reopen,
    pidFile: config.pidFile,
    async start(stop) {
      const running = await startRegtest(config, version, log, () => stop('stop_daemon'));
      // Sends the ports to a parent process; this process stops when the parent exits.
      process.send?.({ ports: running.ports } satisfies RegtestGreeting);
      process.once('disconnect', () => stop('the server that started this daemon has exited'));
      return running;
    },
  });
  process.exit(code);
}

main().catch((error: unknown) => failWith('regtest-daemon', error));
