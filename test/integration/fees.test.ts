import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startDaemonProxy, type DaemonProxy } from '../support/network/daemon-proxy.js';
import type { Loose } from '../support/network/json-rpc.js';
import { sideBySide, step, refusal } from '../support/wallets/side-by-side.js';
import { startTwins, type Twins } from '../support/wallets/twins.js';
import type { WalletRpc } from '../support/processes/wallet-rpc.js';
import { someRows } from '../support/jest/lanes.js';

/* Fees of payments, and their default priority, compared with the reference on the same chain. */

let proxy: DaemonProxy;
let twins: Twins;
let rates: number[];

beforeAll(async () => {
  twins = await startTwins(75, async (address) => {
    proxy = await startDaemonProxy(address);
    return proxy.address;
  });
  rates = (await twins.daemon.rpc('get_fee_estimate')).fees as number[];
});

afterAll(async () => {
  await twins?.stop();
  await proxy?.stop();
});

describe('the estimate of a transaction', () => {
  const estimate = (n_inputs: number, n_outputs: number, ring_size = 0, rct = true) =>
    step('estimate_tx_size_and_weight', `${n_inputs} in, ${n_outputs} out, ring ${ring_size}, rct ${rct}`, {
      n_inputs,
      n_outputs,
      ring_size,
      rct,
    });
  sideBySide(
    [
      estimate(1, 1),
      estimate(1, 2),
      estimate(2, 2),
      estimate(2, 3),
      estimate(146, 2),
      estimate(3, 15),
      estimate(3, 16),
      estimate(1, 17),
      estimate(2, 0),
      estimate(2, 2, 11),
      estimate(2, 2, 16),
      estimate(2, 2, 0, false),
      estimate(7, 1, 5, false),
      refusal('estimate_tx_size_and_weight', 'nothing in', { n_inputs: 0, n_outputs: 2 }, -1),
      refusal('estimate_tx_size_and_weight', 'more than an int', { n_inputs: 4294967295, n_outputs: 2 }, -1),
    ],
    () => [twins.ours, twins.theirs],
  );
});

/** Replaces a field of one answer. */
const rewriteAnswer = (method: string, change: (result: Loose) => string | Loose): void => {
  proxy.rewrite = (path, request, reply) => {
    if (path !== '/json_rpc' || !request.includes(`"${method}"`)) return reply;
    const changed = change(JSON.parse(reply.toString('latin1')).result) as Loose;
    return Buffer.from(
      typeof changed === 'string' ? changed : JSON.stringify({ jsonrpc: '2.0', id: '0', result: changed }),
      'latin1',
    );
  };
};

/** Fee per byte of a payment without a priority, as the daemon's levels count them. */
async function levelOf(wallet: WalletRpc): Promise<number> {
  const { fee, weight } = await wallet.rpc('transfer', {
    destinations: [{ amount: 1_000_000_000, address: twins.address }],
    do_not_relay: true,
  });
  const paid = fee / weight;
  return 1 + rates.findIndex((rate) => Math.abs(paid - rate) < rate / 50);
}

const record = (weight: bigint, fee: bigint): string => {
  const bytes = Buffer.alloc(24);
  bytes.writeBigUInt64LE(weight, 0);
  bytes.writeBigUInt64LE(fee, 8);
  return [...bytes].map((byte) => `\\u00${byte.toString(16).padStart(2, '0')}`).join('');
};

const backlog = (weight: bigint, perByte: bigint): string =>
  `{"jsonrpc":"2.0","id":"0","result":{"status":"OK","backlog":"${record(weight, weight * perByte)}"}}`;

describe('a payment without a priority', () => {
  // Releases up to 0.18.0 intend to use the normal rate but use the slow one; later ones use the normal rate.
  it.each(
    someRows<[string, () => void, number]>(
      [
        ['an idle chain', () => undefined, 1],
        ['blocks that are full', () => fillBlocks(250_000), 2],
        ['blocks that are just not full', () => fillBlocks(242_000), 1],
        [
          'a pool that fills a block',
          () => rewriteAnswer('get_txpool_backlog', () => backlog(300_000n, BigInt(rates[0] ?? 0))),
          2,
        ],
        [
          'a pool that fills less than a block',
          () => rewriteAnswer('get_txpool_backlog', () => backlog(299_999n, BigInt(rates[0] ?? 0))),
          1,
        ],
        [
          'a pool of those who pay less',
          () => rewriteAnswer('get_txpool_backlog', () => backlog(900_000n, BigInt(rates[0] ?? 0) - 1n)),
          1,
        ],
      ],
      3,
    ),
  )('on %s pays what the reference of today pays', async (_, arrange, level) => {
    arrange();
    try {
      expect(await levelOf(twins.ours)).toBe(level);
      expect(await levelOf(twins.theirs)).toBe(1);
      expect(await twins.ours.rpc('get_default_fee_priority')).toEqual({ priority: level });
    } finally {
      proxy.rewrite = (__, ___, reply) => reply;
    }
  });

  it('is slow, and get_default_fee_priority fails, when the daemon refuses to report its pool', async () => {
    rewriteAnswer(
      'get_txpool_backlog',
      () => '{"jsonrpc":"2.0","id":"0","error":{"code":-1,"message":"no"}}',
    );
    try {
      expect(await levelOf(twins.ours)).toBe(1);
      const { error } = await twins.ours.call('get_default_fee_priority');
      expect(error?.code).toBe(-1);
    } finally {
      proxy.rewrite = (_, __, reply) => reply;
    }
  });
});

describe('a payment with a priority', () => {
  it.each([1, 2, 3, 4])('of %i pays that rate', async (priority) => {
    const { fee, weight } = await twins.ours.rpc('transfer', {
      destinations: [{ amount: 1_000_000_000, address: twins.address }],
      do_not_relay: true,
      priority,
    });
    const exact = weight * (rates[priority - 1] ?? 0);
    expect(fee).toBeGreaterThanOrEqual(exact);
    expect(fee - exact).toBeLessThan(10_000);
  });
});

describe('a daemon that demands an excessive fee', () => {
  it.each([
    ['rate', { fees: [1, 2, 3, 4].map((level) => level * 10 ** 10) }],
    ['multiple', { quantization_mask: 10 ** 15 }],
  ])('of a %s is refused', async (_, lie) => {
    rewriteAnswer('get_fee_estimate', (result) => ({ ...result, ...lie }));
    try {
      const { error } = await twins.ours.call('transfer', {
        destinations: [{ amount: 1_000_000_000, address: twins.address }],
      });
      expect(error).toMatchObject({ code: -4, message: expect.stringContaining('above the local ceiling') });
    } finally {
      proxy.rewrite = (__, ___, reply) => reply;
    }
  });
});

function fillBlocks(weight: number): void {
  proxy.rewrite = (path, request, reply) => {
    if (path !== '/json_rpc' || !/headersrange|headers_range/.test(request.toString())) return reply;
    const answer = JSON.parse(reply.toString()) as Loose;
    for (const header of answer.result.headers) header.block_weight = weight;
    return Buffer.from(JSON.stringify(answer));
  };
}
