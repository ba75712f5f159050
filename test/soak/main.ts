import { mkdirSync, appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { notingInterrupts, positiveFlag, refuseFlags } from '../support/values/campaign-flags.js';
import { reportPage } from './report-page.js';
import { KINDS } from './soak-node.js';
import { runSoak } from './soak.js';
import { TROUBLES } from './troubles.js';

/*
 * Two nodes, two wallet servers with 20 wallets, shops, orders, streams and webhooks, in rounds of random trouble.
 * usage: npm run soak -- [--hours H | --minutes M] [--seed TEXT] [--rounds N] [--only TROUBLE,…] [--deal ROUNDS] [--wallets N] [--out DIR]
 * SIGINT ends the run after the present round. A seed fixes the sequence of troubles, calls and lies; their moments
 * depend on the speed of the machine as well.
 */

const { values } = parseArgs({
  options: {
    hours: { type: 'string' },
    minutes: { type: 'string' },
    seed: { type: 'string', default: String(process.pid) },
    rounds: { type: 'string', default: '1000000' },
    only: { type: 'string', default: '' },
    wallets: { type: 'string', default: '20' },
    /** Number of first rounds that have all troubles, each once. */
    deal: { type: 'string' },
    /** Time of trouble in a round [s]. */
    round: { type: 'string', default: '15' },
    /** Directory of the report; absent: build/soak. */
    out: { type: 'string' },
  },
});

const only = values.only.split(',').filter((name) => name !== '');
for (const name of only)
  if (!TROUBLES.some((trouble) => trouble.name === name))
    refuseFlags(`${name} is not one of ${TROUBLES.map((trouble) => trouble.name).join(', ')}`);
const minutes =
  values.minutes === undefined
    ? 60 * positiveFlag('hours', values.hours ?? '1')
    : positiveFlag('minutes', values.minutes);

const isInterrupted = notingInterrupts();
const { seed } = values;
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const out = values.out ?? fileURLToPath(new URL('../../soak', import.meta.url));
mkdirSync(out, { recursive: true });
const name = join(out, `soak-${seed.replace(/[^\w-]/g, '_')}`);
writeFileSync(`${name}.decisions.jsonl`, '');
say(`seed ${seed}`);
const report = await runSoak({
  ...{ seed, ms: 60_000 * minutes, rounds: positiveFlag('rounds', values.rounds), only },
  ...{
    wallets: positiveFlag('wallets', values.wallets),
    roundMs: 1000 * positiveFlag('round', values.round),
  },
  ...(values.deal === undefined ? {} : { dealt: positiveFlag('deal', values.deal) }),
  ...{ pauseMs: 300, blockMs: 1500, kinds: KINDS, log: say },
  onDecision: (line) => appendFileSync(`${name}.decisions.jsonl`, `${line}\n`),
  isInterrupted,
});
writeFileSync(`${name}.json`, `${JSON.stringify(report, undefined, 2)}\n`);
writeFileSync(`${name}.html`, reportPage(report));
for (const { trouble, reason } of report.unavailable) say(`not brought about: ${trouble}: ${reason}`);
say(`${name}.json, ${name}.html`);
say(report.faults.length === 0 ? '0 lost, 0 paid twice' : `${report.faults.length} faults; seed ${seed}`);
process.exit(report.faults.length === 0 ? 0 : 1);
