import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { fromHex } from '../../src/util/bytes.js';
import { reportOf, runCampaign } from './campaign.js';
import { UNGUIDED } from './coverage.js';
import { findingText, Fuzzer } from './fuzzer.js';
import { markdownOf, tableOf, totalsOf } from './report.js';
import { chosenNames, TARGET_NAMES, targetNamed } from './targets.js';

const USAGE = `npm run fuzz -- [options]
  --cases N      mutated inputs of each target, with those of earlier runs into the same directory (default 10000)
  --seconds T    longest time of each target
  --seed S       seed of all random choices (default 1): the same seed gives the same cases in an empty directory
  --only A,B     targets, by name
  --out DIR      directory of the reports, of the inputs that reached new code and of those of findings
                 (default build/fuzz); a run that has ended early goes on there
  --missed       lists the blocks that no input reached
  --replay FILE  runs one input of one target: raw bytes, or hex in a file *.hex
  --list         lists the targets`;

const { values } = parseArgs({
  options: {
    cases: { type: 'string', default: '10000' },
    seconds: { type: 'string' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
    out: { type: 'string', default: 'build/fuzz' },
    missed: { type: 'boolean', default: false },
    replay: { type: 'string' },
    list: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const names = chosenNames(values.only.split(',').filter((name) => name !== ''));

async function replay(path: string): Promise<void> {
  const [name, ...others] = names;
  if (name === undefined || others.length > 0) throw new Error('--replay needs one target: --only NAME');
  const bytes = readFileSync(path);
  const input = path.endsWith('.hex') ? fromHex(bytes.toString('latin1').trim()) : Uint8Array.from(bytes);
  const target = await targetNamed(name);
  const { run } = await target.prepare();
  const fuzzer = new Fuzzer(
    target,
    { seeds: [input], run },
    {
      cases: 0,
      seed: values.seed,
      guide: UNGUIDED,
      onFinding: (finding) => {
        process.exitCode = 1;
        console.log(findingText(finding));
      },
    },
  );
  await fuzzer.run();
  const { slowestMs, peakBytes } = fuzzer.progress;
  console.log(`${name}: ${slowestMs.toFixed(1)} ms, ${(peakBytes / 2 ** 20).toFixed(1)} MiB`);
}

async function fuzz(): Promise<void> {
  const { out, seed } = values;
  mkdirSync(out, { recursive: true });
  const forMs = values.seconds === undefined ? undefined : 1000 * Number(values.seconds);
  const stop = new AbortController();
  // The second signal ends the program at once.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  let isFirst = true;
  for (const name of names) {
    if (stop.signal.aborted) break;
    const report = await runCampaign(name, {
      ...{ out, seed, signal: stop.signal, cases: Number(values.cases) },
      ...(forMs === undefined ? {} : { forMs }),
      onFinding: (finding, path) => console.log(`${findingText(finding)}\n  ${path}`),
    });
    console.log(tableOf([report], isFirst));
    isFirst = false;
    if (values.missed)
      for (const { module, missed } of report.coverage ?? [])
        for (const block of missed) console.log(`  missed: ${module} ${block}`);
    writeReports();
  }
  if (names.some((name) => reportOf(out, name).findings.length > 0)) process.exitCode = 1;
}

/** Writes the reports of all targets that have run, in this run or in an earlier one. */
function writeReports(): void {
  const { out, seed } = values;
  const reports = TARGET_NAMES.map((name) => reportOf(out, name)).filter(({ seeds }) => seeds.length > 0);
  writeFileSync(join(out, 'report.json'), totalsOf(reports, seed));
  writeFileSync(join(out, 'report.md'), markdownOf(reports, seed));
}

if (values.help) console.log(USAGE);
else if (values.list) console.log(names.join('\n'));
else await (values.replay === undefined ? fuzz() : replay(values.replay));
