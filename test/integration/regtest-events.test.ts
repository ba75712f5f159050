import { afterAll, beforeAll, describe, expect, it, test } from '@jest/globals';
import { toHex } from '../../src/util/bytes.js';
import type { ChainWallet } from '../support/wallets/chain-wallet.js';
import type { Loose } from '../support/network/json-rpc.js';
import { makePayment } from '../support/wallets/payments.js';
import { freePort } from '../support/processes/process.js';
import { until } from '../support/fakes/until.js';
import { seededRng } from '../support/fakes/seeded-rng.js';

import { startMiner, startTwins, type TwinChain } from '../support/chain/twin-chain.js';
import { ask, subscribe, type Subscriber } from '../support/network/zmq-peer.js';

/* Messages published by our daemon compared with the real one's, Debian's 0.18.0, on the same chain, byte for byte. */

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
/** Pool of the real daemon in its published format: without peers it publishes no transactions. */
let waiting = '';
/** Answers to `get_miner_data` with payments in the pool: ours and the real daemon's. */
let minerData: Loose[] = [];
/** Hashes of the pool transactions in answer order: ours and the real daemon's. */
let pools: string[][] = [];
/** Index of the first message that both subscribers received. */
const since = { ours: 0, theirs: 0 };

const of = (subscriber: Subscriber | undefined, topic: Topic, from = 0): string[] =>
  (subscriber?.messages ?? [])
    .slice(from)
    .filter((message) => message.startsWith(`${topic}:`))
    .map((message) => message.slice(topic.length + 1));

const received = (topic: Topic): { ours: string[]; theirs: string[] } => ({
  ours: of(ours, topic, since.ours),
  theirs: of(theirs, topic, since.theirs),
});

/** True when all messages about a block are published; miner data is first in one daemon and last in the other. */
const isPublished = (subscriber: Subscriber | undefined, height: number): boolean =>
  of(subscriber, 'json-full-miner_data').some((text) => text.includes(`"height":${height + 1},`)) &&
  of(subscriber, 'json-minimal-chain_main').some((text) => text.includes(`"first_height":${height},`));

/** Waits until both have published the latest block. */
async function caughtUp(): Promise<void> {
  const { count } = await twins.ours.rpc('get_block_count');
  const tip = Number(count) - 1;
  await until('the block to be published', () => isPublished(ours, tip) && isPublished(theirs, tip));
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
  await until('the payments to be published', () => received('json-minimal-txpool_add').ours.length === 3);
  waiting = await ask(zmqPort, '{"jsonrpc":"2.0","id":"0","method":"get_transaction_pool","params":{}}');
  minerData = await until('both to offer the payments to miners', async () => {
    const answers = await Promise.all(
      [twins.ours, twins.theirs].map((daemon) => daemon.rpc('get_miner_data')),
    );
    const isWhole = answers.every(({ tx_backlog }) => (tx_backlog as Loose[] | undefined)?.length === 3);
    return isWhole ? answers : undefined;
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

describe('a published message', () => {
  test.each(['json-full-chain_main', 'json-minimal-chain_main', 'json-full-miner_data'] as const)(
    'of %s is the same',
    (topic) => {
      const { ours: mine, theirs: real } = received(topic);
      expect(mine).toHaveLength(3);
      expect(mine).toEqual(real);
    },
  );

  it('of json-full-txpool_add is the same, except ring signatures, which only later releases include', () => {
    const { ours: mine } = received('json-full-txpool_add');
    expect(mine).toHaveLength(3);
    for (const text of mine) {
      const [tx] = JSON.parse(text) as [{ inputs: unknown[]; ringct: { prunable: { clsags: unknown[] } } }];
      expect(tx.ringct.prunable.clsags).toHaveLength(tx.inputs.length);
      expect(waiting).toContain(`"tx":${text.slice(1, -1).replace(/"clsags":\[.*?\}\],/, '')}`);
    }
  });

  it('of several payments has the order of get_miner_data of the real daemon', () => {
    expect(minerData[0]).toEqual(minerData[1]);
  });

  it('of several payments matches the pool order of the real daemon', () => {
    expect(pools[0]).toHaveLength(3);
    expect(pools[0]).toEqual(pools[1]);
  });

  it('of json-minimal-txpool_add is the same', () => {
    const { ours: mine } = received('json-minimal-txpool_add');
    expect(mine).toHaveLength(3);
    const { transactions } = (JSON.parse(waiting) as { result: { transactions: Loose[] } }).result;
    for (const text of mine) {
      const [{ id, blob_size, weight, fee }] = JSON.parse(text) as [Loose];
      expect(transactions).toContainEqual(expect.objectContaining({ tx_hash: id, blob_size, weight, fee }));
    }
  });
});

describe('a flushed pool', () => {
  it('is empty in both', async () => {
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
