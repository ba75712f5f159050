import { describe, expect, it } from '@jest/globals';
import { DaemonStanding } from '../../../src/services/failover/daemon-standing.js';
import { isBehind, proposeSwitch, type Choice } from '../../../src/services/failover/daemon-standing.js';
import type { DaemonInfo } from '../../../src/daemon/daemon.js';

/** A daemon with a number of blocks, or one that cannot serve. @param probes healthy ones in a row. */
function standing(name: string, height: number | undefined, probes = 0): DaemonStanding {
  const made = new DaemonStanding({ name } as DaemonStanding['daemon']);
  if (height === undefined) made.setProblem('it is silent');
  else made.setInfo({ height, topBlockHash: new Uint8Array(32) } as DaemonInfo);
  for (let i = 0; i < probes; i++) made.countProbe(false, false);
  return made;
}

const NONE = { count: 0, last: 'none' };
const THREE = { count: 3, last: 'timeout in get_info' };

/** Reason, text and candidates of a proposal in one line. */
function proposed(choice: Choice): string | undefined {
  const proposal = proposeSwitch(choice);
  return (
    proposal &&
    `${proposal.reason} (${proposal.text}): ${proposal.candidates.map(({ daemon }) => daemon.name).join(' ')}`
  );
}

describe('a switch', () => {
  it('is not proposed while the first daemon serves and lacks at most two blocks', () => {
    const standings = [standing('a', 98), standing('b', 100, 9)];
    expect(proposed({ standings, serving: 0, failures: { count: 2, last: 'x' } })).toBeUndefined();
  });

  it('is proposed to daemons that are up to date, in the order of preference', () => {
    const standings = [standing('a', 97), standing('b', 97), standing('c', 98), standing('d', 100)];
    expect(proposed({ standings, serving: 0, failures: NONE })).toBe('behind (3 blocks behind): c d');
  });

  it('from a failing daemon does not count the height that it claims', () => {
    const standings = [standing('a', 1_000), standing('b', 100), standing('c', undefined)];
    expect(proposed({ standings, serving: 0, failures: THREE })).toBe(
      'failed (3 failures (timeout in get_info)): b',
    );
  });

  it('is proposed without a candidate when no other daemon can serve', () => {
    const standings = [standing('a', 100), standing('b', undefined)];
    expect(proposed({ standings, serving: 0, failures: THREE })).toBe(
      'failed (3 failures (timeout in get_info)): ',
    );
  });

  it('goes back only to a preferred daemon that was healthy six times in a row', () => {
    const choice = (probes: number): Choice => ({
      standings: [standing('a', 100, probes), standing('b', 100), standing('c', 100, 99)],
      serving: 1,
      failures: NONE,
    });
    expect(proposed(choice(5))).toBeUndefined();
    expect(proposed(choice(6))).toBe('return (it is preferred and healthy again): a');
  });

  it('does not go back to a daemon that is behind', () => {
    const standings = [standing('a', 97, 6), standing('b', 100)];
    expect(proposed({ standings, serving: 1, failures: NONE })).toBeUndefined();
  });

  it('is not proposed from a daemon that no list has', () => {
    expect(proposed({ standings: [], serving: 0, failures: THREE })).toBeUndefined();
  });
});

it('a daemon without a known height is behind all others', () => {
  expect(isBehind(standing('a', undefined), 3)).toBe(true);
  expect(isBehind(standing('a', undefined), 2)).toBe(false);
});
