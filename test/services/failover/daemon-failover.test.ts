import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { GENESIS_HASH } from '../../../src/monero/cryptonote/constants.js';
import { DaemonError } from '../../../src/daemon/errors.js';
import { DaemonConnection } from '../../../src/services/context/daemon-connection.js';
import { DaemonFailover } from '../../../src/services/failover/daemon-failover.js';
import type { BlockRef } from '../../../src/monero/wallet/scan/findings.js';
import { heldBlocks, type HeldChain } from '../../../src/services/failover/chain-check.js';
import { FakeNode, hashOn, historyOn } from '../../support/fakes/fake-node.js';
import { VirtualClock } from '../../support/fakes/virtual-clock.js';

const ROUND = 10_000;
const TIP = 2_000;
const OUTAGE = new DaemonError('unreachable', 'no connection', { code: 'ECONNREFUSED' });

let clock: VirtualClock;
let nodes: Record<'a' | 'b' | 'c', FakeNode>;
let wallets: BlockRef[][];
let lines: { readonly level: number; readonly msg: string }[];
let switched: number;
/** Listed daemons with which a daemon is one node, by its letter. */
let twins: Record<string, string>;
let connection: DaemonConnection;
let failover: DaemonFailover;

const configOf = (name: string) => ({
  address: `${name}:1`,
  ssl: { mode: 'disabled', allowedFingerprints: [], allowChained: false, allowAnyCert: false } as const,
});

function build(names: readonly ('a' | 'b' | 'c')[]): void {
  connection = new DaemonConnection({
    connect: ({ address }) => nodes[address[0] as 'a'].client,
    refresher: { start: () => undefined, setDaemon: () => undefined, close: () => Promise.resolve() },
    daemons: names.map((name) => ({ config: configOf(name), trusted: name === 'a' })),
  });
  failover = new DaemonFailover({
    ...{ connection, clock, elapsed: () => clock.elapsed },
    chain: () => ({ network: 'mainnet', genesis: GENESIS_HASH.mainnet, histories: wallets }),
    log: pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line) as never) }),
    onSwitch: () => (switched += 1),
    twinsOf: ({ name }) => twins[name[0] ?? ''],
  });
}

beforeEach(() => {
  clock = new VirtualClock();
  nodes = { a: new FakeNode(TIP + 1), b: new FakeNode(TIP + 1), c: new FakeNode(TIP + 1) };
  wallets = [historyOn('main', TIP)];
  lines = [];
  switched = 0;
  twins = {};
  build(['a', 'b', 'c']);
});
afterEach(() => failover.close());

/** Lets rounds pass. */
const rounds = (count: number): Promise<void> => clock.advance(count * ROUND);
const serving = (): string | undefined => connection.address;
/** Time after which a failing daemon was probed three times [ms]. */
const THREE_PROBES = 2 * 2_000;

