import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { fromHex } from '../../src/util/bytes.js';
import { UNGUIDED } from './coverage.js';
import { findingText, Fuzzer, type Finding } from './fuzzer.js';
import { tableOf, totalsOf } from './report.js';
import { fuzzTarget, type TargetReport } from './supervisor.js';
import { chosenNames, targetNamed } from './targets.js';

const USAGE = `npm run fuzz -- [options]
  --cases N      mutated inputs of each target (default 10000)
  --seconds T    longest time of each target
  --seed S       seed of all random choices (default 1): the same seed gives the same cases
  --only A,B     targets, by name
  --out DIR      directory of report.json and of the inputs of findings (default build/fuzz)
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

/** Writes the input of a finding to a file. @returns its path. */
function save({ target, kind, input }: Finding): string {
  const path = join(
    values.out,
    `${target}-${kind}-${createHash('sha256').update(input).digest('hex').slice(0, 12)}`,
  );
  mkdirSync(values.out, { recursive: true });
  writeFileSync(path, input);
  return path;
}

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
  const reports: TargetReport[] = [];
  const forMs = values.seconds === undefined ? undefined : 1000 * Number(values.seconds);
  for (const name of names) {
    const report = await fuzzTarget(name, {
      cases: Number(values.cases),
      seed: values.seed,
      ...(forMs === undefined ? {} : { forMs }),
      onFinding: (finding) => console.log(`${findingText(finding)}\n  ${save(finding)}`),
    });
    reports.push(report);
    console.log(tableOf([report], reports.length === 1));
    if (values.missed)
      for (const { module, missed } of report.coverage)
        for (const block of missed) console.log(`  missed: ${module} ${block}`);
    mkdirSync(values.out, { recursive: true });
    writeFileSync(join(values.out, 'report.json'), totalsOf(reports, values.seed));
  }
  if (reports.some(({ findings }) => findings.length > 0)) process.exitCode = 1;
}

if (values.help) console.log(USAGE);
else if (values.list) console.log(names.join('\n'));
else await (values.replay === undefined ? fuzz() : replay(values.replay));
