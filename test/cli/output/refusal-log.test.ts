import { describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { REFUSED_LOGINS } from '../../../src/cli/clients.js';
import { RefusalLog } from '../../../src/cli/output/refusal-log.js';
import { VirtualClock } from '../../support/fakes/virtual-clock.js';

function setUp() {
  const lines: string[] = [];
  const write = (line: string): void => {
    const { client, reason, logins, msg } = JSON.parse(line) as Record<string, unknown>;
    lines.push([client, reason, logins, msg].filter((part) => part !== undefined).join(' '));
  };
  const clock = new VirtualClock();
  return { lines, clock, refused: new RefusalLog(pino({}, { write }), clock, REFUSED_LOGINS) };
}

describe('a refused login', () => {
  it('is logged at once with the address of the client', () => {
    const { lines, refused } = setUp();
    refused.note('192.0.2.1');
    refused.note('192.0.2.2');
    expect(lines).toEqual(['192.0.2.1 login refused', '192.0.2.2 login refused']);
    refused.close();
  });

  it('is counted while the last line about its address is less than ten seconds old', async () => {
    const { lines, clock, refused } = setUp();
    for (let i = 0; i < 5; i++) refused.note('192.0.2.1');
    await clock.advance(9_999);
    expect(lines).toHaveLength(1);
    await clock.advance(1);
    expect(lines.slice(1)).toEqual(['192.0.2.1 4 further logins refused']);
    refused.note('192.0.2.1');
    expect(lines.slice(2)).toEqual(['192.0.2.1 login refused']);
    await clock.advance(20_000);
    expect(lines).toHaveLength(3);
    expect(clock.timers).toBe(0);
  });

  it('is counted with those of the other addresses of its network', async () => {
    const { lines, clock, refused } = setUp();
    for (let i = 1; i <= 300; i++) refused.note(`2001:db8::${i.toString(16)}`);
    refused.note('2001:db8:1::1');
    await clock.advance(10_000);
    expect(lines).toEqual([
      '2001:db8::1 login refused',
      '2001:db8:1::1 login refused',
      '2001:db8::1 299 further logins refused',
    ]);
  });

  it('for another reason has a line of its own, and a number of its own', async () => {
    const { lines, clock, refused } = setUp();
    for (const reason of ['time', 'seen', 'time']) refused.note('192.0.2.1', { reason });
    await clock.advance(10_000);
    expect(lines).toEqual([
      '192.0.2.1 time login refused',
      '192.0.2.1 seen login refused',
      '192.0.2.1 time 1 further logins refused',
    ]);
  });

  it('from more than 100 networks in ten seconds is counted without its address', async () => {
    const { lines, clock, refused } = setUp();
    for (let i = 0; i < 150; i++) refused.note(`2001:db8:${i}::1`);
    expect(lines).toHaveLength(100);
    await clock.advance(10_000);
    expect(lines.slice(100)).toEqual(['50 logins from further addresses refused']);
  });

  it('that was only counted is logged when the server stops', () => {
    const { lines, clock, refused } = setUp();
    refused.note('192.0.2.1');
    refused.note('192.0.2.1');
    refused.close();
    expect(lines).toEqual(['192.0.2.1 login refused', '192.0.2.1 1 further logins refused']);
    expect(clock.timers).toBe(0);
  });
});