describe('a failing daemon', () => {
  it('is replaced by the next one after three probes that failed, with one line in the log', async () => {
    failover.start();
    await rounds(3);
    expect([serving(), connection.trusted, lines]).toEqual(['a:1', true, []]);
    nodes.a.failure = OUTAGE;
    await rounds(1);
    expect(serving()).toBe('a:1');
    await clock.advance(THREE_PROBES);
    expect([serving(), connection.trusted, switched]).toEqual(['b:1', false, 1]);
    expect(lines.map(({ msg }) => msg)).toEqual([
      'daemon: switched from a:1 to b:1: 3 failures (unreachable: no connection (ECONNREFUSED))',
    ]);
    expect([...failover.switches]).toEqual([['failed', 1]]);
  });

  it('is not replaced after two failures', async () => {
    failover.start();
    await rounds(1);
    for (let i = 0; i < 5; i++) {
      nodes.a.failure = OUTAGE;
      for (const end = nodes.a.calls.length + 2; nodes.a.calls.length < end;) await clock.advance(1_000);
      nodes.a.failure = undefined;
      await rounds(1);
    }
    expect([serving(), switched]).toEqual(['a:1', 0]);
  });

  it('is replaced at once after three calls of wallets that failed, one after the other', async () => {
    failover.start();
    await rounds(1);
    nodes.a.failure = OUTAGE;
    const fail = (seconds: number): void =>
      failover.note({ call: '/getblocks.bin', seconds, failure: 'unreachable' }, 'a:1');
    for (let i = 0; i < 3; i++) {
      await clock.advance(100);
      fail(0.05);
    }
    await clock.advance(1);
    expect(serving()).toBe('b:1');
  });

  it('is replaced when it answers every call but one', async () => {
    failover.start();
    for (let i = 0; i < 3; i++) {
      await rounds(6);
      expect(serving()).toBe('a:1');
      failover.note({ call: '/getblocks.bin', seconds: 60, failure: 'timeout' }, 'a:1');
    }
    await clock.advance(1);
    expect(serving()).toBe('b:1');
  });

  it('does not take turns with another one while a third has failed less often, though probes find both healthy', async () => {
    failover.start();
    await rounds(1);
    const served: (string | undefined)[] = [];
    for (let i = 0; i < 5; i++) {
      served.push(serving());
      for (let calls = 0; calls < 3; calls++) {
        await clock.advance(100);
        failover.note({ call: 'refresh', seconds: 0.05, failure: 'malformed' }, serving() ?? '');
      }
      await clock.advance(1);
    }
    // Of those that failed equally often, the preferred one is next.
    expect(served).toEqual(['a:1', 'b:1', 'c:1', 'a:1', 'b:1']);
  });

  it('never serves again after it sent forged data, however well it answers', async () => {
    failover.start();
    await rounds(1);
    const disproof = 'a:1 sent other bytes';
    failover.note({ call: '/gettransactions', seconds: 0.1, failure: 'forged', disproof }, 'a:1');
    failover.note({ call: '/gettransactions', seconds: 0.1 }, 'a:1');
    await clock.advance(1);
    expect([serving(), switched]).toEqual(['b:1', 1]);
    await rounds(1_000);
    expect(serving()).toBe('b:1');
    expect(failover.statuses[0]).toEqual({ name: 'a:1', serves: false, problem: disproof });
    expect(lines.map(({ level, msg }) => [level, msg])).toEqual([
      [50, 'the daemon has sent forged data, which is not used'],
      [40, 'daemon: switched from a:1 to b:1: forged data in /gettransactions'],
    ]);
    nodes.b.failure = OUTAGE;
    await rounds(10);
    expect(serving()).toBe('c:1');
  });

  it('is shown with its twins, and may serve all the same', async () => {
    twins = { b: 'one node with c:1: both are reached at 10.0.0.2:1' };
    failover.start();
    await rounds(1);
    expect(failover.statuses).toEqual([
      { name: 'a:1', serves: true, height: TIP + 1 },
      { name: 'b:1', serves: false, height: TIP + 1, twins: twins['b'] },
      { name: 'c:1', serves: false, height: TIP + 1 },
    ]);
    nodes.a.failure = OUTAGE;
    await rounds(1);
    await clock.advance(THREE_PROBES);
    expect(serving()).toBe('b:1');
  });

  it('is known as a forger although another one serves already, or no other one is listed', async () => {
    const disproof = 'forged';
    failover.start();
    await rounds(1);
    failover.note({ call: 'x', seconds: 0.1, failure: 'forged', disproof }, 'b:1');
    nodes.a.failure = OUTAGE;
    await rounds(10);
    expect(serving()).toBe('c:1');
    failover.close();
    build(['a']);
    failover.start();
    failover.note({ call: 'x', seconds: 0.1, failure: 'forged', disproof }, 'a:1');
    expect([serving(), failover.statuses[0]?.problem]).toEqual(['a:1', disproof]);
  });

  it('has failed once when a hundred calls fail at the same time', async () => {
    failover.start();
    await rounds(1);
    for (let i = 0; i < 100; i++)
      failover.note({ call: '/getblocks.bin', seconds: 0.5, failure: 'unreachable' }, 'a:1');
    await clock.advance(1);
    expect(serving()).toBe('a:1');
  });

  it.each([['busy'], ['rejected'], ['too_large']] as const)(
    'does not fail by an answer such as %s',
    async (failure) => {
      failover.start();
      for (let i = 0; i < 9; i++) {
        await clock.advance(1_000);
        failover.note({ call: '/send_raw_transaction', seconds: 0.1, failure }, 'a:1');
      }
      await clock.advance(1);
      expect(serving()).toBe('a:1');
    },
  );

  it('is replaced when its gateway answers in its place', async () => {
    failover.start();
    await rounds(1);
    for (let i = 0; i < 3; i++) {
      await clock.advance(100);
      failover.note({ call: '/getblocks.bin', seconds: 0.05, failure: 'rejected', status: 502 }, 'a:1');
    }
    await clock.advance(1);
    expect(serving()).toBe('b:1');
    expect(lines.map(({ msg }) => msg)).toEqual([
      'daemon: switched from a:1 to b:1: 3 failures (HTTP status 502 in /getblocks.bin)',
    ]);
  });

  it('does not count for the one that replaced it', async () => {
    failover.start();
    nodes.a.failure = OUTAGE;
    await clock.advance(THREE_PROBES);
    expect(serving()).toBe('b:1');
    for (let i = 0; i < 9; i++) {
      await clock.advance(100);
      failover.note({ call: '/getblocks.bin', seconds: 0.05, failure: 'unreachable' }, 'a:1');
    }
    await clock.advance(1);
    expect(serving()).toBe('b:1');
  });

  it.each<[string, () => void]>([
    ['is syncing', () => (nodes.a.synchronized = false)],
    ['claims a block that it lacks', () => (nodes.a.claimed = TIP + 1_000)],
    ['follows another network', () => (nodes.a.network = 'stagenet')],
    ['lost the chain of the wallets', () => (nodes.a.branch = 'other')],
  ])('is one that %s', async (_, spoil) => {
    failover.start();
    await rounds(1);
    spoil();
    await rounds(1);
    await clock.advance(THREE_PROBES);
    expect(serving()).toBe('b:1');
  });

  it('stays in use when no other can serve, which is logged once', async () => {
    nodes.b.failure = OUTAGE;
    nodes.c.branch = 'other';
    nodes.a.failure = OUTAGE;
    failover.start();
    await rounds(20);
    expect([serving(), switched]).toEqual(['a:1', 0]);
    expect(lines.map(({ msg }) => msg)).toEqual([
      'daemon: a:1 stays in use despite 3 failures (unreachable: no connection (ECONNREFUSED)): no other can serve ' +
        '(b:1: unreachable: no connection (ECONNREFUSED); c:1: it has none of the last 100 blocks of an open wallet)',
    ]);
    nodes.b.failure = undefined;
    await rounds(1);
    expect(serving()).toBe('b:1');
  });
});

