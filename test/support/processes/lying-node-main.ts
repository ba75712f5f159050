import { parseArgs } from 'node:util';
import { HttpServer } from '../../../src/http/server/http-server.js';
import { FaultInjector } from '../../../src/regtest/fault-injection.js';
import { RegtestDaemon } from '../../../src/regtest/rpc/daemon.js';
import { withFaults } from '../../../src/regtest/rpc/misbehave.js';
import { createDaemonApp } from '../../../src/regtest/rpc/service.js';
import { systemClock } from '../../../src/util/clock.js';
import { systemRng } from '../../../src/util/random.js';

/*
 * A regtest daemon with several ports. The first port is honest; each other port has lies of its own about the same chain
 * and pool, which `POST /misbehave` sets.
 * usage: lying-node-main --ports PORT,PORT… [--difficulty N] [--data-dir DIR]
 */

const { values } = parseArgs({
  options: {
    ports: { type: 'string', default: '' },
    difficulty: { type: 'string', default: '1' },
    'data-dir': { type: 'string' },
  },
});
const [honest = 0, ...liars] = values.ports.split(',').map(Number);
/** Largest number of connections: a call that waits has a connection of its own. */
const MAX_CONNECTIONS = 1000;

const report = (error: unknown): void => void process.stderr.write(`${String(error)}\n`);

const daemon = new RegtestDaemon({
  ...(values['data-dir'] === undefined ? {} : { dataDir: values['data-dir'] }),
  ...{ clock: systemClock, rng: systemRng, version: 'test', blockTimeMs: 1000 },
  ...{ fixedDifficulty: BigInt(values.difficulty), anyUnlockTime: false },
  stop: () => process.exit(0),
  onMiningError: report,
});

/** Serves the daemon at a port with the faults of that port. */
async function serve(port: number, faults: FaultInjector): Promise<void> {
  const seen = Object.assign(Object.create(daemon) as RegtestDaemon, { faults });
  const app = createDaemonApp({ daemon: seen, restricted: false }, { origins: [], onBug: report });
  await new HttpServer({
    handler: withFaults(app, faults),
    ...{ maxConnections: MAX_CONNECTIONS, maxPerPrivateIp: MAX_CONNECTIONS, maxPerPublicIp: MAX_CONNECTIONS },
  }).listen('127.0.0.1', port);
}

await serve(honest, daemon.faults);
for (const port of liars) await serve(port, new FaultInjector(new Map()));
process.on('SIGTERM', () => process.exit(0));
