import { beforeEach, describe, expect, it } from '@jest/globals';
import type { NodeIdentity } from '../../../src/daemon/node-identity.js';
import { DaemonList } from '../../../src/services/context/daemon-list.js';
import { NodeIdentities } from '../../../src/services/failover/node-identities.js';

const SSL = { mode: 'disabled', allowedFingerprints: [], allowChained: false, allowAnyCert: true } as const;

let list: DaemonList;
let reported: string[];
let identities: NodeIdentities;

const listOf = (names: readonly string[]): DaemonList =>
  new DaemonList(
    names.map((name) => ({ config: { address: `${name}:1`, ssl: SSL }, trusted: false })),
    () => {
      throw new Error('no client is needed');
    },
  );
const note = (name: string, node?: NodeIdentity): void =>
  identities.note({ call: 'get_info', seconds: 0, ...(node === undefined ? {} : { node }) }, `${name}:1`);
const count = (...names: readonly string[]): number =>
  identities.count(list.entries.filter(({ name }) => names.includes(name[0] ?? '')));

beforeEach(() => {
  list = listOf(['a', 'b', 'c', 'd']);
  reported = [];
  identities = new NodeIdentities({ list: () => list, onSameNode: (text) => void reported.push(text) });
});

describe('the nodes behind listed daemons', () => {
  it('are reported once for each pair, in the log and for each daemon', () => {
    note('a', { address: '10.0.0.1:1' });
    note('b', { address: '10.0.0.2:1', certificate: 'aa' });
    expect(reported).toEqual([]);
    for (let i = 0; i < 3; i++) note('c', { address: '10.0.0.1:1', certificate: 'aa' });
    expect(reported).toEqual([
      'a:1 and c:1 are one node: both are reached at 10.0.0.1:1',
      'b:1 and c:1 are one node: both show the same TLS certificate',
    ]);
    expect(identities.pairs()).toEqual(reported);
    expect(list.entries.map((daemon) => identities.twinsOf(daemon))).toEqual([
      'one node with c:1: both are reached at 10.0.0.1:1',
      'one node with c:1: both show the same TLS certificate',
      'one node with a:1: both are reached at 10.0.0.1:1; one node with b:1: both show the same TLS certificate',
      undefined,
    ]);
  });

  it('cannot make others count less by the identities of these', () => {
    note('a', { address: '10.0.0.1:1' });
    note('c', { address: '10.0.0.3:1' });
    expect(count('a', 'b', 'c')).toBe(2);
    note('b', { address: '10.0.0.1:1' });
    note('b', { address: '10.0.0.3:1' });
    expect(count('a', 'b', 'c')).toBe(2);
    expect([count('a', 'b'), count('b', 'c'), count('b')]).toEqual([1, 1, 1]);
  });

  it('count as one if all daemons share an identity, and as none before they answer', () => {
    expect(count('a', 'b', 'c', 'd')).toBe(0);
    for (const name of ['a', 'b', 'c', 'd']) note(name, { certificate: 'aa' });
    expect(count('a', 'b', 'c', 'd')).toBe(1);
  });

  it('are known by the connections of the refreshes and the checks alike', () => {
    note('a', { address: '10.0.0.1:1' });
    note('a', { address: '10.0.0.9:1' });
    note('b', { address: '10.0.0.1:1' });
    expect(count('a', 'b')).toBe(1);
  });

  it.each([
    [62, 1],
    [63, 2],
  ])('are known by their latest 64 identities: %d others follow', (others, nodes) => {
    note('a', { address: '10.0.0.1:1' });
    note('a', { address: '10.0.0.2:1' });
    for (let i = 0; i < others; i++) note('a', { address: `10.0.1.${i}:1` });
    note('b', { address: '10.0.0.1:1' });
    expect(count('a', 'b')).toBe(nodes);
  });

  it('are forgotten with the list, and unlisted ones are not recorded', () => {
    note('a', { address: '10.0.0.1:1' });
    note('b', { address: '10.0.0.1:1' });
    list = listOf(['a', 'b']);
    note('c', { address: '10.0.0.1:1' });
    note('a');
    expect([count('a', 'b'), identities.pairs()]).toEqual([0, []]);
  });
});
