import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { createToken } from '../../rpc/access/credential.js';
import { toConfig } from '../config/config.js';
import type { RawOptions } from '../config/option.js';
import { failWith } from '../process/run-process.js';
import { startRegtestProcess } from '../regtest/regtest-process.js';
import { prepareStart } from '../config/prepare.js';
import { startServer, type RunningServer } from '../server.js';
import { serverAt, type DemoServer } from './demo-server.js';
import { runDemo } from './demo.js';
import { APPROVAL_RULE, PERSONS, runPayoutDemo, type Person } from './payout-demo.js';

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** Directory, node and servers of a demo. */
interface Stage {
  readonly directory: string;
  readonly node: DemoServer;
  readonly nodeAddress: string;
  /** Starts a wallet server. @param name name of its directory. */
  start(name: string, options: RawOptions): Promise<RunningServer>;
}

/** Shows how a shop requests a payment, and a customer pays. */
async function showRequest({ node, nodeAddress, start }: Stage): Promise<void> {
  const open: RawOptions = { 'disable-rpc-login': true };
  const [customer, shop] = [await start('customer', open), await start('shop', open)];
  say(`A regtest node at ${nodeAddress}, wallet servers at ports ${customer.port} and ${shop.port}`);
  await runDemo({ customer: serverAt(customer.port), shop: serverAt(shop.port), node }, say);
}

/** Shows how an exchange pays withdrawals. */
async function showPayouts({ directory, node, nodeAddress, start }: Stage): Promise<void> {
  const file = join(directory, 'credentials.json');
  const persons = Object.entries(PERSONS).map(([name, methods]) => ({
    name,
    methods,
    token: createToken(name),
  }));
  const credentials = persons.map(({ name, methods, token }) => ({
    ...{ name, methods, token: token.hash, wallets: ['hot'] },
  }));
  const write = (payouts: readonly object[]): void =>
    writeFileSync(file, JSON.stringify({ credentials, payouts }), { mode: 0o600 });
  write([APPROVAL_RULE]);
  const exchange = await start('exchange', { credentials: file });
  const payees = await start('payees', { 'disable-rpc-login': true });
  say(`A regtest node at ${nodeAddress}, wallet servers at ports ${exchange.port} and ${payees.port}`);
  const tokenOf = (person: Person): string => persons.find(({ name }) => name === person)?.token.text ?? '';
  await runPayoutDemo(
    {
      node,
      hot: (person) => serverAt(exchange.port, { wallet: 'hot', token: tokenOf(person) }),
      payee: (wallet) => serverAt(payees.port, { wallet }),
      setRules(payouts) {
        write(payouts);
        exchange.reload();
      },
    },
    say,
  );
}

const DEMOS: Readonly<Record<string, (stage: Stage) => Promise<void>>> = {
  '': showRequest,
  payouts: showPayouts,
};

/** Starts a node, runs a demo with servers of its own, and removes all its files. */
async function main([name = '']: readonly string[]): Promise<void> {
  const show = Object.hasOwn(DEMOS, name) ? DEMOS[name] : undefined;
  if (show === undefined)
    throw new Error(`there is no demo '${name}'; bin/demo and bin/demo payouts are demos`);
  const started = performance.now();
  const directory = mkdtempSync(join(tmpdir(), 'wallet-rpc-demo-'));
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  const log = pino({ level: 'silent' });
  const node = await startRegtestProcess({ regtest: { port: 0 }, rpc: { apiVersion: '1.3' } }, log);
  const servers: RunningServer[] = [];
  const start = async (folder: string, options: RawOptions): Promise<RunningServer> => {
    const config = toConfig(
      {
        'wallet-dir': join(directory, folder),
        'rpc-bind-port': '0',
        'daemon-address': node.address,
        ...options,
      },
      availableParallelism(),
    );
    const server = await startServer(config, await prepareStart(config, log), log, () => undefined);
    servers.push(server);
    return server;
  };
  try {
    await show({
      directory,
      node: serverAt(Number(node.address.split(':')[1])),
      nodeAddress: node.address,
      start,
    });
    say(`All of it took ${((performance.now() - started) / 1000).toFixed(1)} s.`);
  } finally {
    await Promise.all(servers.map((server) => server.close()));
    await node.close();
  }
}

main(process.argv.slice(2)).then(
  () => process.exit(0),
  (error: unknown) => failWith('demo', error),
);
