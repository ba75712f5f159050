import { readFileSync } from 'node:fs';
import { parseCommandLine } from './options.js';
import { failWith, runToTheEnd } from './lifetime.js';
import { createLogger } from './log.js';
import { REGTEST_DAEMON, toRegtestConfig } from './regtest-options.js';
import type { RegtestGreeting } from './regtest-process.js';
import { startRegtest } from './regtest-server.js';

const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

async function main(): Promise<void> {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  const config = toRegtestConfig(parseCommandLine(process.argv.slice(2), version, REGTEST_DAEMON));
  const log = createLogger(config.log.categories, config.log.file);
  const code = await runToTheEnd({
    title: 'Regtest daemon',
    log,
    pidFile: config.pidFile,
    async start(stop) {
      const running = await startRegtest(config, version, log, () => stop('stop_daemon'));
      // A server that started us learns where we are, and we end with it.
      process.send?.({ ports: running.ports } satisfies RegtestGreeting);
      process.once('disconnect', () => stop('the server that started this daemon is gone'));
      return running;
    },
  });
  process.exit(code);
}

main().catch((error: unknown) => failWith('regtest-daemon', error));
