import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { notingInterrupts, positiveFlag } from '../support/values/campaign-flags.js';
import { KINDS } from './plan.js';
import { describeCounts, runPayouts } from './report.js';

/*
 * A wallet server that pays payouts, with kills, lost answers, refusals, reorganisations, steps of the clock and a second
 * server of the same seed, beside the wallets of the payees.
 * usage: npm run test:payouts -- [--kills N] [--minutes M] [--seed TEXT] [--rounds N] [--round N]
 *   [--kind hot|approved|view-only|cluster] [--out DIR]
 * SIGINT ends the run after the present round. A seed fixes the steps of each round by its number; the moments depend on
 * the speed of the machine as well.
 */

const { values } = parseArgs({
  options: {
    /** Number of kills; absent: as many as the time allows, or one round. */
    kills: { type: 'string' },
    minutes: { type: 'string' },
    seed: { type: 'string', default: String(process.pid) },
    /** Number of rounds; absent: one if there is a first round, else as many as kills and time allow. */
    rounds: { type: 'string' },
    /** Number of the first round; absent: 1. */
    round: { type: 'string' },
    /** Kind of all rounds; absent: drawn for each. */
    kind: { type: 'string' },
    /** Directory of the report; absent: build/payouts. */
    out: { type: 'string' },
  },
});

const isInterrupted = notingInterrupts();
const { seed } = values;
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const out = values.out ?? fileURLToPath(new URL('../../payouts', import.meta.url));
mkdirSync(out, { recursive: true });
const name = `payouts-${seed.replace(/[^\w-]/g, '_')}`;
const limit = (flag: 'kills' | 'minutes', otherwise: number): number =>
  values[flag] === undefined ? otherwise : positiveFlag(flag, values[flag]);
const kind = KINDS.find((one) => one === values.kind);
if (kind !== values.kind) throw new Error(`--kind is one of ${KINDS.join(', ')}`);
say(`seed ${seed}`);
const report = await runPayouts({
  seed,
  first: positiveFlag('round', values.round ?? '1'),
  rounds: positiveFlag('rounds', values.rounds ?? (values.round === undefined ? '1000000' : '1')),
  kills: limit('kills', values.minutes === undefined ? 300 : Infinity),
  ms: 60_000 * limit('minutes', Infinity),
  ...{ kind, log: say },
  repeat: (round) =>
    `npm run test:payouts -- --seed '${seed}' --round ${round}${kind === undefined ? '' : ` --kind ${kind}`}`,
  keepLog: (round, log) => {
    const file = join(out, `${name}-round-${round}.log`);
    writeFileSync(file, log);
    say(`  log: ${file}`);
  },
  isInterrupted,
});
const file = join(out, `${name}.json`);
writeFileSync(file, `${JSON.stringify(report, undefined, 2)}\n`);
say(file);
const states = Object.entries(report.ended).map(([state, count]) => `${count} ${state}`);
say(
  `${report.rounds.length} rounds, ${describeCounts(report.counts)}, ${report.payouts} payouts: ${states.join(', ')}`,
);
say(
  report.violations.length === 0
    ? 'each was paid once, or not at all, as its state says'
    : `${report.violations.length} violations; seed ${seed}`,
);
process.exit(report.violations.length === 0 ? 0 : 1);
