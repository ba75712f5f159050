import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { seededRandom } from '../support/fakes/seeded-random.js';
import { createWallet } from '../support/wallets/create-wallet.js';
import { startLyingNode, type LyingNode } from '../support/processes/lying-node.js';
import { startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';
import { BEHAVIOURS, type Asked } from './hostile-behaviours.js';
import { HostileDaemon } from './hostile-daemon.js';
import { someRows } from '../support/jest/lanes.js';

/** Time limit of an answer that is not complete [ms]. */
const INCOMPLETE_MS = 500;

let node: LyingNode;
let daemon: HostileDaemon;
let server: WalletRpc;
/** A request of each kind that a wallet server makes. */
const asked = new Map<string, Asked>();

/** Sends a request to the proxy. @returns status and body; the name of the error if the answer is not complete. */
async function answerTo({ path, body }: Asked): Promise<string> {
  try {
    const reply = await fetch(`http://${daemon.address}${path}`, {
      ...{ method: 'POST', redirect: 'manual', body: new Uint8Array(body) },
      signal: AbortSignal.timeout(INCOMPLETE_MS),
    });
    const text = Buffer.from(await reply.arrayBuffer()).toString('latin1');
    return `${reply.status} ${text.length} ${text.slice(0, 1 << 20)}`;
  } catch (error) {
    return (error as Error).name;
  }
}

beforeAll(async () => {
  node = await startLyingNode();
  const [liar] = node.liars;
  daemon = await HostileDaemon.start(
    { target: node.honest.address, ...(liar === undefined ? {} : { liar }) },
    seededRandom('hostile daemon'),
  );
  // The first request for blocks asks for all of them.
  daemon.onRequest = (request) => {
    const kind = `${request.path} ${request.method ?? ''}`;
    if (!asked.has(kind)) asked.set(kind, request);
  };
  server = await startWalletRpc({ daemon: daemon.address, args: ['--trusted-daemon'] });
  await createWallet(server, 'w');
  const { address } = await server.rpc('get_address');
  await node.honest.generate(address as string, 80);
  await server.rpc('refresh');
  const destinations = [{ amount: 1_000_000_000, address }];
  await server.rpc('transfer', { destinations });
  await server.rpc('get_transfers', { pool: true });
  await server.rpc('rescan_spent');
  for (const [path, body] of [
    ['/gethashes.bin', asked.get('/getblocks.bin ')?.body],
    ['/json_rpc', Buffer.from('{"jsonrpc":"2.0","id":"0","method":"get_last_block_header"}')],
  ] as const)
    if (body !== undefined)
      daemon.onRequest({ path, body, ...(path === '/json_rpc' ? { method: 'get_last_block_header' } : {}) });
  const { tx_hashes } = await node.honest.plain('/get_transaction_pool_hashes');
  daemon.onRequest({
    path: '/gettransactions',
    body: Buffer.from(JSON.stringify({ txs_hashes: tx_hashes })),
  });
  daemon.onRequest = () => undefined;
});

afterAll(async () => {
  await server?.stop();
  await daemon?.stop();
  await node?.stop();
});

describe('the behaviours of a hostile daemon', () => {
  it('are at least 25, with different names', () => {
    expect(new Set(BEHAVIOURS.map(({ name }) => name)).size).toBe(BEHAVIOURS.length);
    expect(BEHAVIOURS.length).toBeGreaterThanOrEqual(25);
  });

  it.each(
    someRows(
      BEHAVIOURS.map((behaviour) => [behaviour.name, behaviour] as const),
      12,
    ),
  )('%s changes an answer that a wallet server asks for', async (_, behaviour) => {
    const concerned = [...asked.values()].filter(behaviour.concerns);
    expect(concerned).not.toEqual([]);
    const differing = [];
    for (const request of concerned) {
      daemon.end();
      const honest = await answerTo(request);
      await daemon.begin({ behaviour, share: 1 });
      if ((await answerTo(request)) !== honest) differing.push(request.path);
      if (differing.length > 0) break;
    }
    daemon.end();
    expect(differing).toHaveLength(1);
  });

  it('leave the other answers as they are', async () => {
    const [fees, info] = ['/json_rpc get_fee_estimate', '/json_rpc get_info'].map((key) => asked.get(key));
    if (fees === undefined || info === undefined) throw new Error('the server has not asked for fees');
    const honest = await answerTo(fees);
    await daemon.begin({ behaviour: BEHAVIOURS[0] as (typeof BEHAVIOURS)[number], share: 1 });
    expect(await answerTo(fees)).toBe(honest);
    daemon.end();
  });
});
