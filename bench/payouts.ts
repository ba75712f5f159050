import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startRegtestDaemon } from '../test/support/processes/regtest-daemon.js';
import {
  startReference,
  startShipped,
  startWalletRpc,
  type WalletRpc,
} from '../test/support/processes/wallet-rpc.js';
import { createWallet } from '../test/support/wallets/create-wallet.js';
import { startWatched, type Blocking } from './blocking.js';
import { fillPayouts, finishedId } from './filled-payouts.js';
import { FILENAME, PASSWORD } from './method-calls.js';
import { PAYEE_SEED } from './paid-chain.js';
import { fund, payeesOf, payoutsTo, QUEUE_ARGS, queueRate, transferRate, type Rate } from './payout-rates.js';
import { median, printTable } from './table.js';

/*
 * Payouts: the time until a call is accepted; the longest block of the main thread by the queue; the rate of the queue, beside transfers of the reference that a client
 * makes one after the other; and the rate and the times of calls in a wallet with finished payouts. All wallets have 100
 * outputs on one regtest node, on which a block is mined every 2 s; the interval of the queue is 1 s.
 * usage: payouts [--only accept,blocked,rate,finished] [--payouts 1000] [--singles 30] [--rounds 3] [--only-ours]
 *   [--finished 0,10000,100000] [--profile DIR]
 */

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', default: 'accept,blocked,rate,finished' },
    payouts: { type: 'string', default: '1000' },
    singles: { type: 'string', default: '30' },
    rounds: { type: 'string', default: '3' },
    finished: { type: 'string', default: '0,10000,100000' },
    'only-ours': { type: 'boolean', default: false },
    profile: { type: 'string' },
  },
});
const count = Number(options.payouts);
const rounds = Number(options.rounds);

/** Number of payouts whose rate is measured in a wallet with finished ones: 20 batches. */
const AFTER_FINISHED = 300;
/** Number of calls of each method in a wallet with finished payouts. */
const CALLS = 15;
/** Least ratios of the queue to transfers of the reference, as they should be. */
const BARS = { single: 40, fifteen: 6 };

const ms = (value: number): string => `${value.toFixed(1)} ms`;
const number = (value: number): string => value.toLocaleString('en');
const perSecond = ({ payees, seconds }: Rate): number => payees / seconds;

/** Prints a title with the load of the machine over the last minute. */
const title = (text: string): void => {
  process.stdout.write(`\n${text} (load ${loadavg()[0]?.toFixed(1)})\n`);
};

