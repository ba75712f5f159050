import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Daemon, OutputDistribution, RingCandidate } from '../../../src/daemon/daemon.js';
import { DaemonError } from '../../../src/daemon/errors.js';
import {
  DaemonList,
  type DaemonClient,
  type NamedDaemon,
} from '../../../src/services/context/daemon-list.js';
import { RingWitness } from '../../../src/services/failover/ring-witness.js';
import { seededRng } from '../../support/fakes/seeded-rng.js';
import { VirtualClock } from '../../support/fakes/virtual-clock.js';

const SSL = { mode: 'disabled', allowedFingerprints: [], allowChained: false, allowAnyCert: true } as const;
const YEAR = 262_800;

/** Node with a chain of three outputs a block. */
class Node {
  /** Height of the first block with outputs; the chain of the others begins there. */
  start = 0;
  blocks = 3_000;
  /** Number of outputs that the node adds to the counts from a height on. */
  added: { readonly from: number; readonly to: number; readonly outputs: number } | undefined;
  failure: 'unreachable' | 'silent' | undefined;
  /** Number that the keys of outputs contain; outputs of other nodes have zero. */
  key = 0;
  commitment = 0;
  isUnlocked: (index: number) => boolean = () => true;
  /** Index of outputs with a false key; absent: all outputs, if `key` is not zero. */
  false: ((index: number) => boolean) | undefined;
  readonly calls: string[] = [];
  readonly asked: (readonly number[])[] = [];

  part(from: number, to: number): OutputDistribution {
    if (to >= this.blocks) throw new DaemonError('rejected', 'too high');
    const first = Math.max(from, this.start);
    const last = to === 0 ? this.blocks - 1 : to;
    const count = (height: number): number => {
      const { from: low = 0, to: high = 0, outputs = 0 } = this.added ?? {};
      return 3 * (height + 1) + (height >= low && height <= high ? outputs : 0);
    };
    const cumulative = Array.from({ length: last + 1 - first }, (_, i) => count(first + i));
    return { startHeight: first, base: first === 0 ? 0 : count(first - 1), cumulative };
  }

  candidate(index: number): RingCandidate {
    const bytes = (kind: number): Uint8Array => Uint8Array.of(index & 255, index >> 8, kind);
    const isFalse = this.false?.(index) ?? true;
    return {
      publicKey: bytes(isFalse ? this.key : 0),
      commitment: bytes(this.commitment),
      unlocked: this.isUnlocked(index),
    } as unknown as RingCandidate;
  }

  client(signal?: AbortSignal): DaemonClient {
    const answer = <T>(call: string, read: () => T): Promise<T> => {
      this.calls.push(call);
      if (this.failure === 'unreachable') return Promise.reject(new DaemonError('unreachable', 'no'));
      if (this.failure === 'silent')
        return new Promise((_, reject) => {
          signal?.addEventListener('abort', () => reject(signal.reason as Error));
        });
      return new Promise((resolve) => resolve(read()));
    };
    return {
      getOutputDistribution: () => answer('all', () => this.part(0, 0)),
      getOutputCounts: (from: number, to: number) => answer(`${from}-${to}`, () => this.part(from, to)),
      getOutputs: (indices: readonly number[]) => {
        this.asked.push(indices);
        return answer('outputs', () => indices.map((index) => this.candidate(index)));
      },
      until: (end: AbortSignal) => this.client(end),
    } as unknown as DaemonClient;
  }
}

let nodes: Record<string, Node>;
let votes: Record<string, string | undefined>;
/** Name of the node behind a listed daemon, if it has another one. */
let twins: Record<string, string>;
let undecided: string[];
let clock: VirtualClock;
let serving: Daemon;

