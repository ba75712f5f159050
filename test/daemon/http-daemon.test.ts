import { blocksAnswer } from '../support/chain/blocks-answer.js';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, test } from '@jest/globals';
import { GENESIS_HASH } from '../../src/monero/cryptonote/constants.js';
import type { DaemonTransaction } from '../../src/daemon/daemon.js';
import { DaemonError, type DaemonErrorKind } from '../../src/daemon/errors.js';
import { HttpDaemon, type DaemonConfig } from '../../src/daemon/http-daemon.js';
import { fromHex, toHex } from '../../src/util/bytes.js';
import type { Hash, KeyImage } from '../../src/monero/crypto/types.js';
import { readFetchedTx } from '../../src/monero/wallet/scan/fetched-tx.js';
import { answerJson, startScriptedServer } from '../support/network/scripted-server.js';
import { startMonerod, type Monerod } from '../support/processes/monerod.js';
import { startRegtestDaemon } from '../support/processes/regtest-daemon.js';

const SSL = {
  mode: 'autodetect',
  allowedFingerprints: [],
  allowChained: false,
  allowAnyCert: false,
} as const;
const ADDRESS =
  '44AFFq5kSiGBoZ4NMDwYtN18obc8AemS33DBLWs3H7otXft3XjrpDtQGv7SqSsaBYBb98uNbr2VBBEt7f2wfn3RVGQBEP3A';

describe('the regtest daemon', () => {
  it('sends as many blocks as are requested', async () => {
    const regtest = await startRegtestDaemon();
    const daemon = new HttpDaemon({ address: regtest.address, ssl: SSL });
    try {
      await regtest.generate(ADDRESS, 9);
      for (const [maxBlocks, given] of [
        [undefined, 9],
        [4, 4],
        [100, 9],
      ] as const) {
        const { blocks, bytes } = await daemon.getBlocks({ startHeight: 1, maxBlocks });
        expect(blocks).toHaveLength(given);
        expect(bytes).toBeGreaterThan(100 * given);
      }
    } finally {
      await daemon.close();
      await regtest.stop();
    }
  });
});

const kindOf = async (call: Promise<unknown>): Promise<DaemonErrorKind | undefined> => {
  try {
    await call;
    return undefined;
  } catch (error) {
    if (error instanceof DaemonError) return error.kind;
    throw error;
  }
};

