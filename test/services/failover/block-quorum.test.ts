import { beforeEach, describe, expect, it } from '@jest/globals';
import type { DaemonBlockHeader } from '../../../src/daemon/daemon.js';
import { DaemonError } from '../../../src/daemon/errors.js';
import type { NodeIdentity } from '../../../src/daemon/node-identity.js';
import type { Hash } from '../../../src/monero/crypto/types.js';
import type { BlockRef } from '../../../src/monero/wallet/scan/findings.js';
import { DaemonList, type DaemonClient } from '../../../src/services/context/daemon-list.js';
import { BlockQuorum } from '../../../src/services/failover/block-quorum.js';
import { NodeIdentities } from '../../../src/services/failover/node-identities.js';
import { toHex } from '../../../src/util/bytes.js';
import { VirtualClock } from '../../support/fakes/virtual-clock.js';

const hashOf = (chain: number): Hash => new Uint8Array(32).fill(chain) as Hash;
const block = (height: number, chain = 1): BlockRef => ({ height, hash: hashOf(chain) });
const SSL = { mode: 'disabled', allowedFingerprints: [], allowChained: false, allowAnyCert: true } as const;

const at = (ip: string): NodeIdentity => ({ address: `${ip}:1` });

/** Chains of the listed daemons `a` to `d`, of which `a` serves; `none`: it lacks the block, `down`: no answer. */
let chains: Record<string, number | 'none' | 'down'>;
/** Identities of the nodes behind the daemons; undefined: the daemon has not answered yet. */
let nodes: Record<string, NodeIdentity | undefined>;
let votes: Record<string, string | undefined>;
let outvoted: string[];
let calls: number;
let clock: VirtualClock;

const quorumOf = (needed: number, names = ['a', 'b', 'c', 'd']): BlockQuorum => {
  const list = new DaemonList(
    names.map((name) => ({ config: { address: `${name}:1`, ssl: SSL }, trusted: false })),
    ({ address }) =>
      ({
        getBlockHeader: (height: number) => {
          calls += 1;
          const chain = chains[address[0] ?? ''];
          if (typeof chain === 'number')
            return Promise.resolve({ height, hash: hashOf(chain) } as DaemonBlockHeader);
          return Promise.reject(new DaemonError(chain === 'none' ? 'rejected' : 'timeout', 'no'));
        },
      }) as unknown as DaemonClient,
  );
  const identities = new NodeIdentities({ list: () => list, onSameNode: () => undefined });
  for (const name of names) {
    const node = nodes[name];
    if (node !== undefined) identities.note({ call: 'get_info', seconds: 0, node }, `${name}:1`);
  }
  return new BlockQuorum({
    ...{ needed, identities, clock, elapsed: () => clock.elapsed },
    connection: () => ({ list, current: list.entries[0] }),
    onVote: ({ name }, problem) => void (votes[name] = problem),
    onOutvoted: (address) => void outvoted.push(address),
  });
};

const refusal = async (quorum: BlockQuorum, one: BlockRef): Promise<string> => {
  const result = Promise.resolve(quorum.admit(one)).then(
    () => 'admitted',
    (error: unknown) => (error instanceof DaemonError ? `${error.kind}: ${error.message}` : 'bug'),
  );
  await clock.advance(25_000);
  return result;
};

beforeEach(() => {
  chains = { a: 1, b: 1, c: 1, d: 1 };
  nodes = { a: at('10.0.0.1'), b: at('10.0.0.2'), c: at('10.0.0.3'), d: at('10.0.0.4') };
  votes = {};
  outvoted = [];
  calls = 0;
  clock = new VirtualClock();
});

describe('a block counts', () => {
  it('when enough daemons name it, who are asked once for all wallets', async () => {
    const quorum = quorumOf(3);
    await Promise.all([quorum.admit(block(7)), quorum.admit(block(7))]);
    expect(calls).toBe(3);
    expect(quorum.admit(block(7))).toBeUndefined();
    expect(quorum.admit(block(7, 2))).toBeDefined();
  });

  it('when a daemon has received it, or answers again', async () => {
    chains = { a: 1, b: 'none', c: 'down' };
    const admitted = quorumOf(3, ['a', 'b', 'c']).admit(block(7));
    await clock.advance(3_000);
    chains = { a: 1, b: 1, c: 1 };
    await clock.advance(1_000);
    await admitted;
  });

  it('although a minority contradicts it, which is shown until it agrees', async () => {
    chains = { a: 1, b: 1, c: 2, d: 'down' };
    const quorum = quorumOf(2);
    await quorum.admit(block(7));
    expect(votes).toEqual({
      'b:1': undefined,
      'c:1': `it names ${toHex(hashOf(2))} as block 7, and the others ${toHex(hashOf(1))}`,
    });
    chains['c'] = 1;
    await quorum.admit(block(8));
    expect(votes['c:1']).toBeUndefined();
  });

  it.each([
    [19_999, 'admitted'],
    [20_001, 'unverified'],
  ])('if enough daemons name it within 20 s: %d ms', async (ms, outcome) => {
    chains = { a: 1, b: 'none' };
    const result = refusal(quorumOf(2, ['a', 'b']), block(7));
    clock.after(ms, () => (chains['b'] = 1));
    expect((await result).split(':')[0]).toBe(outcome);
  });

  it('without another question while it is among the latest 256', async () => {
    const quorum = quorumOf(2);
    for (let height = 0; height <= 256; height++) await quorum.admit(block(height));
    expect(quorum.admit(block(1))).toBeUndefined();
    expect(quorum.admit(block(0))).toBeDefined();
  });
});