function witnessOf(names = ['a', 'b', 'c'], seed = 1): RingWitness {
  const list = new DaemonList(
    names.map((name) => ({ config: { address: `${name}:1`, ssl: SSL }, trusted: false })),
    ({ address }) => (nodes[address[0] ?? ''] as Node).client(),
  );
  serving = (nodes['a'] as Node).client();
  return new RingWitness({
    ...{ clock, rng: seededRng(seed), connection: () => ({ list, current: list.entries[0] }) },
    identities: { count: (daemons) => new Set(daemons.map(({ name }) => twins[name] ?? name)).size },
    onVote: ({ name }: NamedDaemon, problem) => void (votes[name] = problem),
    onUndecided: (reason) => void undecided.push(reason),
  });
}

const outcome = async (result: Promise<unknown>): Promise<string> => {
  const text = result.then(
    () => 'used',
    (error: unknown) => (error instanceof DaemonError ? `${error.kind}: ${error.message}` : String(error)),
  );
  await clock.advance(10_000);
  const isUndecided = /^unverified: (?!.*it is left out$)/.test(await text);
  expect(undecided.map((reason) => `unverified: ${reason}`)).toEqual(isUndecided ? [await text] : []);
  undecided = [];
  return text;
};

const distributionBy = (witness: RingWitness): Promise<string> =>
  outcome(witness.outputDistribution(serving));
const indicesOf = (count: number, from = 0): number[] => Array.from({ length: count }, (_, i) => from + i);

/** Node of a name. */
const node = (name: string): Node => nodes[name] as Node;

beforeEach(() => {
  nodes = { a: new Node(), b: new Node(), c: new Node() };
  votes = {};
  undecided = [];
  twins = {};
  clock = new VirtualClock();
});

