import { parseArgs } from 'node:util';
import { figuresOf, type Server } from './large-wallet-figures.js';
import { printTable } from './table.js';

/*
 * Cost of requests to a wallet with many payments, ours and the reference's on the same chain in one run.
 * usage: large-wallet [--payments 50000] [--addresses 200] [--rounds 5] [--subaddresses 200000]
 *   [--only ours|reference] [--keep DIR] [--busy]
 * --busy: refreshes only, beside programs that keep all processors busy.
 */

const { values: options } = parseArgs({
  options: {
    payments: { type: 'string', default: '50000' },
    addresses: { type: 'string', default: '200' },
    rounds: { type: 'string', default: '5' },
    subaddresses: { type: 'string', default: '200000' },
    only: { type: 'string' },
    keep: { type: 'string' },
    busy: { type: 'boolean', default: false },
  },
});

const SERVERS: readonly Server[] = ['ours', 'reference'];
const servers = SERVERS.filter((server) => options.only === undefined || options.only === server);
const figures = await figuresOf({
  payments: Number(options.payments),
  addresses: Number(options.addresses),
  rounds: Number(options.rounds),
  subaddresses: Number(options.subaddresses),
  servers,
  busy: options.busy,
  ...(options.keep === undefined ? {} : { keep: options.keep }),
});
process.stdout.write(
  `${options.payments} payments to ${options.addresses} addresses, ms, median of ${options.rounds}${options.busy ? ', beside busy programs' : ''}\n`,
);
/** Bars: ratios to the reference unless they have a unit. */
const BARS: Readonly<Record<string, string>> = {
  refresh: '0.35',
  'refresh, CPU': '0.45',
  'refresh with requests': '0.5',
  'refresh with requests, CPU': '0.6',
  'requests meanwhile, 99th percentile': '12 ms',
  'get_transfers, last 100': '1',
  'get_transfers, whole': '0.08',
  'incoming_transfers, whole': '0.2',
  'transfer to 1': '0.12',
  'transfer to 15': '0.15',
  'peak MiB': '200 MiB',
  'memory MiB, after a minute of rest': '110 MiB',
};
const [first, second] = servers.map((server) => figures.get(server));
printTable(
  ['', ...servers, ...(second === undefined ? [] : ['ratio', 'bar'])],
  [...(first ?? [])].map(([what, value]) => {
    const other = second?.get(what);
    return [
      what,
      value.toFixed(1),
      ...(other === undefined ? [] : [other.toFixed(1), (value / other).toFixed(2), BARS[what] ?? '']),
    ];
  }),
);
