import { parseArgs } from 'node:util';
import {
  startReference,
  startShipped,
  startWalletRpc,
  type WalletRpc,
} from '../test/support/processes/wallet-rpc.js';
import { HttpCaller } from './http-caller.js';
import { median, printTable } from './table.js';
import { cpuSeconds, pidOf } from './usage.js';

/*
 * Time and processor time of calls that read or write a single value, ours and the reference's, over one kept connection
 * with a digest login. A write of ours is on disk when it is answered; one of the reference is after `store` only.
 * usage: small-calls [--calls 20000] [--rounds 5] [--only A,B] [--shipped]
 */

const { values: options } = parseArgs({
  options: {
    calls: { type: 'string', default: '20000' },
    rounds: { type: 'string', default: '5' },
    only: { type: 'string', default: '' },
    shipped: { type: 'boolean', default: false },
  },
});
const rounds = Number(options.rounds);
const callsPerRound = Math.ceil(Number(options.calls) / rounds);
const login = { user: 'bench', password: 'bench' };
const ARGS = [`--rpc-login=${login.user}:${login.password}`];

/** A call of the bench. */
interface SmallCall {
  readonly params: (n: number, address: string) => unknown;
  /** Largest ratio to the reference, as it should be. */
  readonly bar: number;
  /** True of a call that changes the wallet. */
  readonly writes?: boolean;
}

const READ = 1.2;
const WRITE = 2;
/** Largest ratio of a write to one of the reference that `store` follows. */
const STORED = 0.1;
/** A write of the reference with a `store` takes so long that fewer are measured. */
const STORED_CALLS = 100;

const CALLS: Readonly<Record<string, SmallCall>> = {
  get_version: { params: () => ({}), bar: READ },
  get_height: { params: () => ({}), bar: READ },
  get_address: { params: () => ({ account_index: 0, address_index: [0] }), bar: READ },
  validate_address: { params: (_, address) => ({ address }), bar: READ },
  get_address_book: { params: () => ({ entries: [0] }), bar: READ },
  get_attribute: { params: () => ({ key: 'shop' }), bar: READ },
  make_uri: { params: (n, address) => ({ address, amount: n + 1 }), bar: READ },
  query_key: { params: () => ({ key_type: 'view_key' }), bar: READ },
  label_account: { params: (n) => ({ account_index: 0, label: `label ${n}` }), bar: WRITE, writes: true },
  set_tx_notes: {
    params: (n) => ({ txids: [n.toString(16).padStart(64, '0')], notes: [`note ${n}`] }),
    bar: WRITE,
    writes: true,
  },
  add_address_book: { params: (n, address) => ({ address, description: `${n}` }), bar: WRITE, writes: true },
  set_attribute: { params: (n) => ({ key: `key ${n % 100}`, value: `${n}` }), bar: WRITE, writes: true },
};

const NAMES = ['ours', 'reference'] as const;
type Name = (typeof NAMES)[number];

/** A server under measurement, with one kept connection to it. */
class Measured {
  readonly #server: WalletRpc;
  readonly #caller: HttpCaller;
  readonly #address: string;
  #n = 0;

  private constructor(server: WalletRpc, caller: HttpCaller, address: string) {
    this.#server = server;
    this.#caller = caller;
    this.#address = address;
  }

  /** Starts a server with a new wallet that has an entry to read of each kind. */
  static async start(name: Name): Promise<Measured> {
    const ours = options.shipped ? startShipped : startWalletRpc;
    const server = await (name === 'ours' ? ours : startReference)({ args: ARGS });
    const caller = new HttpCaller(server.port, login);
    await caller.call('create_wallet', { filename: 'bench', password: '', language: 'English' });
    const answer = JSON.parse(await caller.call('get_address')) as { result: { address: string } };
    const { address } = answer.result;
    await caller.call('add_address_book', { address, description: 'first' });
    await caller.call('set_attribute', { key: 'shop', value: '1' });
    return new Measured(server, caller, address);
  }

  /** Makes calls one after another. @returns time and processor time of a call, both in microseconds. */
  async measure(
    method: string,
    { params }: SmallCall,
    calls: number,
    then?: string,
  ): Promise<{ readonly time: number; readonly cpu: number }> {
    const pid = pidOf(this.#server);
    const cpu = cpuSeconds(pid);
    const started = performance.now();
    for (let i = 0; i < calls; i++) {
      await this.#caller.call(method, params(this.#n++, this.#address));
      if (then !== undefined) await this.#caller.call(then);
    }
    const time = (1000 * (performance.now() - started)) / calls;
    return { time, cpu: (1e6 * (cpuSeconds(pid) - cpu)) / calls };
  }

  async stop(): Promise<void> {
    this.#caller.close();
    await this.#server.stop();
  }
}

const only = options.only.split(',').filter((name) => name !== '');
const chosen = Object.entries(CALLS).filter(([method]) => only.length === 0 || only.includes(method));
const [ours, reference] = await Promise.all(NAMES.map((name) => Measured.start(name)));
if (ours === undefined || reference === undefined) throw new Error('no server');
const rows: string[][] = [];
for (const [method, call] of chosen) {
  const figures = {
    ours: [] as number[],
    cpu: [] as number[],
    theirs: [] as number[],
    theirCpu: [] as number[],
  };
  // Both servers are measured by turns, so that other programs slow down both.
  for (let round = 0; round < rounds; round++) {
    const own = await ours.measure(method, call, callsPerRound);
    const other = await reference.measure(method, call, callsPerRound);
    figures.ours.push(own.time);
    figures.cpu.push(own.cpu);
    figures.theirs.push(other.time);
    figures.theirCpu.push(other.cpu);
  }
  const stored =
    call.writes === true ? (await reference.measure(method, call, STORED_CALLS, 'store')).time : undefined;
  const [time, cpu, theirTime, theirCpu] = Object.values(figures).map(median) as [
    number,
    number,
    number,
    number,
  ];
  rows.push([
    method,
    ...[time, theirTime].map((us) => us.toFixed(0)),
    (time / theirTime).toFixed(2),
    ...[cpu, theirCpu].map((us) => us.toFixed(0)),
    (cpu / theirCpu).toFixed(2),
    `${call.bar}`,
    ...(stored === undefined ? [] : [stored.toFixed(0), (time / stored).toFixed(3), `${STORED}`]),
  ]);
  process.stderr.write(`${rows.at(-1)?.join(' ')}\n`);
}
await Promise.all([ours.stop(), reference.stop()]);
process.stdout.write(`Medians of ${rounds} rounds of ${callsPerRound} calls [µs a call]\n`);
printTable(
  ['', 'ours', 'reference', 'ratio', 'CPU', 'reference', 'ratio', 'bar', 'with store', 'ratio', 'bar'],
  rows,
);
