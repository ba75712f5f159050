import { readFileSync } from 'node:fs';
import { parseCommandLine } from './options.js';
import { failWith, runToTheEnd } from './lifetime.js';
import { createLogger } from './log.js';
import { REGTEST_DAEMON, toRegtestConfig } from './regtest-options.js';
import { startRegtest } from './regtest-server.js';

const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

async function main(): Promise<void> {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  const config = toRegtestConfig(parseCommandLine(process.argv.slice(2), version, REGTEST_DAEMON));
  const log = createLogger(config.log.level, config.log.file);
  const code = await runToTheEnd({
    title: 'Regtest daemon',
    log,
    pidFile: config.pidFile,
    start: (stop) => startRegtest(config, version, log, () => stop('stop_daemon')),
  });
  process.exit(code);
}

main().catch((error: unknown) => failWith('regtest-daemon', error));
