import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readStorage } from '../../src/monero/epee/portable-storage.js';
import { writeStorage, type Scalar, type TypedSection } from '../../src/monero/epee/storage-writer.js';
import { ChainWallet } from '../support/wallets/chain-wallet.js';
import { call, post } from '../support/network/json-rpc.js';
import { freePort } from '../support/processes/process.js';
import { seededRng } from '../support/fakes/seeded-rng.js';
import { startTwins, type TwinChain } from '../support/chain/twin-chain.js';

/* Answers of our daemon and the real one, Debian's 0.18.0, at a restricted port. */

interface Known {
  readonly kind: 'method' | 'path' | 'binary';
  readonly names: readonly string[];
  readonly in: readonly ('specification' | '0.18' | 'today')[];
}

const { endpoints } = JSON.parse(
  readFileSync(new URL('../../../test/vectors/regtest/endpoints.json', import.meta.url), 'utf8'),
) as { readonly endpoints: readonly Known[] };

const comparable = endpoints.filter((known) => known.in.includes('0.18'));
const namesOf = (kind: Known['kind']): string[] =>
  comparable.filter((known) => known.kind === kind).flatMap(({ names }) => names);

let twins: TwinChain;
let ports: readonly number[] = [];

beforeAll(async () => {
  ports = [await freePort(), await freePort()];
  const [ours = [], theirs = []] = ports.map((port) => [`--rpc-restricted-bind-port=${port}`]);
  twins = await startTwins(ours, { args: [...theirs, '--disable-rpc-ban'] });
  await twins.mine(new ChainWallet(seededRng('restricted')).addressText(), 5);
});

afterAll(async () => {
  await twins?.stop();
});

const both = async <T>(ask: (port: number) => Promise<T>): Promise<[T, T]> => {
  const [ours = 0, theirs = 0] = ports;
  return [await ask(ours), await ask(theirs)];
};

const binary = async (port: number, path: string, request: TypedSection) => {
  const reply = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    body: writeStorage(request),
  });
  const { status } = readStorage(new Uint8Array(await reply.arrayBuffer()));
  return Buffer.from(status as Uint8Array).toString();
};

const heights = (count: number): TypedSection => ({
  heights: { type: 'list', items: Array.from({ length: count }, (): Scalar => ({ type: 'u64', value: 1n })) },
});
const ZEROS = '0'.repeat(64);
const many = <T>(count: number, item: T): T[] => Array.from({ length: count }, () => item);

describe('at a restricted port', () => {
  test.each(namesOf('method'))('%s exists exactly if the real daemon has it', async (name) => {
    const [ours, theirs] = await both(async (port) => (await call(port, name, {})).error?.code === -32601);
    expect(ours).toBe(theirs);
  });

  test.each(namesOf('path'))('%s is found exactly if the real daemon has it', async (path) => {
    const [ours, theirs] = await both(async (port) => (await post(port, path, {})).status);
    expect(ours).toBe(theirs);
  });

  test.each(namesOf('binary'))('%s answers', async (path) => {
    const body = writeStorage({ amounts: { type: 'list', items: [{ type: 'u64', value: 0n }] } });
    const statuses = await both(
      async (port) => (await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', body })).status,
    );
    expect(statuses).toEqual([200, 200]);
  });

  test.each([
    ['/get_transactions', { txs_hashes: many(101, ZEROS) }],
    ['/get_transactions', { txs_hashes: many(100, ZEROS) }],
    ['/is_key_image_spent', { key_images: many(5001, ZEROS) }],
    ['/is_key_image_spent', { key_images: many(5000, ZEROS) }],
    ['/get_outs', { outputs: many(5001, { amount: 0, index: 0 }) }],
    ['/get_outs', { outputs: many(5000, { amount: 0, index: 0 }) }],
  ])('%s has the limit that it has there', async (path, body) => {
    const [ours, theirs] = await both(
      async (port) => (JSON.parse((await post(port, path, body)).text) as { status: string }).status,
    );
    expect(ours).toBe(theirs);
  });

  test.each([
    ['get_block_header_by_hash', { hashes: many(1001, ZEROS) }],
    ['get_block_headers_range', { start_height: 0, end_height: 1001 }],
    ['get_output_histogram', { amounts: [], recent_cutoff: 1 }],
    ['get_output_distribution', { amounts: [0, 1] }],
    ['get_output_distribution', { amounts: [5] }],
  ])('%s has the limit that it has there', async (name, params) => {
    const [ours, theirs] = await both(async (port) => {
      const { error, result } = await call(port, name, params);
      // Error messages are not compared.
      return error?.code ?? (result as { status: string }).status === 'OK';
    });
    expect(ours).toEqual(theirs);
  });

  test.each([1000, 1001])('/get_blocks_by_height.bin has the same limit: %d', async (count) => {
    const [ours, theirs] = await both((port) => binary(port, '/get_blocks_by_height.bin', heights(count)));
    expect(ours).toBe(theirs);
  });

  test('get_info hides the same fields', async () => {
    const [ours, theirs] = await both(async (port) => (await call(port, 'get_info', {})).result as object);
    // The real daemon uses another database.
    expect({ ...ours, database_size: 0 }).toEqual({ ...theirs, database_size: 0 });
  });
});
