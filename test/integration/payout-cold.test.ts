import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { until } from '../support/fakes/until.js';
import type { Loose } from '../support/network/json-rpc.js';
import type { Monerod } from '../support/processes/monerod.js';
import { startRegtestDaemon } from '../support/processes/regtest-daemon.js';
import { startReference, startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';
import { createWallet } from '../support/wallets/create-wallet.js';

/* Batches of a view-only wallet, which the reference signs as the cold wallet. */

const XMR = 1_000_000_000_000;

let daemon: Monerod;
let watch: WalletRpc;
let cold: WalletRpc;
let payee: WalletRpc;
let address: string;
let payeeAddress: string;

const rpc = (method: string, params?: Loose): Promise<Loose> => watch.rpc(method, params);

const get = (payout_id: string): Promise<Loose> => rpc('get_payout', { payout_id });

const create = (...ids: readonly string[]): Promise<Loose> =>
  rpc('create_payouts', {
    payouts: ids.map((payout_id) => ({ payout_id, address: payeeAddress, amount: XMR })),
  });

const untilState = (payout_id: string, state: string): Promise<Loose> =>
  until(`${payout_id} is ${state}`, async () => {
    const payout = await get(payout_id);
    return payout.state === state ? payout : undefined;
  });

async function mine(blocks: number): Promise<void> {
  await daemon.generate(address, blocks);
  await rpc('refresh');
}

const batches = async (): Promise<Loose[]> => (await rpc('export_payout_batches')).batches as Loose[];

/** Starts the view-only server. @param seconds time until which sets may be signed. */
const startWatch = (seconds: number, walletDir?: string): Promise<WalletRpc> =>
  startWalletRpc({
    daemon: daemon.address,
    ...(walletDir === undefined ? {} : { walletDir }),
    args: [
      ...['--refresh-period=0', '--payout-interval=0', `--payout-signing-time=${seconds}`],
      '--export-format=0.18.0',
    ],
  });

beforeAll(async () => {
  daemon = await startRegtestDaemon();
  watch = await startWatch(86_400);
  cold = await startReference({ args: ['--trusted-daemon'] });
  payee = await startWalletRpc({ daemon: daemon.address, args: ['--refresh-period=0'] });
  await createWallet(payee, 'payee');
  payeeAddress = (await payee.rpc('get_address')).address as string;
  await createWallet(cold, 'cold');
  address = (await cold.rpc('get_address')).address as string;
  const { key: viewkey } = await cold.rpc('query_key', { key_type: 'view_key' });
  await rpc('generate_from_keys', { filename: 'watch', password: '', address, viewkey, restore_height: 0 });
  await mine(90);
});

afterAll(async () => {
  await watch?.stop();
  await cold?.stop();
  await payee?.stop();
  await daemon?.stop();
});

/** Gives the cold wallet the outputs, and the view-only wallet their key images. */
async function exchange(): Promise<void> {
  const { outputs_data_hex } = await rpc('export_outputs', { all: true });
  await cold.rpc('import_outputs', { outputs_data_hex });
  const { signed_key_images, offset = 0 } = await cold.rpc('export_key_images', { all: true });
  await rpc('import_key_images', { signed_key_images, offset });
}

const sign = async (unsigned_txset: string): Promise<string> =>
  (await cold.rpc('sign_transfer', { unsigned_txset })).signed_txset as string;

describe('a batch of a view-only wallet', () => {
  it('is a set that the cold wallet describes and signs, and is paid once it is submitted', async () => {
    await exchange();
    await create('a', 'b');
    await untilState('a', 'awaiting_signature');
    const [batch] = (await batches()) as [Loose];
    expect(batch.payouts.map(({ payout_id }: Loose) => payout_id)).toEqual(['a', 'b']);
    const { desc } = await cold.rpc('describe_transfer', { unsigned_txset: batch.unsigned_txset });
    expect(desc[0].fee).toBe(batch.fee);
    expect(desc[0].recipients).toMatchObject([{ address: payeeAddress, amount: 2 * XMR }]);
    const submitted = await rpc('submit_payout_batches', {
      signed_txsets: [await sign(batch.unsigned_txset), 'abcd'],
    });
    expect(submitted.results[1].error.code).toBe(-40);
    const [{ tx_hashes: hashes }] = submitted.results;
    expect(await untilState('a', 'sent')).toMatchObject({ tx_hash: hashes[0] });
    expect(await batches()).toEqual([]);
    await mine(11);
    expect(await get('b')).toMatchObject({ state: 'confirmed', tx_hash: hashes[0] });
    await payee.rpc('refresh');
    expect((await payee.rpc('get_balance')).balance).toBe(2 * XMR);
  });

  it('may be signed until the first of its payouts expires', async () => {
    const expires_at = Math.floor(Date.now() / 1000) + 3600;
    const terms = { address: payeeAddress, amount: XMR };
    await rpc('pause_payouts', { reason: 'both in one set' });
    await rpc('create_payouts', {
      payouts: [
        { ...terms, payout_id: 'short', expires_at },
        { ...terms, payout_id: 'long', expires_at: expires_at + 3600 },
      ],
    });
    await rpc('resume_payouts');
    await untilState('short', 'awaiting_signature');
    const [batch] = (await batches()) as [Loose];
    expect(batch.payouts).toHaveLength(2);
    expect(batch.expires_at).toBe(expires_at);
    await rpc('submit_payout_batches', { signed_txsets: [await sign(batch.unsigned_txset)] });
    await untilState('long', 'sent');
    await mine(11);
  });

  it('reserves its inputs, so that another batch spends others', async () => {
    await exchange();
    await create('c');
    await untilState('c', 'awaiting_signature');
    await create('d');
    await untilState('d', 'awaiting_signature');
    const sets = (await batches()) as [Loose, Loose];
    expect(sets).toHaveLength(2);
    const signed_txsets = [await sign(sets[0].unsigned_txset), await sign(sets[1].unsigned_txset)];
    await rpc('submit_payout_batches', { signed_txsets });
    await untilState('c', 'sent');
    await untilState('d', 'sent');
    await mine(61);
  });

  it('that is not signed in time is paid anew by a set that excludes it, and refused afterwards', async () => {
    const { walletDir } = watch;
    await watch.stop({ keep: true });
    watch = await startWatch(5, walletDir);
    await rpc('open_wallet', { filename: 'watch', password: '' });
    await rpc('refresh');
    await exchange();
    await create('e');
    await untilState('e', 'awaiting_signature');
    const [first] = (await batches()) as [Loose];
    const late = await sign(first.unsigned_txset);
    const next = await until('another set', async () =>
      (await batches()).find(({ batch_id }) => batch_id !== first.batch_id),
    );
    const { results } = await rpc('submit_payout_batches', { signed_txsets: [late] });
    expect(results[0].error.message).toContain('was not signed in time');
    const both = await Promise.all(
      [first, next].map(({ unsigned_txset }) => cold.rpc('describe_transfer', { unsigned_txset })),
    );
    expect(both.map(({ desc }) => desc[0].recipients[0].amount)).toEqual([XMR, XMR]);
    const signed = await sign(next.unsigned_txset);
    expect(
      (await rpc('submit_payout_batches', { signed_txsets: [signed] })).results[0].error,
    ).toBeUndefined();
    await untilState('e', 'sent');
    // Another wallet relays the late set, too: it spends an input of the later one.
    const { tx_raw_list: raw } = await cold.rpc('sign_transfer', {
      unsigned_txset: first.unsigned_txset,
      export_raw: true,
    });
    const answer = await daemon.plain('/send_raw_transaction', { tx_as_hex: raw[0] });
    expect(answer).toMatchObject({ double_spend: true });
    await mine(11);
    await untilState('e', 'confirmed');
    await payee.rpc('refresh');
    expect((await payee.rpc('get_balance')).balance).toBe(7 * XMR);
    const { events } = await rpc('get_events', { limit: 1000 });
    expect(
      (events as Loose[]).flatMap(({ type, data }) =>
        data.payout_id === 'e' ? [[type.slice('payout.'.length), data.reason]] : [],
      ),
    ).toEqual([
      ['queued', undefined],
      ['awaiting_signature', undefined],
      ['queued', 'unsigned'],
      ['awaiting_signature', undefined],
      ['sending', undefined],
      ['sent', undefined],
      ['confirmed', undefined],
    ]);
  });
});
