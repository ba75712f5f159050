import { beforeEach, describe, expect, it } from '@jest/globals';
import { observed, type DaemonCallReport } from '../../src/daemon/call-report.js';
import { DaemonError } from '../../src/daemon/errors.js';

let reports: DaemonCallReport[];

beforeEach(() => {
  reports = [];
});

const run = <T>(task: () => Promise<T>): Promise<T> =>
  observed('get_info', (report) => reports.push(report), task);

describe('a call to the daemon', () => {
  it('is reported with its duration when it is answered', async () => {
    expect(await run(() => Promise.resolve(7))).toBe(7);
    expect(reports).toEqual([{ call: 'get_info', seconds: expect.any(Number) }]);
  });

  it('is reported with the kind of its failure, which is thrown', async () => {
    const error = new DaemonError('timeout', 'the daemon does not answer');
    await expect(run(() => Promise.reject(error))).rejects.toBe(error);
    expect(reports).toEqual([expect.objectContaining({ failure: 'timeout' })]);
  });

  it('is reported with the HTTP status by which it failed', async () => {
    const error = new DaemonError('rejected', 'bad gateway', { status: 502 });
    await expect(run(() => Promise.reject(error))).rejects.toBe(error);
    expect(reports).toEqual([
      { call: 'get_info', seconds: expect.any(Number), failure: 'rejected', status: 502 },
    ]);
  });

  it('is reported with the disproof of an answer of which a part can be used', async () => {
    const flaw = new DaemonError(
      'forged',
      'block 7 of the daemon cannot be read: a transaction differs from its hash',
    );
    const observe = (report: DaemonCallReport) => reports.push(report);
    expect(
      await observed(
        '/getblocks.bin',
        observe,
        () => Promise.resolve(7),
        () => flaw,
      ),
    ).toBe(7);
    expect(reports).toEqual([expect.objectContaining({ failure: 'forged', disproof: flaw.message })]);
  });

  it('is not reported when it is aborted by another error', async () => {
    await expect(run(() => Promise.reject(new Error('the wallet is closed')))).rejects.toThrow();
    expect(reports).toEqual([]);
  });
});