describe('a daemon that is behind', () => {
  it('is replaced when it lacks three blocks of the best one, not two', async () => {
    failover.start();
    nodes.b.height = nodes.c.height = TIP + 3;
    await rounds(3);
    expect(serving()).toBe('a:1');
    nodes.c.height = TIP + 4;
    await rounds(1);
    expect([serving(), [...failover.switches]]).toEqual(['b:1', [['behind', 1]]]);
    expect(lines.map(({ msg }) => msg)).toEqual(['daemon: switched from a:1 to b:1: 3 blocks behind']);
  });

  it('is not chosen while another is up to date', async () => {
    nodes.b.height = TIP - 2;
    nodes.a.failure = OUTAGE;
    failover.start();
    await clock.advance(THREE_PROBES);
    expect(serving()).toBe('c:1');
  });

  it('takes over when it is the only one left, with an ancestor of the newest block of a wallet', async () => {
    nodes.b.height = TIP - 2;
    nodes.c.failure = OUTAGE;
    nodes.a.failure = OUTAGE;
    failover.start();
    await clock.advance(THREE_PROBES);
    expect(serving()).toBe('b:1');
  });
});

describe('a lying daemon', () => {
  /** Ways to lie about a longer chain. */
  const lies: [string, (node: FakeNode) => void][] = [
    ['has only the height', (node) => (node.claimed = TIP + 500)],
    [
      'has forged headers',
      (node) => {
        node.claimed = TIP + 500;
        node.forgesHeaders = true;
      },
    ],
    [
      'has another chain of the same genesis block',
      (node) => {
        node.height = TIP + 500;
        node.branch = 'other';
        node.forkHeight = 1;
      },
    ],
    [
      'forked more than a hundred blocks ago',
      (node) => {
        node.height = TIP + 500;
        node.branch = 'other';
        node.forkHeight = TIP - 100;
      },
    ],
    [
      'has another genesis block',
      (node) => {
        node.height = TIP + 500;
        node.branch = 'other genesis';
      },
    ],
    [
      'follows another network',
      (node) => {
        node.height = TIP + 500;
        node.network = 'testnet';
      },
    ],
  ];

  it.each(lies)('is never chosen: it %s', async (_, lie) => {
    wallets = [historyOn('main', TIP, 300)];
    lie(nodes.b);
    failover.start();
    await rounds(10);
    expect([serving(), lines]).toEqual(['a:1', []]);
    nodes.a.failure = OUTAGE;
    await rounds(2);
    expect(serving()).toBe('c:1');
    // The one that is preferred returns: the claimed height does not count.
    nodes.a.failure = undefined;
    await rounds(8);
    expect(serving()).toBe('a:1');
    expect(failover.statuses.find(({ name }) => name === 'b:1')?.problem).toBeDefined();
  });

  it('is replaced although it claims more blocks than the others', async () => {
    failover.start();
    await rounds(1);
    nodes.a.claimed = TIP + 500;
    nodes.a.forgesHeaders = true;
    for (let i = 0; i < 3; i++) {
      await clock.advance(1_000);
      failover.note({ call: '/getblocks.bin', seconds: 0.1, failure: 'malformed' }, 'a:1');
    }
    await clock.advance(1);
    expect(serving()).toBe('b:1');
  });

  it('is not chosen for one wallet of several whose blocks it lacks', async () => {
    wallets = [historyOn('main', TIP), historyOn('main', 5), [{ height: 900, hash: hashOn('ours', 900) }]];
    nodes.b.branch = nodes.c.branch = 'main';
    nodes.a.failure = OUTAGE;
    failover.start();
    await rounds(3);
    expect(serving()).toBe('a:1');
    wallets.pop();
    await rounds(1);
    expect(serving()).toBe('b:1');
  });
});

