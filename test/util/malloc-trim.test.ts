import { spawnSync } from 'node:child_process';
import { expect, it } from '@jest/globals';

const MODULE = new URL('../../src/util/malloc-trim.js', import.meta.url).href;

/** Frees nearly all of 60 MiB in small blocks, and prints how many MiB the trim returns to the system. */
const SCRIPT = `
  import { trimMalloc } from ${JSON.stringify(MODULE)};
  import { setTimeout as sleep } from 'node:timers/promises';
  const blocks = Array.from({ length: 200_000 }, () => new ArrayBuffer(300));
  // The last of each hundred stays: only pages in between become free.
  const kept = blocks.filter((_, i) => i % 100 === 99);
  blocks.length = 0;
  gc();
  await sleep(300);
  const before = process.memoryUsage.rss();
  trimMalloc();
  trimMalloc();
  console.log(kept.length, ((before - process.memoryUsage.rss()) / 2 ** 20).toFixed(0));`;

/** From Node.js 26 on, with the GNU C library. */
const CAN_TRIM =
  Number(process.versions.node.split('.')[0]) >= 26 &&
  (process.report.getReport() as { header: { glibcVersionRuntime?: string } }).header.glibcVersionRuntime !==
    undefined;

it('returns free memory between used blocks to the system, without a warning', () => {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['--expose-gc', '--input-type=module', '-e', SCRIPT],
    { encoding: 'utf8' },
  );
  const [kept = Number.NaN, returned = Number.NaN] = stdout.split(' ').map(Number);
  expect([kept, stderr]).toEqual([2000, '']);
  if (CAN_TRIM) expect(returned).toBeGreaterThan(30);
  else expect(Math.abs(returned)).toBeLessThan(5);
});
