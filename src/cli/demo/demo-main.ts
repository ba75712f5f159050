import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { FORK_RULES } from '../../monero/fork-rules.js';
import { createToken } from '../../rpc/access/credential.js';
import { toConfig } from '../config/config.js';
import type { RawOptions } from '../config/option.js';
import { failWith } from '../process/run-process.js';
import type { ForkHeights } from '../../regtest/rules/fork-schedule.js';
import { startRegtestProcess } from '../regtest/regtest-process.js';
import { prepareStart } from '../config/prepare.js';
import { startServer, type RunningServer } from '../server.js';
import { nodeAt, serverAt, type DemoNode } from './demo-server.js';
import { runDemo } from './demo.js';
import { FORK_HEIGHTS, runForkDemo } from './fork-demo.js';
import { APPROVAL_RULE, PERSONS, runPayoutDemo, type Person } from './payout-demo.js';

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** Directory, node and servers of a demo. */
interface Stage {
  readonly directory: string;
  readonly node: DemoNode;
  readonly nodeAddress: string;
  /** Starts a wallet server. @param name name of its directory. */
  start(name: string, options: RawOptions): Promise<RunningServer>;
  /** Ends a wallet server before the end of the demo. */
  stop(server: RunningServer): Promise<void>;
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

/** Shows how a shop receives across the next fork. */
async function showFork({ node, nodeAddress, start, stop }: Stage): Promise<void> {
  const serve = (folder: string, rules: string): Promise<RunningServer> =>
    start(folder, { 'disable-rpc-login': true, 'refresh-period': '0', 'fork-rules': rules });
  const shops = await serve('shops', FORK_RULES);
  say(`A regtest node at ${nodeAddress}, a wallet server at port ${shops.port}`);
  let other: RunningServer | undefined;
  await runForkDemo(
    {
      node,
      wallet: (wallet) => serverAt(shops.port, { wallet }),
      metrics: async () => (await fetch(`http://127.0.0.1:${shops.port}/metrics`)).text(),
      async restart(rules) {
        if (other !== undefined) await stop(other);
        other = await serve('other', rules);
        return serverAt(other.port, { wallet: 'late' });
      },
    },
    say,
  );
}

/** A demo, and the fork of its node; absent: it has none. */
interface Demo {
  readonly show: (stage: Stage) => Promise<void>;
  readonly fork?: ForkHeights;
}

const DEMOS: Readonly<Record<string, Demo>> = {
  '': { show: showRequest },
  payouts: { show: showPayouts },
  fork: { show: showFork, fork: FORK_HEIGHTS },
};

/** Starts a node, runs a demo with servers of its own, and removes all its files. */
async function main([name = '']: readonly string[]): Promise<void> {
  const demo = Object.hasOwn(DEMOS, name) ? DEMOS[name] : undefined;
  if (demo === undefined)
    throw new Error(`there is no demo '${name}'; bin/demo, bin/demo payouts and bin/demo fork are demos`);
  const started = performance.now();
  const directory = mkdtempSync(join(tmpdir(), 'wallet-rpc-demo-'));
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  const log = pino({ level: 'silent' });
  const regtest = { port: 0, ...(demo.fork && { fork: demo.fork }) };
  const node = await startRegtestProcess({ regtest, rpc: { apiVersion: '1.3' } }, log);
  const servers = new Set<RunningServer>();
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
    servers.add(server);
    return server;
  };
  const stop = async (server: RunningServer): Promise<void> => {
    servers.delete(server);
    await server.close();
  };
  try {
    await demo.show({
      directory,
      node: nodeAt(Number(node.address.split(':')[1])),
      nodeAddress: node.address,
      start,
      stop,
    });
    say(`All of it took ${((performance.now() - started) / 1000).toFixed(1)} s.`);
  } finally {
    await Promise.all([...servers].map((server) => server.close()));
    await node.close();
  }
}

main(process.argv.slice(2)).then(
  () => process.exit(0),
  (error: unknown) => failWith('demo', error),
);