describe('without a wallet that has blocks', () => {
  const fork = (node: FakeNode): void => {
    node.branch = 'other';
    node.forkHeight = 1;
    node.height = TIP + 500;
  };

  it('the chain of the daemon that serves must go on in the one that takes over', async () => {
    wallets = [[]];
    fork(nodes.b);
    failover.start();
    await rounds(3);
    expect(serving()).toBe('a:1');
    nodes.a.failure = OUTAGE;
    await rounds(2);
    expect(serving()).toBe('c:1');
  });

  it('a reorganisation of a few blocks is no other chain', async () => {
    wallets = [];
    failover.start();
    await rounds(1);
    for (const node of [nodes.b, nodes.c]) {
      node.branch = 'other';
      node.forkHeight = TIP - 2;
    }
    nodes.a.failure = OUTAGE;
    await rounds(2);
    expect(serving()).toBe('b:1');
  });

  it('the others must agree when the first one never answered', async () => {
    wallets = [];
    nodes.a.failure = OUTAGE;
    fork(nodes.b);
    failover.start();
    await rounds(3);
    expect(serving()).toBe('a:1');
    wallets = [historyOn('main', TIP)];
    await rounds(1);
    expect(serving()).toBe('c:1');
  });

  it('the only other one takes over when the first one never answered', async () => {
    wallets = [];
    build(['a', 'b']);
    nodes.a.failure = OUTAGE;
    failover.start();
    await rounds(1);
    expect(serving()).toBe('b:1');
  });
});