describe('the real daemon', () => {
  let monerod: Monerod;
  let daemon: HttpDaemon;
  const login = { user: 'node', password: 'pa:ss' };

  beforeAll(async () => {
    monerod = await startMonerod();
    await monerod.generate(ADDRESS, 20);
    daemon = new HttpDaemon({ address: monerod.address, ssl: SSL });
  });

  afterAll(async () => {
    await daemon?.close();
    await monerod?.stop();
  });

  const minerTxOf = async (height: number): Promise<Hash> => {
    const { block_header } = await monerod.rpc('get_block_header_by_height', { height });
    return fromHex((block_header as { miner_tx_hash: string }).miner_tx_hash) as Hash;
  };

  it('answers every call that a wallet makes', async () => {
    expect(await daemon.getInfo()).toMatchObject({ height: 21, network: 'fakechain' });
    expect(await daemon.getVersion()).toBeGreaterThan(0x30000);
    expect(await daemon.hardForkInfo()).toMatchObject({ version: 16, enabled: true });
    expect((await daemon.getFeeEstimate()).perByte).toHaveLength(4);
    const blocks = await daemon.getBlocks({ shortHistory: [GENESIS_HASH.mainnet] });
    expect([blocks.startHeight, blocks.currentHeight, blocks.blocks.length]).toEqual([0, 21, 21]);
    expect((await daemon.getBlocks({ startHeight: 5 })).blocks).toHaveLength(16);
    const hashes = await daemon.getHashes([GENESIS_HASH.mainnet]);
    expect(hashes.hashes).toHaveLength(21);
    expect(toHex(hashes.hashes[0] as Hash)).toBe(toHex(GENESIS_HASH.mainnet));
    expect((await daemon.getOutputDistribution()).cumulative.at(-1)).toBe(20);
    expect(await daemon.getOutputCounts(7, 7)).toEqual({ startHeight: 7, base: 6, cumulative: [7] });
    expect((await daemon.getOutputCounts(17, 0)).cumulative).toEqual([17, 18, 19, 20]);
    expect(await kindOf(daemon.getOutputCounts(21, 21))).toBe('rejected');
    const minerTx = await minerTxOf(4);
    expect(await daemon.getOutputIndexes(minerTx)).toEqual([3]);
    const outputs = await daemon.getOutputs([3, 0]);
    expect(outputs.map(({ unlocked }) => unlocked)).toEqual([false, false]);
    expect(outputs[0]?.publicKey).not.toEqual(outputs[1]?.publicKey);
    expect(await daemon.getPoolHashes()).toEqual([]);
    const { transactions } = await daemon.getTransactions([minerTx], { prune: true });
    expect(transactions).toMatchObject([{ inPool: false, blockHeight: 4 }]);
    expect(await daemon.isKeyImageSpent([fromHex('01'.padEnd(64, '0')) as never])).toEqual([0]);
    expect(await daemon.getBlockHeader(4)).toMatchObject({ height: 4 });
    expect((await daemon.getLastBlockHeader()).height).toBe(20);
    const headers = await daemon.getBlockHeaders(11, 10);
    expect(headers.map(({ height }) => height)).toEqual([11, 12, 13, 14, 15, 16, 17, 18, 19, 20]);
    expect(headers.every(({ weight }) => weight > 0)).toBe(true);
    expect((await daemon.getInfo()).blockWeightLimit).toBe(600_000);
    expect(await daemon.getPoolBacklog()).toEqual([]);
    expect(await daemon.miningStatus()).toMatchObject({ active: false });
    expect(await daemon.sendRawTransaction(new Uint8Array([1, 2, 3]))).toMatchObject({ accepted: false });
  });

  it('gets at most three calls at a time, and answers all of many', async () => {
    const heights = Array.from({ length: 50 }, (_, i) => i % 20);
    const headers = await Promise.all(heights.map((height) => daemon.getBlockHeader(height)));
    expect(headers.map(({ height }) => height)).toEqual(heights);
  });

  it('sends all requested transactions, complete or pruned, that match their hashes', async () => {
    const hashes = await Promise.all(Array.from({ length: 20 }, (_, i) => minerTxOf(i + 1)));
    const many = Array.from({ length: 6 }, () => hashes).flat();
    for (const prune of [false, true]) {
      const { transactions } = await daemon.getTransactions(many, { prune });
      expect(transactions.map(({ hash }) => toHex(hash))).toEqual(many.map(toHex));
      for (const tx of transactions) expect(readFetchedTx(tx).prefix.inputs).toHaveLength(1);
    }
    expect(await daemon.getTransactions([], { prune: false })).toEqual({ transactions: [] });
    expect(await kindOf(daemon.getOutputs([0], 1_000_000n))).toBe('rejected');
  });

  it('is asked for the status of many key images in several requests', async () => {
    const image = fromHex('01'.padEnd(64, '0')) as KeyImage;
    const statuses = await daemon.isKeyImageSpent(Array.from({ length: 5001 }, () => image));
    expect(statuses).toEqual(Array.from({ length: 5001 }, () => 0));
    expect(await daemon.isKeyImageSpent([])).toEqual([]);
  });

  it('reports why it refuses a transaction', async () => {
    expect(await kindOf(daemon.getBlockHeader(1_000_000))).toBe('rejected');
    expect(await kindOf(daemon.getOutputs([1_000_000]))).toBe('rejected');
    expect(await kindOf(daemon.stopMining())).toBe('rejected');
  });

  it('accepts its login over several connections, and refuses another one', async () => {
    const guarded = await startMonerod({ args: [`--rpc-login=${login.user}:${login.password}`] });
    const connect = (password: string): HttpDaemon =>
      new HttpDaemon({ address: guarded.address, ssl: SSL, login: { ...login, password } });
    const right = connect(login.password);
    const wrong = connect('guess');
    try {
      const infos = await Promise.all(Array.from({ length: 9 }, () => right.getInfo()));
      expect(infos.map(({ height }) => height)).toEqual(infos.map(() => 1));
      expect(await kindOf(wrong.getInfo())).toBe('unauthorized');
    } finally {
      await Promise.all([right.close(), wrong.close(), guarded.stop()]);
    }
  });
});

