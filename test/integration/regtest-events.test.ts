import { afterAll, beforeAll, describe, expect, it, test } from '@jest/globals';
import { toHex } from '../../src/util/bytes.js';
import type { ChainWallet } from '../support/chain-wallet.js';
import type { Loose } from '../support/json-rpc.js';
import { makePayment } from '../support/payments.js';
import { freePort, until } from '../support/process.js';
import { seededRng } from '../support/seeded-rng.js';

import { startMiner, startTwins, type TwinChain } from '../support/twin-chain.js';
import { ask, subscribe, type Subscriber } from '../support/zmq-peer.js';

/* What our daemon publishes beside what the real one, Debian's 0.18.0, publishes of the same chain, byte for byte. */

const TOPICS = [
  'json-full-chain_main',
  'json-minimal-chain_main',
  'json-full-miner_data',
  'json-full-txpool_add',
  'json-minimal-txpool_add',
] as const;
type Topic = (typeof TOPICS)[number];

const rng = seededRng('news');
let twins: TwinChain;
let miner: ChainWallet;
let [ours, theirs]: Subscriber[] = [];
/** The real one's pool, in the format that it publishes in: without peers it publishes no transaction. */
let waiting = '';
/** What miners were told on request, the payments waiting: ours and the real one's. */
let minerData: Loose[] = [];
/** Names of the payments that wait, in the order that pools are told in: ours and the real one's. */
let pools: string[][] = [];
/** Since the first that both heard. */
const since = { ours: 0, theirs: 0 };

const of = (subscriber: Subscriber | undefined, topic: Topic, from = 0): string[] =>
  (subscriber?.messages ?? [])
    .slice(from)
    .filter((message) => message.startsWith(`${topic}:`))
    .map((message) => message.slice(topic.length + 1));

const heard = (topic: Topic): { ours: string[]; theirs: string[] } => ({
  ours: of(ours, topic, since.ours),
  theirs: of(theirs, topic, since.theirs),
});

/** All that is said of a block: the one tells miners first, the other last. */
const toldOf = (subscriber: Subscriber | undefined, height: number): boolean =>
  of(subscriber, 'json-full-miner_data').some((text) => text.includes(`"height":${height + 1},`)) &&
  of(subscriber, 'json-minimal-chain_main').some((text) => text.includes(`"first_height":${height},`));

/** Until both have told of the latest block. */
async function caughtUp(): Promise<void> {
  const { count } = await twins.ours.rpc('get_block_count');
  const tip = Number(count) - 1;
  await until('the block to be published', () => toldOf(ours, tip) && toldOf(theirs, tip));
}

async function mine(blocks: number): Promise<void> {
  for (let i = 0; i < blocks; i++) {
    await twins.mine(miner.addressText(), 1);
    await caughtUp();
  }
}

async function pay(...amounts: readonly bigint[]): Promise<void> {
  const to = amounts.map((amount, i) => [miner.address({ major: 1, minor: i }), amount] as const);
  const { blob } = await makePayment(twins.ours, miner, { to }, rng);
  for (const daemon of [twins.ours, twins.theirs])
    await daemon.plain('/send_raw_transaction', { tx_as_hex: toHex(blob) });
}

beforeAll(async () => {
  const ports = [await freePort(), await freePort()] as const;
  const flag = (port: number): string[] => [`--zmq-pub=tcp://127.0.0.1:${port}`];
  const zmqPort = await freePort();
  twins = await startTwins(flag(ports[0]), { zmqPort, args: flag(ports[1]) });
  miner = await startMiner(twins, rng);
  [ours, theirs] = ports.map((port) => subscribe(port, ...TOPICS));
  await until('both to publish', async () => {
    await twins.mine(miner.addressText(), 1);
    return [ours, theirs].every((subscriber) => of(subscriber, 'json-minimal-chain_main').length > 0);
  });
  await caughtUp();
  since.ours = ours?.messages.length ?? 0;
  since.theirs = theirs?.messages.length ?? 0;
  await mine(1);
  await pay(1_000_000n);
  await pay(5n, 6n);
  await pay(1_000_000n, 2_000_000n, 3_000_000n);
  await until('the payments to be published', () => heard('json-minimal-txpool_add').ours.length === 3);
  waiting = await ask(zmqPort, '{"jsonrpc":"2.0","id":"0","method":"get_transaction_pool","params":{}}');
  minerData = await until('both to offer the payments to miners', async () => {
    const told = await Promise.all([twins.ours, twins.theirs].map((daemon) => daemon.rpc('get_miner_data')));
    const isWhole = told.every(({ tx_backlog }) => (tx_backlog as Loose[] | undefined)?.length === 3);
    return isWhole ? told : undefined;
  });
  pools = await Promise.all(
    [twins.ours, twins.theirs].map(async (daemon) => {
      const { transactions } = await daemon.plain('/get_transaction_pool');
      const { tx_hashes } = await daemon.plain('/get_transaction_pool_hashes');
      expect((transactions as Loose[]).map(({ id_hash }) => id_hash as string)).toEqual(tx_hashes);
      return tx_hashes as string[];
    }),
  );
  await mine(2);
});

afterAll(async () => {
  ours?.close();
  theirs?.close();
  await twins?.stop();
});

describe('what is published', () => {
  test.each(['json-full-chain_main', 'json-minimal-chain_main', 'json-full-miner_data'] as const)(
    'of %s is the same',
    (topic) => {
      const { ours: mine, theirs: real } = heard(topic);
      expect(mine).toHaveLength(3);
      expect(mine).toEqual(real);
    },
  );

  it('of json-full-txpool_add is the same, but for the ring signatures, which today only are among it', () => {
    const { ours: mine } = heard('json-full-txpool_add');
    expect(mine).toHaveLength(3);
    for (const text of mine) {
      const [tx] = JSON.parse(text) as [{ inputs: unknown[]; ringct: { prunable: { clsags: unknown[] } } }];
      expect(tx.ringct.prunable.clsags).toHaveLength(tx.inputs.length);
      expect(waiting).toContain(`"tx":${text.slice(1, -1).replace(/"clsags":\[.*?\}\],/, '')}`);
    }
  });

  it('of several payments is in the order that the real one gives miners on request', () => {
    expect(minerData[0]).toEqual(minerData[1]);
  });

  it('of several payments is told on request in the order of the real one', () => {
    expect(pools[0]).toHaveLength(3);
    expect(pools[0]).toEqual(pools[1]);
  });

  it('of json-minimal-txpool_add is the same', () => {
    const { ours: mine } = heard('json-minimal-txpool_add');
    expect(mine).toHaveLength(3);
    const { transactions } = (JSON.parse(waiting) as { result: { transactions: Loose[] } }).result;
    for (const text of mine) {
      const [{ id, blob_size, weight, fee }] = JSON.parse(text) as [Loose];
      expect(transactions).toContainEqual(expect.objectContaining({ tx_hash: id, blob_size, weight, fee }));
    }
  });
});

describe('a pool that is flushed', () => {
  it('is empty here and there', async () => {
    await pay(7n);
    const [{ tx_hashes: names = [] }] = (await Promise.all(
      [twins.ours, twins.theirs].map((daemon) => daemon.plain('/get_transaction_pool_hashes')),
    )) as [Loose];
    expect(names).toHaveLength(1);
    for (const daemon of [twins.ours, twins.theirs]) {
      expect(await daemon.rpc('flush_txpool', { txids: names })).toMatchObject({ status: 'OK' });
      expect(await daemon.plain('/get_transaction_pool_hashes')).not.toHaveProperty('tx_hashes');
    }
  });
});