describe('a reorganisation by a switch', () => {
  /** The chain of a wallet, as a store gives it. @param first height that it scanned. */
  const chainFrom = (first: number, tip = TIP): HeldChain => ({
    shortHistory: () => [{ height: tip, hash: hashOn('main', tip) }],
    oldestFrom: (height) => ({
      height: Math.max(first, height),
      hash: hashOn('main', Math.max(first, height)),
    }),
  });
  const forkAt = (common: number): void => {
    for (const node of [nodes.b, nodes.c]) {
      node.branch = 'other';
      node.forkHeight = common + 1;
    }
  };

  describe.each([
    ['of the whole chain', 0],
    ['of the last 300 blocks', TIP - 299],
    ['that was just created', TIP - 59],
    ['that has one block', TIP],
  ])('with a wallet %s', (_, first) => {
    beforeEach(async () => {
      wallets = heldBlocks([chainFrom(first)]);
      failover.start();
      await rounds(1);
      nodes.a.failure = OUTAGE;
    });

    it.each([1, 10, 11, 70, 71, 72, 90, 99, 100])('of %i blocks is accepted', async (depth) => {
      forkAt(TIP - depth);
      await rounds(3);
      expect(serving()).toBe('b:1');
    });

    it.each([101, 135, 1000, TIP])('of %i blocks is refused', async (depth) => {
      forkAt(TIP - depth);
      await rounds(3);
      expect(serving()).toBe('a:1');
    });
  });

  it.each([1, 10, 40, 49])('of %i blocks is accepted in a chain of 51', async (depth) => {
    for (const node of Object.values(nodes)) node.height = 51;
    wallets = heldBlocks([chainFrom(0, 50)]);
    forkAt(50 - depth);
    nodes.a.failure = OUTAGE;
    failover.start();
    await rounds(3);
    expect(serving()).toBe('b:1');
  });

  it.each([
    [100, 'b:1'],
    [101, 'a:1'],
  ])('of %i blocks leaves a daemon that lacks as many to serve as %s', async (missing, expected) => {
    wallets = heldBlocks([chainFrom(0)]);
    nodes.b.height = nodes.c.height = TIP + 1 - missing;
    nodes.a.failure = OUTAGE;
    failover.start();
    await rounds(3);
    expect(serving()).toBe(expected);
  });

  it('never goes back to the genesis block, which every chain has', async () => {
    wallets = [historyOn('main', 50, 51)];
    for (const node of [nodes.b, nodes.c]) {
      node.branch = 'other';
      node.forkHeight = 1;
    }
    nodes.a.failure = OUTAGE;
    failover.start();
    await rounds(3);
    expect(serving()).toBe('a:1');
  });
});

describe('a preferred daemon', () => {
  const failOnce = async (): Promise<void> => {
    nodes.a.failure = OUTAGE;
    await rounds(2);
    nodes.a.failure = undefined;
  };

  it('serves again after six healthy probes in a row', async () => {
    failover.start();
    await failOnce();
    expect(serving()).toBe('b:1');
    await rounds(5);
    expect(serving()).toBe('b:1');
    nodes.a.failure = OUTAGE;
    await rounds(1);
    nodes.a.failure = undefined;
    await rounds(5);
    expect(serving()).toBe('b:1');
    await rounds(2);
    expect(serving()).toBe('a:1');
    expect(lines.at(-1)).toMatchObject({
      level: 30,
      msg: 'daemon: switched from b:1 to a:1: it is preferred and healthy again',
    });
  });

  it('needs twice as many after each further failure', async () => {
    failover.start();
    await failOnce();
    await rounds(8);
    expect(serving()).toBe('a:1');
    await failOnce();
    await rounds(10);
    expect(serving()).toBe('b:1');
    await rounds(4);
    expect(serving()).toBe('a:1');
  });

  it('does not return while it is behind', async () => {
    failover.start();
    await failOnce();
    nodes.b.height = nodes.c.height = TIP + 100;
    await rounds(20);
    expect(serving()).toBe('b:1');
  });

  it('leaves the calls to the one before a minute to end', async () => {
    failover.start();
    await failOnce();
    connection.client();
    await rounds(8);
    expect(serving()).toBe('a:1');
    const closed = (): number => nodes.b.calls.filter((call) => call === 'close').length;
    expect(closed()).toBe(0);
    await rounds(6);
    expect(closed()).toBe(1);
  });
});

