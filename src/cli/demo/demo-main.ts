import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { toConfig } from '../config/config.js';
import { failWith } from '../process/run-process.js';
import { startRegtestProcess } from '../regtest/regtest-process.js';
import { prepareStart } from '../config/prepare.js';
import { startServer, type RunningServer } from '../server.js';
import { serverAt, runDemo } from './demo.js';

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** Starts a node and two wallet servers, runs the demo, and removes all its files. */
async function main(): Promise<void> {
  const started = performance.now();
  const directory = mkdtempSync(join(tmpdir(), 'wallet-rpc-demo-'));
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  const log = pino({ level: 'silent' });
  const node = await startRegtestProcess({ regtest: { port: 0 }, rpc: { apiVersion: '1.3' } }, log);
  const port = Number(node.address.split(':')[1]);
  const servers: RunningServer[] = [];
  const start = async (name: string): Promise<RunningServer> => {
    const config = toConfig(
      {
        'wallet-dir': join(directory, name),
        'rpc-bind-port': '0',
        'disable-rpc-login': true,
        'daemon-address': node.address,
      },
      availableParallelism(),
    );
    const server = await startServer(config, await prepareStart(config, log), log, () => undefined);
    servers.push(server);
    return server;
  };
  try {
    const [customer, shop] = [await start('customer'), await start('shop')];
    say(`A regtest node at ${node.address}, wallet servers at ports ${customer.port} and ${shop.port}`);
    await runDemo(
      { customer: serverAt(customer.port), shop: serverAt(shop.port), node: serverAt(port) },
      say,
    );
    say(`All of it took ${((performance.now() - started) / 1000).toFixed(1)} s.`);
  } finally {
    await Promise.all(servers.map((server) => server.close()));
    await node.close();
  }
}

main().then(
  () => process.exit(0),
  (error: unknown) => failWith('demo', error),
);
