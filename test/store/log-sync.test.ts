import { beforeEach, describe, expect, it } from '@jest/globals';
import { LogSync } from '../../src/store/log-sync.js';

interface Sync {
  readonly path: string;
  readonly end: (error?: Error) => void;
}

let syncs: Sync[];
let log: LogSync;

beforeEach(() => {
  syncs = [];
  log = new LogSync(
    'w-wal',
    (path) =>
      new Promise((resolve, reject) =>
        syncs.push({ path, end: (error) => (error === undefined ? resolve() : reject(error)) }),
      ),
  );
});

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('the log of a store', () => {
  it('is begun with once at a time', async () => {
    log.begin();
    log.begin();
    expect(syncs.map(({ path }) => path)).toEqual(['w-wal']);
    syncs[0]?.end();
    await turn();
    log.begin();
    expect(syncs).toHaveLength(2);
  });

  it('is finished by a sync that starts after it was asked for, whatever is under way', async () => {
    log.begin();
    let finished = false;
    const finishing = log.finish().then(() => (finished = true));
    expect(syncs).toHaveLength(2);
    syncs[0]?.end();
    await turn();
    expect(finished).toBe(false);
    log.begin();
    syncs[1]?.end();
    await finishing;
    expect(finished).toBe(true);
  });

  it('says of a failed disk from then on, though the disk says so once', async () => {
    log.begin();
    syncs[0]?.end(new Error('no such sector'));
    await turn();
    for (let time = 1; time <= 2; time++) {
      const finishing = log.finish();
      syncs[time]?.end();
      await expect(finishing).rejects.toThrow('no such sector');
    }
  });

  it('does not say that all is on disk while what was begun with before fails', async () => {
    log.begin();
    const finishing = log.finish();
    syncs[1]?.end();
    await turn();
    syncs[0]?.end(new Error('no such sector'));
    await expect(finishing).rejects.toThrow('no such sector');
  });
});
