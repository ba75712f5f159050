import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { notingInterrupts, positiveFlag, refuseFlags } from '../support/values/campaign-flags.js';
import { deckOf } from './plan.js';
import { runLies } from './report.js';

/*
 * A wallet server whose first daemons lie, with payments, kills and reorganisations, beside an honest twin of its wallet.
 * usage: npm run test:lies -- [--minutes M] [--seed TEXT] [--rounds N] [--round N] [--only LIE,…] [--work] [--arg FLAG]… [--out DIR]
 * SIGINT ends the run after the present round. A seed fixes the lies and the deeds of each round by its number; the
 * moments depend on the speed of the machine as well.
 */

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: String(process.pid) },
    /** Number of rounds; absent: one if there is a first round, else as many as the time allows. */
    rounds: { type: 'string' },
    /** Number of the first round; absent: 1. */
    round: { type: 'string' },
    /** Parts of the names of the lies to tell; absent: all. */
    only: { type: 'string', default: '' },
    /** Also the lies that only the work of the blocks tells from the truth: give the flag that verifies it with --arg. */
    work: { type: 'boolean', default: false },
    /** Flag of the wallet server that is lied to. */
    arg: { type: 'string', multiple: true, default: [] },
    /** Directory of the report; absent: build/lies. */
    out: { type: 'string' },
  },
});

const isInterrupted = notingInterrupts();

const { seed } = values;
const only = values.only.split(',').filter((part) => part !== '');
const deck = deckOf({ work: values.work, only });
if (deck.length === 0) refuseFlags('--only names no lie');
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const out = values.out ?? fileURLToPath(new URL('../../lies', import.meta.url));
mkdirSync(out, { recursive: true });
say(`seed ${seed}, ${deck.length} lies`);
const first = positiveFlag('round', values.round ?? '1');
const rounds = positiveFlag('rounds', values.rounds ?? (values.round === undefined ? '1000000' : '1'));
const report = await runLies({
  ...{ seed, deck, first, rounds, args: values.arg, log: say },
  ms: 60_000 * positiveFlag('minutes', values.minutes),
  repeat: (round) =>
    [
      `npm run test:lies -- --seed '${seed}' --round ${round}`,
      ...(values.only === '' ? [] : [`--only '${values.only}'`]),
      ...(values.work ? ['--work'] : []),
      ...values.arg.map((arg) => `--arg='${arg}'`),
    ].join(' '),
  isInterrupted,
});
const file = join(out, `lies-${seed.replace(/[^\w-]/g, '_')}.json`);
writeFileSync(file, `${JSON.stringify(report, undefined, 2)}\n`);
say(file);
say(
  report.violations.length === 0
    ? `${report.rounds.length} rounds, ${report.lies.length} lies: nothing credited, nothing lost or freed`
    : `${report.violations.length} violations; seed ${seed}`,
);
process.exit(report.violations.length === 0 ? 0 : 1);
