import { mkdirSync, readFileSync, renameSync, rmdirSync, statSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { formatAddress, parseAddress } from '../../src/monero/cryptonote/address.js';
import { fromHex, toHex } from '../../src/util/bytes.js';
import { decode, encode } from '../../src/util/codec.js';
import { pendingTx } from '../../src/monero/wallet/exchange/pending-tx.js';
import { CredentialServer, shopPath } from '../support/processes/credential-server.js';
import type { Loose } from '../support/network/json-rpc.js';
import { killMoment } from '../support/processes/kill-moment.js';
import { isNight, itAtNight } from '../support/jest/lanes.js';

/* What clients with limited rights may spend, and the record of their calls. */

const COIN = 1_000_000_000_000;
const DENIED = -60;
const LIMIT = -61;

const clients = new CredentialServer();
const { add, as, ask, audit, auditFile, pay, reload, restart, send, tokens } = clients;

beforeAll(() =>
  clients.start(async () => {
    await add('clerk', { wallet: 'shop', method: ['view', 'receive'] });
    await add('stranger', { wallet: 'mine', method: ['view'] });
  }),
);

afterAll(() => clients.stop());

describe('spend limits', () => {
  const spent = async (name: string): Promise<number> => {
    const lines = audit().filter((line) => line.credential === name && line.outcome === 'ok');
    return lines.flatMap((line) => (line.transactions as string[] | undefined) ?? []).length;
  };

  it('let five of many payments at a time pass, and are kept by a killed server', async () => {
    // Five payments of one coin with their fees.
    await add('payer', { wallet: 'shop', method: ['view', 'spend'], 'spend-day': String(5.5 * COIN) });
    await reload();
    const first = await as('payer', 'transfer', pay(1), shopPath);
    expect(first.reply.result).toBeDefined();
    await restart();
    const answers = await Promise.all(
      Array.from({ length: isNight ? 20 : 6 }, () => as('payer', 'transfer', pay(1), shopPath)),
    );
    const failed = answers.flatMap(({ reply }) => reply.error ?? []);
    expect(answers.length - failed.length).toBe(4);
    expect(new Set(failed.map(({ code }) => code))).toEqual(new Set([LIMIT]));
    expect(failed[0]?.message).toMatch(
      /^credential payer: spend\.day: 1\.0\d+ needed, 0\.4\d+ of 5\.500000000000 remains$/,
    );
    if (isNight) await restart();
    expect((await as('payer', 'transfer', pay(1), shopPath)).reply.error?.code).toBe(LIMIT);
    expect(await spent('payer')).toBe(5);
    const { pending } = await ask('root', 'get_transfers', { pending: true }, shopPath);
    expect(pending.length).toBe(5);
  });

  itAtNight('hold however often the server is killed amid payments', async () => {
    await add('hasty', { wallet: 'shop', method: ['view', 'spend'], 'spend-hour': String(0.35 * COIN) });
    await reload();
    const before = (await ask('root', 'get_transfers', { pending: true }, shopPath)).pending.length as number;
    const flood = () =>
      Promise.allSettled(Array.from({ length: 8 }, () => as('hasty', 'transfer', pay(0.1), shopPath)));
    for (const ms of [40, 150, 400]) {
      const payments = flood();
      await killMoment(ms);
      await restart();
      await payments;
    }
    await flood();
    const { pending } = await ask('root', 'get_transfers', { pending: true }, shopPath);
    expect(pending.length - before).toBe(3);
  });

  itAtNight('count whatever a payment is made with', async () => {
    await add('maker', {
      ...{ wallet: 'shop', method: ['view', 'spend'] },
      ...{ 'spend-transaction': String(3 * COIN), 'spend-hour': String(4.5 * COIN) },
    });
    await reload();
    const own = (await ask('maker', 'get_address', {}, shopPath)).address as string;
    const many = pay(1, { destinations: [{ amount: 3 * COIN, address: clients.payee }] });
    expect((await as('maker', 'transfer', many, shopPath)).reply.error?.message).toContain(
      'spend.transaction',
    );
    for (const method of ['sweep_all', 'sweep_single']) {
      const { incoming_transfers: none, ...found } = await ask(
        'maker',
        'incoming_transfers',
        { transfer_type: 'available' },
        shopPath,
      );
      expect(none).toBeUndefined();
      const { key_image } = (found.transfers as Loose[])[0];
      expect(
        (await as('maker', method, { address: clients.payee, key_image }, shopPath)).reply.error?.code,
      ).toBe(LIMIT);
    }
    // Payments to the wallet itself cost their fee alone.
    expect(
      (await as('maker', 'transfer', { destinations: [{ amount: 4 * COIN, address: own }] }, shopPath)).reply
        .result,
    ).toBeDefined();
    // A payment counts when it is signed, and not again when it is relayed.
    const made = await ask(
      'maker',
      'transfer',
      pay(2, { do_not_relay: true, get_tx_metadata: true }),
      shopPath,
    );
    expect((await as('maker', 'transfer', pay(2.9), shopPath)).reply.error?.message).toContain('spend.hour');
    expect(await ask('maker', 'relay_tx', { hex: made.tx_metadata }, shopPath)).toEqual({
      tx_hash: made.tx_hash,
    });
    // A repeated idempotency key counts once.
    const order = pay(1, { idempotency_key: 'one' });
    const paid = await ask('maker', 'transfer', order, shopPath);
    expect((await ask('maker', 'transfer', order, shopPath)).tx_hash).toBe(paid.tx_hash);
    expect((await as('maker', 'transfer_split', pay(0.9), shopPath)).reply.result).toBeDefined();
    expect((await as('maker', 'transfer_split', pay(0.9), shopPath)).reply.error?.message).toContain(
      'spend.hour',
    );
  });

  itAtNight('let nobody lock money without the right to do so, by whatever method', async () => {
    const rules = { wallet: 'shop', method: ['view', 'spend'], 'spend-day': String(COIN) };
    await add('hoarder', rules);
    await add('trustee', { ...rules, lock: true });
    await reload();
    const own = (await ask('root', 'get_address', {}, shopPath)).address as string;
    const unlock_time = 9_007_199_254_740_991;
    const destinations = [{ amount: COIN / 10, address: own }];
    const { transfers } = await ask('root', 'incoming_transfers', { transfer_type: 'available' }, shopPath);
    const { key_image } = (transfers as Loose[])[0];
    const made = await ask(
      'root',
      'transfer',
      { destinations, unlock_time, do_not_relay: true, get_tx_metadata: true },
      shopPath,
    );
    const locking: [string, object][] = [
      ['transfer', { destinations, unlock_time }],
      ['transfer', { destinations, unlock_time, do_not_relay: true }],
      ['transfer_split', { destinations, unlock_time }],
      ['sweep_all', { address: own, unlock_time }],
      ['sweep_single', { address: own, key_image, unlock_time }],
      ['relay_tx', { hex: made.tx_metadata }],
      ['freeze', { key_image }],
    ];
    for (const [method, params] of locking) {
      const refused = (await as('hoarder', method, params, shopPath)).reply.error;
      expect([method, refused?.code, refused?.message]).toEqual([
        ...[method, DENIED],
        'credential hoarder: lock: it may not lock money, by an unlock_time or by freezing outputs',
      ]);
      // What it locks counts: inputs with their change.
      expect([method, (await as('trustee', method, params, shopPath)).reply.error?.code]).toEqual([
        method,
        LIMIT,
      ]);
    }
    const { frozen } = await ask('root', 'frozen', { key_image }, shopPath);
    expect(frozen).toBe(false);
  });

  it('count what a transaction pays, whatever its tx_metadata claim', async () => {
    await add('forger', {
      ...{ wallet: 'shop', method: ['view', 'spend'], 'spend-day': String(COIN) },
    });
    await reload();
    const own = parseAddress((await ask('root', 'get_address', {}, shopPath)).address as string);
    const made = await ask(
      'root',
      'transfer',
      pay(2, { do_not_relay: true, get_tx_metadata: true }),
      shopPath,
    );
    const pending = decode(pendingTx, fromHex(made.tx_metadata as string));
    const toOurselves = pending.destinations.map((one) => ({
      ...{ ...one, original: formatAddress(own) },
      address: { spendPublicKey: own.spendPublicKey, viewPublicKey: own.viewPublicKey },
    }));
    const forged = { hex: toHex(encode(pendingTx, { ...pending, destinations: toOurselves })) };
    expect((await as('forger', 'relay_tx', forged, shopPath)).reply.error?.code).toBe(LIMIT);
    expect(await ask('root', 'relay_tx', forged, shopPath)).toEqual({ tx_hash: made.tx_hash });
    const { transfer } = await ask('root', 'get_transfer_by_txid', { txid: made.tx_hash }, shopPath);
    expect([transfer.amount, transfer.destinations]).toEqual([2 * COIN, undefined]);
  });

  it('hold payments to the listed addresses', async () => {
    await add('narrow', { wallet: 'shop', method: 'spend', address: clients.payee });
    await reload();
    const other = (
      await ask('root', 'create_wallet', { filename: 'other', language: 'English' }).then(() =>
        ask('root', 'get_address'),
      )
    ).address as string;
    const to = (address: string) => ({ destinations: [{ amount: COIN, address }] });
    expect((await as('narrow', 'transfer', to(other), shopPath)).reply.error).toEqual({
      code: DENIED,
      message: `credential narrow: addresses: payments to ${other} are not allowed`,
    });
    expect((await as('narrow', 'sweep_all', { address: other }, shopPath)).reply.error?.code).toBe(DENIED);
    const { integrated_address: integrated } = await ask('root', 'make_integrated_address', {
      standard_address: clients.payee,
    });
    expect((await as('narrow', 'transfer', to(integrated as string), shopPath)).reply.error?.code).toBe(
      DENIED,
    );
    expect((await as('narrow', 'transfer', to(clients.payee), shopPath)).reply.result).toBeDefined();
  });
});

describe('the audit log', () => {
  it('has who called what, on which wallet, with what outcome, and no parameters', async () => {
    await as('clerk', 'transfer', pay(1), shopPath);
    await send(tokens['stranger'], '/wallet/shop/events');
    const lines = audit();
    const paid = lines.find((line) => line.credential === 'payer' && line.outcome === 'ok');
    expect(paid).toEqual({
      time: expect.stringMatching(/^20\d\d-.*Z$/),
      ...{ credential: 'payer', client: '127.0.0.1', method: 'transfer', wallet: 'shop', outcome: 'ok' },
      transactions: [expect.stringMatching(/^[0-9a-f]{64}$/)],
    });
    expect(lines).toContainEqual(
      expect.objectContaining({ credential: 'clerk', method: 'transfer', outcome: DENIED }),
    );
    expect(lines).toContainEqual(
      expect.objectContaining({ credential: 'stranger', method: 'events', outcome: 404 }),
    );
    const text = readFileSync(auditFile, 'utf8');
    expect(text).not.toContain(clients.payee);
    for (const token of Object.values(tokens)) expect(text).not.toContain(token.slice(-20));
    expect(statSync(auditFile).mode & 0o777).toBe(0o600);
  });

  it('names the wallet that a parameter names, and no other for a parameter that the method does not have', async () => {
    await as('root', 'list_webhooks', { wallet: 'shop' });
    await as('root', 'get_balance', { wallet: 'forged' });
    const [webhooks, balance] = audit().slice(-2);
    expect([webhooks.method, webhooks.wallet]).toEqual(['list_webhooks', 'shop']);
    expect([balance.method, balance.wallet]).toEqual(['get_balance', expect.not.stringContaining('forged')]);
  });

  it('counts a flood of refusals in place of writing each', async () => {
    await add('noisy', { wallet: 'shop', method: 'view' });
    await reload();
    for (let i = 0; i < 12; i++) await as('noisy', `unknown ${'x'.repeat(i * 1000)}`, {}, shopPath);
    for (let i = 0; i < 12; i++) await as('noisy', 'transfer', pay(1), shopPath);
    const lines = audit().filter(({ credential }: Loose) => credential === 'noisy');
    expect(lines.map(({ outcome }: Loose) => outcome as number)).toEqual([
      ...Array<number>(5).fill(-32601),
      ...Array<number>(5).fill(DENIED),
    ]);
    expect(Math.max(...lines.map((line) => JSON.stringify(line).length))).toBeLessThan(8192);
  });

  it('refuses spending and administration while it cannot be written, and nothing else', async () => {
    renameSync(auditFile, `${auditFile}.1`);
    mkdirSync(auditFile);
    await reload();
    const refused = await as('payer', 'transfer', pay(1), shopPath);
    expect([refused.status, refused.reply.error?.message]).toEqual([
      503,
      'the audit log cannot be written: spending and administration are refused',
    ]);
    expect((await as('root', 'query_key', { key_type: 'view_key' }, shopPath)).status).toBe(503);
    expect((await as('clerk', 'get_balance', {}, shopPath)).reply.result).toBeDefined();
    expect((await as('clerk', 'create_address', {}, shopPath)).reply.result).toBeDefined();
    rmdirSync(auditFile);
    expect((await as('payer', 'transfer', pay(1), shopPath)).reply.error?.code).toBe(LIMIT);
    expect(audit().map(({ method, outcome }: Loose) => [method, outcome] as unknown)).toEqual([
      ['transfer', -1],
      ['query_key', -1],
      ['get_balance', 'ok'],
      ['create_address', 'ok'],
      ['transfer', LIMIT],
    ]);
  });
});
