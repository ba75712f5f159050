import { beforeEach, describe, expect, it } from '@jest/globals';
import { WalSync } from '../../../src/store/file/wal-sync.js';
import { turns } from '../../support/fakes/event-loop-turns.js';

interface Sync {
  readonly path: string;
  readonly end: (error?: Error) => void;
}

let syncs: Sync[];
let log: WalSync;

beforeEach(() => {
  syncs = [];
  log = new WalSync(
    'w-wal',
    (path) =>
      new Promise((resolve, reject) =>
        syncs.push({ path, end: (error) => (error === undefined ? resolve() : reject(error)) }),
      ),
  );
});

/** Notes so many commits that a flush starts. */
const begin = (): void => {
  for (let commit = 0; commit < 4; commit++) log.note();
};

describe('flushing the log of a store', () => {
  it('does not start after few commits', () => {
    for (let commit = 0; commit < 3; commit++) log.note();
    expect(syncs).toEqual([]);
  });

  it('runs once at a time', async () => {
    begin();
    begin();
    expect(syncs.map(({ path }) => path)).toEqual(['w-wal']);
    syncs[0]?.end();
    await turns();
    begin();
    expect(syncs).toHaveLength(2);
  });

  it('starts with every commit after somebody has waited for the disk', async () => {
    const finishing = log.finish();
    syncs[0]?.end();
    await finishing;
    for (let commit = 1; commit <= 3; commit++) {
      log.note();
      expect(syncs).toHaveLength(1 + commit);
      syncs[commit]?.end();
      await turns();
    }
  });

  it('that began after the last commit is waited for, without another', async () => {
    begin();
    const finishing = log.finish();
    expect(syncs).toHaveLength(1);
    syncs[0]?.end();
    await finishing;
  });

  it('ends with a flush that starts after the last commit, even if one is running', async () => {
    begin();
    log.note();
    let finished = false;
    const finishing = log.finish().then(() => (finished = true));
    expect(syncs).toHaveLength(2);
    syncs[0]?.end();
    await turns();
    expect(finished).toBe(false);
    begin();
    syncs[1]?.end();
    await finishing;
    expect(finished).toBe(true);
  });

  it('fails from the first disk error on, although the system reports it once', async () => {
    begin();
    syncs[0]?.end(new Error('no such sector'));
    await turns();
    for (let time = 1; time <= 2; time++) {
      const finishing = log.finish();
      syncs[time]?.end();
      await expect(finishing).rejects.toThrow('no such sector');
    }
  });

  it('fails if a flush that ran before fails', async () => {
    begin();
    log.note();
    const finishing = log.finish();
    syncs[1]?.end();
    await turns();
    syncs[0]?.end(new Error('no such sector'));
    await expect(finishing).rejects.toThrow('no such sector');
  });

  it('is tried again if the log could not be opened', async () => {
    const unopened = Object.assign(new Error('too many open files'), { code: 'EMFILE', syscall: 'open' });
    const refused = log.finish();
    syncs[0]?.end(unopened);
    await expect(refused).rejects.toThrow('too many open files');
    begin();
    syncs[1]?.end(unopened);
    await turns();
    const finishing = log.finish();
    syncs[2]?.end();
    await finishing;
  });
});
