import { describe, expect, it } from '@jest/globals';
import type { DemoServer } from '../../../src/cli/demo/demo-server.js';
import { DepositWatch, type Deposit } from '../../../src/cli/demo/deposits.js';

const deposit: Deposit = { hash: 'a1', blob: '', height: 100, amounts: [1n, 2n], isMarked: true };

const row = (hash: string, amount: bigint): object => ({
  ...{ amount, tx_hash: hash, block_height: 100n, global_index: 7n, pubkey: 'b2', subaddr_index: 0n },
});
const event = (type: string): object => ({ type, data: { tx_hash: 'a1', address: 'x', amount: 1n } });

/** Answers of a wallet that has the deposit. */
const HONEST: Readonly<Record<string, object>> = {
  incoming_transfers: { transfers: [row('a1', 1n), row('a1', 2n)] },
  get_payments: { payments: [{ tx_hash: 'a1' }, { tx_hash: 'a1' }] },
  get_balance: { balance: 3n },
  get_events: { events: [event('payment.mined'), event('payment.mined')], cursor: 2n },
};

const server = (answers: Readonly<Record<string, object>> = {}): DemoServer => ({
  call: (method, _params, result) => Promise.resolve(result.parse({ ...HONEST, ...answers }[method])),
  fails: () => Promise.reject(new Error('not asked')),
});

const watch = (shop = server(), copy = server()): DepositWatch => new DepositWatch(shop, copy, 'id');

describe('two wallets with the same deposits', () => {
  it('are described by balance, outputs and new events, a line each', async () => {
    const text = '0.000000000003 XMR in 2 outputs; 2 payment.mined';
    expect(await watch().describe([deposit])).toEqual([`shop       ${text}`, `view-only  ${text}`]);
    expect(await watch().describeTwin(server())).toBe(
      '0.000000000003 XMR in 2 outputs, the same as the shop',
    );
  });
});

describe('a difference is an error:', () => {
  it.each<[string, Record<string, object>]>([
    ['another output', { incoming_transfers: { transfers: [row('a1', 1n), row('a2', 2n)] } }],
    ['fewer outputs', { incoming_transfers: { transfers: [row('a1', 1n)] } }],
    ['another balance', { get_balance: { balance: 4n } }],
    ['fewer payments with the payment id', { get_payments: { payments: [{ tx_hash: 'a1' }] } }],
  ])('%s of the copy, of both wallets, or of a twin', async (_, answers) => {
    const other = server(answers);
    await expect(watch(server(), other).describe([deposit])).rejects.toThrow('view-only copy');
    await expect(watch(other, other).describe([deposit])).rejects.toThrow();
    await expect(watch().describeTwin(other)).rejects.toThrow('something else');
  });

  it('other events of the copy', async () => {
    const other = server({ get_events: { events: [event('payment.seen')], cursor: 1n } });
    await expect(watch(server(), other).describe([deposit])).rejects.toThrow('other events');
  });

  it('a deposit that is expected, and has not come', async () => {
    await expect(watch().describe([deposit, { ...deposit, hash: 'a3' }])).rejects.toThrow('something else');
    await expect(watch().describe([])).rejects.toThrow('something else');
  });
});