describe('a distribution of outputs', () => {
  it('is used if one other node confirms it, and no further node is asked', async () => {
    expect(await distributionBy(witnessOf())).toBe('used');
    expect([node('b').calls.length, node('c').calls.length].filter((count) => count > 0)).toHaveLength(1);
    expect(Object.values(votes)).toEqual([undefined, undefined]);
  });

  it('is compared in the newest 2000 blocks of spendable age, and at some older ones', async () => {
    await distributionBy(witnessOf(['a', 'b']));
    const [recent, ...older] = node('b').calls;
    expect(recent).toBe('991-0');
    expect(older.length).toBeGreaterThan(0);
    expect(older.length).toBeLessThanOrEqual(4);
    for (const call of older) expect(call).toMatch(/^(\d+)-\1$/);
  });

  it.each([
    [2_990, 'unverified'],
    [2_991, 'used'],
  ])('that differs from block %d on, of 3000: %s', async (from, expected) => {
    node('a').added = { from, to: 3_000, outputs: 1 };
    expect((await distributionBy(witnessOf(['a', 'b']))).split(':')[0]).toBe(expected);
  });

  it.each([
    [100_000, 'used'],
    [100_001, 'unverified'],
  ])('with %d more outputs in the newest blocks: %s', async (outputs, expected) => {
    node('a').added = { from: 2_991, to: 3_000, outputs };
    expect((await distributionBy(witnessOf(['a', 'b']))).split(':')[0]).toBe(expected);
  });

  it.each([
    ['a witness 9 blocks behind', 3_000, 2_991, 'used'],
    ['a witness 10 blocks behind', 3_000, 2_990, 'unverified: no other node could confirm'],
    ['a witness 9 blocks ahead', 3_000, 3_009, 'used'],
    [
      'a witness 10 blocks ahead',
      3_000,
      3_010,
      'unverified: the output distribution for decoys of a:1 differ',
    ],
  ])('with %s', async (_, own, other, expected) => {
    node('a').blocks = own;
    node('b').blocks = other;
    expect(await distributionBy(witnessOf(['a', 'b']))).toContain(expected);
  });

  it.each([
    [50, 'used'],
    [40, 'unverified'],
  ])('of a chain that begins at block 50, and for the witness at %d: %s', async (start, expected) => {
    node('a').start = 50;
    node('b').start = start;
    expect((await distributionBy(witnessOf(['a', 'b']))).split(':')[0]).toBe(expected);
  });

  it('is compared at the block that determines the average of a year', async () => {
    for (const one of ['a', 'b']) node(one).blocks = YEAR + 5_000;
    const height = 4_999;
    node('a').added = { from: height, to: height, outputs: 1 };
    expect(await distributionBy(witnessOf(['a', 'b']))).toMatch(/^unverified/);
    expect(node('b').calls).toContain(`${height}-${height}`);
    node('a').added = undefined;
    expect(await distributionBy(witnessOf(['a', 'b']))).toBe('used');
  });

  it('that is false serves nothing, and names the node that two others contradict', async () => {
    node('a').added = { from: 2_000, to: 3_000, outputs: 1 };
    const names = '(b:1 and c:1|c:1 and b:1)';
    expect(await distributionBy(witnessOf())).toMatch(
      new RegExp(
        `^unverified: the output distribution for decoys of a:1 differ from those of ${names}: it is left out$`,
      ),
    );
    expect(votes['a:1']).toMatch(
      new RegExp(`^its output distribution for decoys differ from those of ${names}$`),
    );
    expect(votes).toMatchObject({ 'b:1': undefined, 'c:1': undefined });
  });

  it('is used if only a minority contradicts it, which is shown', async () => {
    node('b').added = { from: 2_000, to: 3_000, outputs: 1 };
    for (let seed = 0; seed < 8; seed++)
      expect(await distributionBy(witnessOf(['a', 'b', 'c'], seed))).toBe('used');
    expect(votes['b:1']).toMatch(/^its output distribution for decoys differ from those of a:1 and c:1$/);
    expect(votes).toMatchObject({ 'a:1': undefined, 'c:1': undefined });
  });

  it.each([
    [
      'not used if the serving node alone confirms it, at two addresses',
      ['a', 'b'],
      { 'b:1': 'a:1' },
      /^unverified/,
    ],
    ['used if a third node confirms it', ['a', 'b', 'c'], { 'b:1': 'a:1' }, /^used$/],
    ['not refuted by one node at two addresses', ['a', 'b', 'c'], { 'c:1': 'b:1' }, /further node is needed/],
  ])('is %s', async (_, names, same, text) => {
    twins = same;
    if (text.source.includes('further'))
      for (const name of ['b', 'c']) (nodes[name] as Node).added = { from: 2_500, to: 2_999, outputs: 1 };
    expect(await outcome(witnessOf(names).outputDistribution(serving))).toMatch(text);
    expect(Object.values(votes).filter((problem) => problem !== undefined)).toEqual([]);
  });

  it('is not used if all nodes differ, and none is at fault', async () => {
    node('b').added = { from: 2_000, to: 3_000, outputs: 1 };
    node('c').added = { from: 2_000, to: 3_000, outputs: 2 };
    expect(await distributionBy(witnessOf())).toMatch(/a further node is needed to tell which one lies$/);
    expect(votes).toEqual({});
  });
});

describe('without an answer of another node', () => {
  it('nothing is used, and the reason names each', async () => {
    node('b').failure = 'unreachable';
    node('c').failure = 'silent';
    const text = await distributionBy(witnessOf());
    expect(text).toMatch(
      /^unverified: no other node could confirm the output distribution for decoys of a:1: /,
    );
    expect(text).toContain('b:1 does not answer (unreachable)');
    expect(text).toContain('c:1 does not answer (timeout)');
    expect(votes).toEqual({});
  });

  it('nothing is used with one listed node', async () => {
    expect(await distributionBy(witnessOf(['a']))).toMatch(/of a:1: no other node is listed$/);
  });

  it('a third one is asked, and first from then on', async () => {
    node('b').failure = 'unreachable';
    const witness = witnessOf();
    for (let i = 0; i < 8; i++) expect(await distributionBy(witness)).toBe('used');
    expect(node('b').calls.filter((call) => call === '991-0').length).toBeLessThanOrEqual(1);
    // Once the third one fails too, the second one is asked again.
    node('b').failure = undefined;
    node('c').failure = 'unreachable';
    expect(await distributionBy(witness)).toBe('used');
  });

  it('a difference of two nodes names both, and none is at fault', async () => {
    node('a').key = 1;
    node('c').failure = 'unreachable';
    expect(await outcome(witnessOf().outputs(serving, indicesOf(8)))).toBe(
      'unverified: the outputs for decoys of a:1 differ from those of b:1: a further node is needed to tell which one lies (c:1 does not answer (unreachable))',
    );
    expect(votes).toEqual({});
  });
});