/** Flags of Node that write a profile of a server. */
const profiled = (name: string): readonly string[] =>
  options.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${join(options.profile, name)}`];

/** Starts our server as users do, unless it is profiled. */
const startOurs = (name: string, daemon: string, walletDir?: string): Promise<WalletRpc> => {
  const setting = { daemon, args: QUEUE_ARGS, ...(walletDir === undefined ? {} : { walletDir }) };
  const nodeFlags = profiled(name);
  return nodeFlags.length === 0 ? startShipped(setting) : startWalletRpc({ ...setting, nodeFlags });
};

/** Measures calls that create payouts in a paused queue: the first one of a server, and the next one. */
async function measureAccepted(): Promise<void> {
  const daemon = await startRegtestDaemon();
  const found: { first: Blocking; next: Blocking }[] = [];
  try {
    for (let round = 0; round < rounds; round++) {
      const walletDir = mkdtempSync(join(tmpdir(), 'payouts-'));
      const server = await startWatched(walletDir, daemon.address, []);
      try {
        const { rpc } = server.wallet;
        await createWallet(server.wallet, FILENAME, PASSWORD);
        await rpc('pause_payouts', { reason: 'bench' });
        const create = async (name: string): Promise<Blocking> => {
          const payouts = payoutsTo(name, payeesOf(name, count));
          return server.during(() => rpc('create_payouts', { payouts }));
        };
        found.push({ first: await create('first'), next: await create('next') });
      } finally {
        await server.stop();
        rmSync(walletDir, { recursive: true, force: true });
      }
    }
  } finally {
    await daemon.stop();
  }
  title(`create_payouts of ${number(count)} in a paused queue, medians of ${rounds} servers`);
  printTable(
    ['', 'time', 'longest block of the main thread, CPU', 'felt by another client'],
    [
      ...(['first', 'next'] as const).map((name) => [
        `${name} call of a server`,
        ...(['ms', 'blocked', 'felt'] as const).map((of) => ms(median(found.map((one) => one[name][of])))),
      ]),
      ['bar', '1000 ms', '50 ms', ''],
    ],
  );
}

/** Measures for how long the queue blocks the main thread. */
async function measureBlocked(): Promise<void> {
  const daemon = await startRegtestDaemon();
  const walletDir = mkdtempSync(join(tmpdir(), 'payouts-'));
  const server = await startWatched(walletDir, daemon.address, QUEUE_ARGS);
  try {
    await createWallet(server.wallet, FILENAME, PASSWORD);
    await fund(daemon, [server.wallet]);
    title(`${number(count)} payouts until the last is sent, beside the requests of another client`);
    const { ms: taken, ...found } = await server.during(() =>
      queueRate(daemon, server.wallet, 'blocked', payeesOf('blocked', count)),
    );
    printTable(
      ['time', 'longest block of the main thread, CPU', 'felt by another client'],
      [
        [ms(taken), ms(found.blocked), ms(found.felt)],
        ['', '50 ms', ''],
      ],
    );
  } finally {
    await server.stop();
    rmSync(walletDir, { recursive: true, force: true });
    await daemon.stop();
  }
}

/** Measures the queue, and transfers of the reference on the same node. */
async function measureRates(): Promise<void> {
  const daemon = await startRegtestDaemon();
  const running: WalletRpc[] = [];
  const started = async (launch: () => Promise<WalletRpc>): Promise<WalletRpc> => {
    const wallet = await launch();
    running.push(wallet);
    await createWallet(wallet, FILENAME, PASSWORD);
    return wallet;
  };
  try {
    const ours = await started(() => startOurs('rate', daemon.address));
    const theirs = options['only-ours']
      ? []
      : [
          await started(() => startReference({ daemon: daemon.address })),
          await started(() => startReference({ daemon: daemon.address })),
        ];
    await fund(daemon, running);
    title(`${number(count)} payouts from 100 outputs, from create_payouts until the last is sent`);
    const queue = await queueRate(daemon, ours, 'rate', payeesOf('rate', count));
    const rows = [rowOf('ours: the queue', queue)];
    const [single, fifteen] = theirs;
    if (single !== undefined && fifteen !== undefined) {
      const one = await transferRate(daemon, single, payeesOf('single', Number(options.singles)), 1);
      const many = await transferRate(daemon, fifteen, payeesOf('fifteen', count), 15);
      rows.push(
        rowOf('reference: transfer, one by one', one, { queue, bar: BARS.single }),
        rowOf('reference: transfer to 15 in a loop', many, { queue, bar: BARS.fifteen }),
      );
    }
    printTable(['', 'payees', 'time', 'payees a second', 'CPU of the server', 'ours is', 'bar'], rows);
  } finally {
    for (const wallet of running) await wallet.stop();
    await daemon.stop();
  }
}

/** Returns a row of a rate. @param beside rate of our queue, and its least ratio. */
function rowOf(
  what: string,
  rate: Rate,
  beside?: { readonly queue: Rate; readonly bar: number },
): readonly string[] {
  return [
    ...[what, number(rate.payees), `${rate.seconds.toFixed(1)} s`, perSecond(rate).toFixed(1)],
    `${rate.cpu.toFixed(1)} s`,
    ...(beside === undefined
      ? ['', '']
      : [`${(perSecond(beside.queue) / perSecond(rate)).toFixed(1)} times as fast`, String(beside.bar)]),
  ];
}

/** Returns the median time of a call [ms]. */
async function timed(call: (round: number) => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < CALLS; round++) {
    const started = performance.now();
    await call(round);
    times.push(performance.now() - started);
  }
  return median(times);
}

/** Measures the queue and calls of a wallet with finished payouts. */
async function measureFinished(finished: number): Promise<readonly string[]> {
  const walletDir = mkdtempSync(join(tmpdir(), 'payouts-'));
  const daemon = await startRegtestDaemon();
  try {
    const name = { filename: FILENAME, password: PASSWORD };
    const maker = await startWalletRpc({ walletDir, daemon: daemon.address });
    await maker.rpc('restore_deterministic_wallet', { ...name, seed: PAYEE_SEED, restore_height: 0 });
    await maker.stop({ keep: true });
    fillPayouts(join(walletDir, FILENAME), finished);
    const wallet = await startOurs(`finished-${finished}`, daemon.address, walletDir);
    try {
      const { rpc } = wallet;
      await rpc('open_wallet', name);
      await fund(daemon, [wallet]);
      const rate = await queueRate(daemon, wallet, 'rate', payeesOf('rate', AFTER_FINISHED));
      const place = (round: number): number => (round * 7919) % Math.max(1, finished);
      const isFilled = finished > 0;
      const calls = [
        await timed((round) =>
          rpc('get_payout', { payout_id: isFilled ? finishedId(place(round)) : 'rate-0' }),
        ),
        await timed(() => rpc('list_payouts', { limit: 100 })),
        await timed((round) => rpc('list_payouts', { text: `order ${place(round)}`, limit: 100 })),
        await timed(() => rpc('list_payouts', { text: 'no such payout', limit: 100 })),
        await timed(async () => (await fetch(`http://127.0.0.1:${wallet.port}/metrics`)).text()),
      ];
      return [number(finished), perSecond(rate).toFixed(1), `${rate.cpu.toFixed(1)} s`, ...calls.map(ms)];
    } finally {
      await wallet.stop({ keep: true });
    }
  } finally {
    await daemon.stop();
    rmSync(walletDir, { recursive: true, force: true });
  }
}

const wanted = options.only.split(',');
if (wanted.includes('accept')) await measureAccepted();
if (wanted.includes('blocked')) await measureBlocked();
if (wanted.includes('rate')) await measureRates();
if (wanted.includes('finished')) {
  const rows = [];
  for (const finished of options.finished.split(',')) rows.push(await measureFinished(Number(finished)));
  title(`${AFTER_FINISHED} payouts beside finished ones, and calls: medians of ${CALLS}`);
  printTable(
    [
      ...['finished', 'payouts a second', 'CPU of them', 'get_payout', 'list of 100'],
      ...['list by text', 'list by a text of none', '/metrics'],
    ],
    rows,
  );
}
