import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { figuresOf, type Figures, type Server } from './large-wallet-figures.js';
import { logPlots, type Panel } from './log-plot.js';
import { printTable } from './table.js';

/*
 * Table and plot of the cost of requests by number of payments.
 * usage: growth [--sizes 1000,10000,100000] [--rounds 5] [--reference 10000] [--keep DIR] [--plot FILE]
 *   --reference: largest number of payments for which the reference is measured too; 0: never
 */

const { values: options } = parseArgs({
  options: {
    sizes: { type: 'string', default: '1000,10000,100000' },
    rounds: { type: 'string', default: '5' },
    reference: { type: 'string', default: '10000' },
    keep: { type: 'string' },
    plot: { type: 'string', default: 'docs/growth.svg' },
  },
});

/** The reference misses payments to addresses beyond its lookahead within a batch of blocks. */
const MOST_ADDRESSES = 200;

/** Rows that are not costs of a request. */
const LEFT_OUT = ['requests meanwhile, number'];

const sizes = options.sizes.split(',').map(Number);
const measured: { readonly size: number; readonly figures: ReadonlyMap<Server, Figures> }[] = [];
for (const size of sizes) {
  const servers: Server[] = size <= Number(options.reference) ? ['ours', 'reference'] : ['ours'];
  const figures = await figuresOf({
    payments: size,
    addresses: Math.min(MOST_ADDRESSES, size),
    rounds: Number(options.rounds),
    subaddresses: 0,
    busy: false,
    servers,
    ...(options.keep === undefined ? {} : { keep: options.keep }),
  });
  measured.push({ size, figures });
}

const requests = [...(measured[0]?.figures.get('ours')?.keys() ?? [])].filter(
  (what) => !LEFT_OUT.includes(what),
);
const at = (size: number, server: Server, what: string): number | undefined =>
  measured
    .find((one) => one.size === size)
    ?.figures.get(server)
    ?.get(what);

/** Exponent of the growth of the cost with the number of payments: 1 is proportional, 0 constant. */
function exponent(what: string): string {
  const [small, large] = [sizes[0], sizes.at(-1)];
  if (small === undefined || large === undefined || small === large) return '';
  const [from, to] = [at(small, 'ours', what), at(large, 'ours', what)];
  if (from === undefined || to === undefined) return '';
  return (Math.log(to / from) / Math.log(large / small)).toFixed(2);
}

process.stdout.write(`ms, median of ${options.rounds}; ours, and the reference's in brackets\n`);
printTable(
  ['payments', ...sizes.map((size) => size.toLocaleString('en')), 'exponent'],
  requests.map((what) => [
    what,
    ...sizes.map((size) => {
      const theirs = at(size, 'reference', what);
      const ours = at(size, 'ours', what)?.toFixed(1) ?? '';
      return theirs === undefined ? ours : `${ours} (${theirs.toFixed(1)})`;
    }),
    exponent(what),
  ]),
);

const panels = requests.map((what): Panel => {
  const line = (server: Server) => ({
    name: server,
    points: sizes.flatMap((size): [number, number][] => {
      const value = at(size, server, what);
      return value === undefined || value <= 0 ? [] : [[size, value]];
    }),
    dashed: server === 'reference',
  });
  return {
    title: what.includes('MiB') ? what : `${what}, ms`,
    lines: [line('ours'), line('reference')].filter(({ points }) => points.length > 0),
  };
});
mkdirSync(dirname(options.plot), { recursive: true });
writeFileSync(options.plot, logPlots(panels, 'payments'));
process.stdout.write(`plotted in ${options.plot}\n`);