describe('outputs for rings', () => {
  it.each([
    [7, 7],
    [8, 8],
    [9, 8],
    [32, 8],
    [33, 9],
    [1200, 300],
  ])('of %d candidates, another node is asked for %d', async (count, expected) => {
    expect(await outcome(witnessOf(['a', 'b']).outputs(serving, indicesOf(count)))).toBe('used');
    const [sample = []] = node('b').asked;
    expect(sample).toHaveLength(expected);
    expect(new Set(sample).size).toBe(expected);
    expect(sample).toEqual([...sample].sort((x, y) => x - y));
  });

  it('are in the sample with the same probability', async () => {
    const witness = witnessOf(['a', 'b']);
    for (let i = 0; i < 400; i++) await witness.outputs(serving, indicesOf(40));
    const counts = indicesOf(40).map(
      (index) => node('b').asked.filter((sample) => sample.includes(index)).length,
    );
    // 100 on average, with a standard deviation of 9.
    expect(Math.min(...counts)).toBeGreaterThan(55);
    expect(Math.max(...counts)).toBeLessThan(145);
  });

  it.each(['key', 'commitment'] as const)('with another %s are refused', async (field) => {
    node('a')[field] = 1;
    expect(await outcome(witnessOf().outputs(serving, indicesOf(40)))).toMatch(
      /a:1 differ .*: it is left out$/,
    );
    expect(votes['a:1']).toContain('its outputs for decoys differ');
  });

  it('of which one, in the sample, is false are refused', async () => {
    const isRefused = async (index: number): Promise<boolean> => {
      node('a').key = 1;
      node('a').false = (one) => one === index;
      node('b').asked.length = 0;
      const text = await outcome(witnessOf(['a', 'b']).outputs(serving, indicesOf(40)));
      expect(text !== 'used').toBe(node('b').asked[0]?.includes(index));
      return text !== 'used';
    };
    const refused: boolean[] = [];
    for (const index of indicesOf(40)) refused.push(await isRefused(index));
    expect(refused.filter(Boolean)).toHaveLength(10);
  });

  it('of several rings that have two keys are refused', async () => {
    let calls = 0;
    node('a').key = 1;
    node('a').false = () => ++calls > 8;
    const twice = [...indicesOf(8), ...indicesOf(8)];
    expect(await outcome(witnessOf(['a', 'b']).outputs(serving, twice))).toMatch(/^unverified/);
  });

  it.each([
    [8_793, 'used'],
    [8_792, 'unverified'],
  ])(
    'whose lock differs are refused if they are below the newest 69 blocks: %d of 9000',
    async (index, expected) => {
      const witness = witnessOf(['a', 'b']);
      expect(await distributionBy(witness)).toBe('used');
      node('a').isUnlocked = (one) => one !== index;
      const result = await outcome(witness.outputs(serving, [index]));
      expect(result.split(':')[0]).toBe(expected);
    },
  );

  it('fail with the error of the serving node', async () => {
    node('a').failure = 'unreachable';
    expect(await outcome(witnessOf().outputs(serving, indicesOf(8)))).toBe('unreachable: no');
  });
});