describe('a transaction of version 1', () => {
  const hash = 'ab'.repeat(32);
  const prunedTx = { tx_hash: hash, pruned_as_hex: '01', prunable_hash: '00'.repeat(32) };
  const wholeTx = { tx_hash: hash, pruned_as_hex: '01', prunable_as_hex: '0203' };
  const mined = { in_pool: false, block_height: 4, output_indices: [] };

  /** Asks for pruned transactions. @param whole answer to a request for a whole one. */
  async function ask(
    place: object,
    whole: object,
  ): Promise<{ transactions: readonly DaemonTransaction[]; pruned: unknown[] }> {
    const server = await startScriptedServer(({ body }, res) => {
      const { prune } = JSON.parse(body) as { prune: boolean };
      answerJson(res, JSON.stringify({ status: 'OK', txs: [{ ...(prune ? prunedTx : whole), ...place }] }));
    });
    const daemon = new HttpDaemon({ address: server.url, ssl: { ...SSL, mode: 'disabled' } });
    try {
      const { transactions } = await daemon.getTransactions([fromHex(hash) as Hash], { prune: true });
      return {
        transactions,
        pruned: server.requests.map(({ body }) => (JSON.parse(body) as { prune: boolean }).prune),
      };
    } finally {
      await Promise.all([daemon.close(), server.close()]);
    }
  }

  it('is fetched whole, because its hash covers its signatures', async () => {
    const { transactions, pruned } = await ask(mined, wholeTx);
    expect(transactions).toMatchObject([{ blob: Uint8Array.of(1, 2, 3) }]);
    expect(transactions[0]).not.toHaveProperty('prunableHash');
    expect(pruned).toEqual([true, false]);
  });

  it('remains pruned if the daemon has no more of it', async () => {
    const { transactions } = await ask(mined, prunedTx);
    expect(transactions).toMatchObject([{ blob: Uint8Array.of(1), prunableHash: new Uint8Array(32) }]);
  });

  it('is empty where its encoding is no hex, beside the others of the answer', async () => {
    const { transactions } = await ask({ in_pool: true, pruned_as_hex: '01f' }, {});
    expect(transactions).toMatchObject([{ blob: new Uint8Array(), inPool: true }]);
  });
});

