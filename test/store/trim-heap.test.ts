import { expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { trimHeap } from '../../src/store/trim-heap.js';

const MEBIBYTE = 1 << 20;

/** Where the process runs over the GNU C library. */
const { glibcVersionRuntime } = (
  process.report.getReport() as unknown as { header: { glibcVersionRuntime?: string } }
).header;

const ROUNDS = 20;

/** Frees 60 MiB that lie between what it keeps. */
function leaveHoles(): Database.Database[] {
  const filled = new Database(':memory:');
  filled.exec('CREATE TABLE t (b BLOB)');
  const insert = filled.prepare('INSERT INTO t VALUES (zeroblob(3000))');
  const kept = Array.from({ length: ROUNDS }, () => {
    for (let i = 0; i < 1000; i++) insert.run();
    const db = new Database(':memory:');
    db.exec('CREATE TABLE t (b BLOB); INSERT INTO t VALUES (zeroblob(3000))');
    return db;
  });
  filled.close();
  return kept;
}

it('gives memory back that was freed between allocations, and can do so again', () => {
  const kept = leaveHoles();
  const before = process.memoryUsage.rss();
  trimHeap();
  const after = process.memoryUsage.rss();
  if (glibcVersionRuntime !== undefined) expect(before - after).toBeGreaterThan(20 * MEBIBYTE);
  expect(() => trimHeap()).not.toThrow();
  for (const db of kept) {
    expect(db.prepare('SELECT length(b) FROM t').pluck().get()).toBe(3000);
    db.close();
  }
});
