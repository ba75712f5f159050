import { parseArgs } from 'node:util';
import { unpackBenchChain } from '../test/support/chain/bench-chain.js';
import { startMonerod } from '../test/support/processes/monerod.js';
import { startRegtestDaemon } from '../test/support/processes/regtest-daemon.js';
import { startReference, startWalletRpc } from '../test/support/processes/wallet-rpc.js';
import { HttpCaller } from './http-caller.js';
import { keptPaidChain } from './kept-paid-chain.js';
import { CALLS, prepared, restoreMeasured, type Server } from './method-calls.js';
import { PAYEE_SEED } from './paid-chain.js';
import { median, printTable } from './table.js';

/*
 * Time of most methods, ours and the reference's alternately, on the same wallet: that of the bench chain, or one that
 * receives many payments.
 * usage: methods [--rounds 7] [--payments 10000 [--keep DIR]] [--only METHOD]
 */

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '7' },
    payments: { type: 'string' },
    keep: { type: 'string' },
    only: { type: 'string' },
  },
});
const rounds = Number(options.rounds);
const login = { user: 'bench', password: 'bench' };

/** Ratio to the reference that no call should exceed. */
const BAR = '1';

/** Names of calls that are made one after the other in each round: these change whether the wallet is open. */
const TOGETHER = ['close_wallet', 'open_wallet'];
const GROUPS = [TOGETHER, ...Object.keys(CALLS).flatMap((name) => (TOGETHER.includes(name) ? [] : [[name]]))];

/** Chain of a wallet, with its daemon. */
async function startChain(): Promise<{ address: string; seed: string; stop(): Promise<void> }> {
  const bench = options.payments === undefined ? unpackBenchChain() : undefined;
  const chain =
    bench ??
    (await keptPaidChain({ payments: Number(options.payments), addresses: 200, keep: options.keep }));
  const daemon =
    bench === undefined
      ? await startRegtestDaemon([`--data-dir=${chain.dataDir}`])
      : await startMonerod({ dataDir: chain.dataDir });
  return {
    address: daemon.address,
    seed: bench?.wallet('merchant').seed ?? PAYEE_SEED,
    async stop() {
      await daemon.stop();
      chain.remove();
    },
  };
}

const chain = await startChain();
const args = [`--rpc-login=${login.user}:${login.password}`];
const running = [
  await startWalletRpc({ daemon: chain.address, args }),
  await startReference({ daemon: chain.address, args }),
];
const times = new Map<string, number[][]>();

/** Text of a figure; a dash if the server refuses the call, as the reference 0.18 refuses methods that it does not have. */
const cell = (value: number, unit = ''): string => (Number.isNaN(value) ? '-' : `${value.toFixed(2)}${unit}`);

async function measure(servers: readonly Server[], names: readonly string[]): Promise<void> {
  // The first calls are not counted: a running server has compiled its code.
  for (let round = -2; round < rounds; round++)
    for (const [i, server] of servers.entries())
      for (const name of names) {
        const call = CALLS[name]?.(server, round + 2);
        if (call === undefined) continue;
        const time = await server.caller.time(...call).catch((error: unknown) => {
          if (round === -2)
            process.stderr.write(`${i === 0 ? 'ours' : 'reference'}: ${name}: ${String(error)}\n`);
          return Number.NaN;
        });
        const measured = times.get(name) ?? servers.map(() => []);
        times.set(name, measured);
        if (round >= 0) measured[i]?.push(time);
      }
}

try {
  const servers: Server[] = [];
  for (const { port } of running) {
    const caller = new HttpCaller(port, login);
    await restoreMeasured(caller, chain.seed);
    servers.push(await prepared(caller, options.payments !== undefined));
  }
  for (const group of GROUPS)
    if (options.only === undefined || group.includes(options.only)) await measure(servers, group);
  process.stdout.write(`Time of a call, median of ${rounds}\n`);
  printTable(
    ['', 'ours', 'reference', 'ratio', 'bar'],
    [...times].map(([name, measured]) => {
      const [ours = Number.NaN, theirs = Number.NaN] = measured.map(median);
      return [name, cell(ours, ' ms'), cell(theirs, ' ms'), cell(ours / theirs), BAR];
    }),
  );
  for (const { caller } of servers) caller.close();
} finally {
  for (const server of running) await server.stop();
  await chain.stop();
}