describe('a daemon that contradicts the others', () => {
  const PROBLEM = 'its outputs for decoys differ from those of b:1 and c:1';
  const vote = (name: 'a' | 'b', problem: string | undefined, subject?: 'rings'): void => {
    const daemon = connection.list.find(`${name}:1`);
    if (daemon !== undefined) failover.noteVote(daemon, problem, subject);
  };
  const problemOf = (at: number): string | undefined => failover.statuses[at]?.problem;

  it('is replaced at once if it serves, and does not return until it agrees', async () => {
    failover.start();
    await rounds(1);
    vote('a', PROBLEM, 'rings');
    await clock.advance(1);
    expect([serving(), problemOf(0)]).toEqual(['b:1', PROBLEM]);
    expect(lines.map(({ msg }) => msg)).toEqual([
      'a listed daemon contradicts the others',
      `daemon: switched from a:1 to b:1: ${PROBLEM}`,
    ]);
    await rounds(20);
    expect(serving()).toBe('b:1');
    vote('a', undefined, 'rings');
    await rounds(7);
    expect([serving(), problemOf(0)]).toEqual(['a:1', undefined]);
  });

  it('does not take over', async () => {
    failover.start();
    await rounds(1);
    vote('b', PROBLEM, 'rings');
    nodes.a.failure = OUTAGE;
    await rounds(4);
    expect(serving()).toBe('c:1');
  });

  it('in data for rings still does when it agrees about a block', async () => {
    failover.start();
    await rounds(1);
    vote('b', PROBLEM, 'rings');
    vote('b', undefined);
    expect(problemOf(1)).toBe(PROBLEM);
    vote('b', 'it names another block');
    vote('b', undefined, 'rings');
    expect(problemOf(1)).toBe('it names another block');
    vote('b', undefined);
    expect(problemOf(1)).toBeUndefined();
  });
});

describe('probes', () => {
  it('are not made for a single daemon, nor offline', async () => {
    for (const names of [['a'], []] as const) {
      build(names);
      failover.start();
      failover.note({ call: 'x', seconds: 1, failure: 'timeout' }, 'a:1');
      await rounds(10);
    }
    expect([nodes.a.calls, clock.timers]).toEqual([[], 0]);
  });

  it('end with the server, and with a list that is replaced by one daemon', async () => {
    failover.start();
    await rounds(2);
    connection.change(configOf('c'), true);
    failover.restart();
    await rounds(1);
    expect(clock.timers).toBe(0);
    const before = nodes.a.calls.length;
    await rounds(5);
    expect([nodes.a.calls.length, serving()]).toEqual([before, 'c:1']);
    build(['a', 'b']);
    failover.start();
    await rounds(1);
    failover.close();
    expect(clock.timers).toBe(0);
  });

  it('of two rounds never overlap', async () => {
    let open = 0;
    let most = 0;
    const { client } = nodes.b;
    const held: (() => void)[] = [];
    Object.defineProperty(nodes.b, 'client', {
      value: {
        ...client,
        async getInfo() {
          most = Math.max(most, (open += 1));
          await new Promise<void>((resolve) => held.push(resolve));
          open -= 1;
          throw OUTAGE;
        },
      },
    });
    failover.start();
    for (let i = 0; i < 10; i++) {
      await rounds(1);
      failover.note({ call: 'x', seconds: 0.1, failure: 'timeout' }, 'a:1');
      held.shift()?.();
    }
    expect(most).toBe(1);
  });

  it('ask a healthy daemon two things while its chain does not grow', async () => {
    failover.start();
    await rounds(1);
    nodes.b.calls.length = 0;
    await rounds(1);
    expect(nodes.b.calls).toEqual(['getInfo']);
  });
});