describe('a block does not count', () => {
  it('while too few daemons name it, and the reason names each', async () => {
    chains = { a: 1, b: 'none', c: 'down', d: 2 };
    expect(await refusal(quorumOf(2), block(7))).toBe(
      `unverified: 1 of 2 needed nodes name block 7, ${toHex(hashOf(1))}: b:1 lacks the block; c:1 does not answer (timeout); d:1 names ${toHex(hashOf(2))}`,
    );
    expect(outvoted).toEqual([]);
  });

  it('if enough other daemons agree on another one: then the serving daemon is at fault', async () => {
    chains = { a: 1, b: 2, c: 2, d: 'down' };
    expect(await refusal(quorumOf(2), block(7))).toMatch(/^unverified: 1 of 2 needed nodes/);
    expect(outvoted).toEqual(['a:1']);
  });

  it('with fewer daemons than are needed', async () => {
    expect(await refusal(quorumOf(2, ['a']), block(7))).toMatch(/no other node is listed$/);
  });
});

describe('two addresses of one node', () => {
  const SHARED: readonly (readonly [
    kind: string,
    first: NodeIdentity,
    second: NodeIdentity,
    reason: string,
  ])[] = [
    ['an address', at('10.0.0.1'), at('10.0.0.1'), 'both are reached at 10.0.0.1:1'],
    [
      'a certificate',
      { address: '10.0.0.1:1', certificate: 'aa' },
      { address: '10.0.0.2:1', certificate: 'aa' },
      'both show the same TLS certificate',
    ],
  ];

  it.each(SHARED)('have one vote if they share %s, and the reason names both', async (_, a, b, reason) => {
    nodes = { a, b };
    expect(await refusal(quorumOf(2, ['a', 'b']), block(7))).toBe(
      `unverified: 1 of 2 needed nodes name block 7, ${toHex(hashOf(1))}: b:1 names it; a:1 and b:1 are one node: ${reason}`,
    );
  });

  it.each([
    [2, 'admitted'],
    [3, 'unverified'],
  ])('have one vote beside another node: %d are needed', async (needed, outcome) => {
    nodes = { a: at('10.0.0.1'), b: at('10.0.0.1'), c: at('10.0.0.3') };
    const result = await refusal(quorumOf(needed, ['a', 'b', 'c']), block(7));
    expect(result.split(':')[0]).toBe(outcome);
  });

  it('have two votes if neither address nor certificate is the same', async () => {
    nodes = {
      a: { address: '10.0.0.1:1', certificate: 'aa' },
      b: { address: '10.0.0.1:2', certificate: 'bb' },
    };
    expect(await refusal(quorumOf(2, ['a', 'b']), block(7))).toBe('admitted');
  });

  it.each([
    ['10.0.0.3', [] as string[]],
    ['10.0.0.4', ['a:1']],
  ])('convict the serving daemon only with another node: %s', async (ip, blamed) => {
    chains = { a: 1, b: 2, c: 2 };
    nodes = { a: at('10.0.0.1'), b: at('10.0.0.3'), c: at(ip) };
    expect(await refusal(quorumOf(2, ['a', 'b', 'c']), block(7))).toMatch(/^unverified: 1 of 2 needed/);
    expect(outvoted).toEqual(blamed);
  });

  it('have no vote before a connection has shown an identity', async () => {
    nodes = { a: undefined, b: at('10.0.0.2') };
    expect(await refusal(quorumOf(2, ['a', 'b']), block(7))).toMatch(/^unverified: 1 of 2 needed/);
  });

  it('have two votes through a proxy, which hides both', async () => {
    nodes = { a: {}, b: {} };
    expect(await refusal(quorumOf(2, ['a', 'b']), block(7))).toBe('admitted');
  });
});