describe('a hostile daemon', () => {
  let server: Server;
  let reply: { status?: number; body?: string | Buffer; cut?: boolean; hang?: boolean } = {};
  let config: DaemonConfig;

  beforeAll(async () => {
    server = createServer((req, res) => {
      req.resume();
      if (reply.hang === true) return;
      res.writeHead(reply.status ?? 200, reply.cut === true ? { 'content-length': '1000' } : {});
      if (reply.cut !== true) return void res.end(reply.body ?? '');
      res.write(reply.body ?? '{', () => req.socket.destroy());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
    config = {
      address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
      ssl: { ...SSL, mode: 'disabled' },
    };
  });

  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  const ok = (result: object): string =>
    JSON.stringify({ id: '0', jsonrpc: '2.0', result: { status: 'OK', ...result } });

  it('may recommend more fee levels than four, and know no height of a fork', async () => {
    const daemon = new HttpDaemon(config);
    try {
      reply = { body: ok({ fee: 20, fees: [20, 80, 320, 4000, 9000], quantization_mask: 10 }) };
      const { perByte } = await daemon.getFeeEstimate();
      expect(perByte.slice(0, 4)).toEqual([20n, 80n, 320n, 4000n]);
      reply = {
        body: '{"result":{"status":"OK","version":16,"enabled":false,"earliest_height":18446744073709551615}}',
      };
      expect(await daemon.hardForkInfo(17)).toEqual({ version: 16, enabled: false });
    } finally {
      daemon.close();
    }
  });

  it('is reported as failed where a block of its page cannot be read, unless that is of a newer fork', async () => {
    const failures: unknown[] = [];
    const daemon = new HttpDaemon(config, ({ failure }) => failures.push(failure));
    const pageWith = (block: Uint8Array): Buffer =>
      Buffer.from(
        blocksAnswer({ startHeight: 5, currentHeight: 9, blocks: [{ block, txs: [], outputIndices: [] }] }),
      );
    try {
      for (const version of [16, 17]) {
        reply = { body: pageWith(Uint8Array.of(version)) };
        const { blocks, unread } = await daemon.getBlocks({ startHeight: 5 });
        expect([blocks, unread?.version]).toEqual([[], version]);
      }
      expect(failures).toEqual(['malformed', 'newer_fork']);
    } finally {
      daemon.close();
    }
  });

  test.each<[string, typeof reply, DaemonErrorKind]>([
    ['nothing', { body: '' }, 'malformed'],
    ['no JSON', { body: '<html>' }, 'malformed'],
    ['another shape', { body: '[]' }, 'malformed'],
    ['a height that is a word', { body: ok({ height: 'high' }) }, 'malformed'],
    ['a negative height', { body: ok({ height: -1 }) }, 'malformed'],
    [
      'a height that is no safe integer',
      { body: '{"id":"0","result":{"status":"OK","height":18446744073709551615}}' },
      'malformed',
    ],
    ['an error', { body: '{"id":"0","error":{"code":-1,"message":"x"}}' }, 'rejected'],
    ['that it is busy', { body: '{"id":"0","result":{"status":"BUSY"}}' }, 'busy'],
    ['HTTP 500', { status: 500, body: '' }, 'rejected'],
    ['half an answer', { cut: true, body: '{"id"' }, 'unreachable'],
    ['more than the limit', { body: `{"a":"${'x'.repeat(9 << 20)}"}` }, 'too_large'],
    ['nesting without end', { body: '['.repeat(1 << 20) }, 'malformed'],
  ])('that answers %s causes an error of its kind', async (_, hostileReply, kind) => {
    reply = hostileReply;
    const daemon = new HttpDaemon(config);
    try {
      expect(await kindOf(daemon.getInfo())).toBe(kind);
    } finally {
      await daemon.close();
    }
  });

  test.each<[string, Buffer]>([
    ['no storage', Buffer.from('hello')],
    ['a count beyond the answer', Buffer.from('011101010101020101fcffffffffffffff', 'hex')],
    ['an object without end', Buffer.from(`011101010101020101${'04016108c004'.repeat(40)}`, 'hex')],
    ['storage without status', Buffer.from('01110101010102010100', 'hex')],
  ])('that answers a page of blocks with %s is refused', async (_, body) => {
    reply = { body };
    const daemon = new HttpDaemon(config);
    try {
      expect(await kindOf(daemon.getBlocks({ startHeight: 1 }))).toBe('malformed');
    } finally {
      await daemon.close();
    }
  });

  it('may send a backlog with any bytes, but none with an incomplete record', async () => {
    const record = Buffer.alloc(24);
    record.writeBigUInt64LE(0x0b0a09n, 0);
    record.writeBigUInt64LE(0xffee_2f5c_220b_0d01n, 8);
    const escaped = record
      .toString('latin1')
      .replace(/["\\/]/g, '\\$&')
      .replaceAll('\v', '\\v');
    const answer = (text: string): Buffer =>
      Buffer.from(`{"id":"0","result":{"backlog":"${text}","status":"OK"}}`, 'latin1');
    const daemon = new HttpDaemon(config);
    try {
      reply = { body: answer(escaped) };
      expect(await daemon.getPoolBacklog()).toEqual([{ weight: 0x0b0a09, fee: 0xffee_2f5c_220b_0d01n }]);
      reply = { body: answer(`${escaped}x`) };
      expect(await kindOf(daemon.getPoolBacklog())).toBe('malformed');
      record.writeBigUInt64LE((1n << 64n) - 1n, 0);
      reply = { body: answer(record.toString('latin1').replace(/["\\/]/g, '\\$&')) };
      expect(await kindOf(daemon.getPoolBacklog())).toBe('malformed');
    } finally {
      await daemon.close();
    }
  });

  it.each([
    ['fewer headers than requested', [{ height: 5 }]],
    ['headers of other blocks', [{ height: 6 }, { height: 7 }]],
  ])('that sends %s is refused', async (_, headers) => {
    const whole = { hash: '00'.repeat(32), timestamp: 1, reward: 1, block_weight: 1 };
    reply = { body: ok({ headers: headers.map((header) => ({ ...whole, ...header })) }) };
    const daemon = new HttpDaemon(config);
    try {
      expect(await kindOf(daemon.getBlockHeaders(5, 2))).toBe('malformed');
    } finally {
      await daemon.close();
    }
  });

  it('that never answers is no longer waited for when the signal is aborted', async () => {
    reply = { hang: true };
    const daemon = new HttpDaemon(config);
    const abort = new AbortController();
    server.once('request', () => abort.abort());
    await expect(daemon.getInfo({ signal: abort.signal })).rejects.toThrow();
    await daemon.close();
  });

  it('that does not listen is unreachable', async () => {
    const daemon = new HttpDaemon({ ...config, address: '127.0.0.1:1' });
    expect(await kindOf(daemon.getInfo())).toBe('unreachable');
    await daemon.close();
  });
});
