import { describe, expect, it } from '@jest/globals';
import { exportKey } from '../../src/monero/crypto/kdf.js';
import type { SecretKey } from '../../src/monero/crypto/types.js';
import { fromHex } from '../../src/util/bytes.js';
import { openExport } from '../../src/monero/wallet/exchange/export-blob.js';
import { readOutputExport } from '../../src/monero/wallet/exchange/exported-outputs.js';
import { EXCHANGE, PAYMENTS, SIGNATURES, VIEWS } from '../support/differential/differential-exceptions.js';
import { differentialSuite } from '../support/differential/differential-suite.js';
import { PAYMENT_IDS, XMR } from '../support/differential/differential-world.js';
import { without } from '../support/wallets/side-by-side.js';

/*
 * Calls on single outputs of one wallet, and the exchange with an offline wallet, in the real monero-wallet-rpc and in
 * ours: the answers must be the same, field by field. The tests build on each other in order.
 */

/** Hash of no transaction. */
const UNKNOWN = '00'.repeat(32);

const suite = differentialSuite('outputs', [...VIEWS, ...PAYMENTS, ...SIGNATURES, ...EXCHANGE]);
const { same, sameViews, confirm } = suite;

describe('outputs', () => {
  it('are frozen and thawed alike', async () => {
    await same('refresh');
    const { mine } = await same('incoming_transfers', { transfer_type: 'available', account_index: 1 });
    const [{ key_image }] = mine.transfers;
    for (const method of ['frozen', 'freeze', 'frozen']) await same(method, { key_image });
    await sameViews();
    for (const method of ['thaw', 'frozen']) await same(method, { key_image });
    for (const method of ['freeze', 'thaw', 'frozen'])
      for (const bad of ['', 'zz', UNKNOWN, '12']) await same(method, { key_image: bad });
    await sameViews();
  });

  it('are exported alike', async () => {
    await same('export_key_images', { all: true });
    await same('export_key_images');
    const { key } = (await same('query_key', { key_type: 'view_key' })).mine as { key: string };
    const viewSecret = fromHex(key) as SecretKey;
    const keys = { viewSecret, cipherKey: await exportKey(viewSecret, 1) };
    const blobs = await same('export_outputs', { all: true });
    const [ours, theirs] = [blobs.mine, blobs.theirs].map(({ outputs_data_hex }) => {
      const exported = openExport('outputs', fromHex(outputs_data_hex), keys).subarray(64);
      // We export the one transaction key that is needed, the reference all of them.
      return without(readOutputExport(exported), ['txPublicKey', 'additionalKeys']);
    });
    expect(ours.outputs.length).toBeGreaterThan(10);
    expect(ours).toEqual(theirs);
  });

  it('are checked again alike', async () => {
    await same('rescan_spent');
    await same('scan_tx', { txids: ['zz'] });
    await same('scan_tx', { txids: [UNKNOWN] });
    await same('import_key_images', { signed_key_images: [{ key_image: 'zz', signature: 'zz' }] });
    await same('import_key_images', { signed_key_images: [] });
    await same('import_outputs', { outputs_data_hex: 'zz' });
    await same('import_outputs', { outputs_data_hex: '00' });
    await sameViews();
  });
});

describe('sweeps', () => {
  const sweep = {
    get_tx_keys: true,
    get_tx_key: true,
    get_tx_hex: true,
    get_tx_metadata: true,
    do_not_relay: true,
  };

  it('are made alike, or refused alike', async () => {
    const { payerAddress: address, integrated } = suite.world();
    const { mine } = await same('incoming_transfers', { transfer_type: 'available', account_index: 3 });
    const [{ key_image }] = mine.transfers;
    await same('sweep_single', { ...sweep, address, key_image });
    await same('sweep_single', { ...sweep, address, key_image, outputs: 3, priority: 2 });
    await same('sweep_single', { ...sweep, address, key_image, outputs: 0 });
    await same('sweep_single', { ...sweep, address, key_image: 'zz' });
    await same('sweep_single', { ...sweep, address, key_image: UNKNOWN });
    await same('sweep_single', { ...sweep, address: 'x', key_image });
    await same('sweep_all', { ...sweep, address, account_index: 3 });
    await same('sweep_all', { ...sweep, address, account_index: 1, subaddr_indices: [3] });
    await same('sweep_all', { ...sweep, address, account_index: 0, below_amount: XMR / 2 });
    await same('sweep_all', { ...sweep, address, account_index: 3, below_amount: 1 });
    await same('sweep_all', { ...sweep, address, account_index: 4 });
    await same('sweep_all', { ...sweep, address: 'x' });
    await same('sweep_all', { ...sweep, address: integrated[0], account_index: 3 });
    await same('sweep_dust');
    await same('sweep_unmixable', { get_tx_keys: true });
  });

  it.each(['mine', 'theirs'] as const)('that are %s are shown alike by both', async (maker) => {
    const { address, txids } = suite.world();
    const account_index = maker === 'mine' ? 2 : 3;
    const made = (await same('sweep_all', { ...sweep, address: address(0, 0), account_index }))[maker];
    txids.push((await same('relay_tx', { hex: made.tx_metadata_list[0] })).mine.tx_hash);
    await sameViews();
    await confirm(2);
    await sameViews();
  });
});

describe('payments', () => {
  it('are made alike, or refused alike', async () => {
    const { payerAddress } = suite.world();
    const to = (amount: number, address = payerAddress) => ({ destinations: [{ amount, address }] });
    const split = { get_tx_keys: true, get_tx_hex: true, get_tx_metadata: true, do_not_relay: true };
    const from = { account_index: 1, subaddr_indices: [3] };
    await same('transfer_split', { ...to(XMR), ...split, ...from });
    await same('transfer_split', { ...to(XMR), ...split, ...from, priority: 3 });
    await same('transfer', { ...to(1e17) });
    await same('transfer', { ...to(0) });
    await same('transfer', { ...to(1, 'x') });
    await same('transfer', { destinations: [] });
    await same('transfer', { ...to(1), payment_id: PAYMENT_IDS[0] });
    await same('transfer', { ...to(1), account_index: 1, subaddr_indices: [99] });
    await same('transfer_split', { ...to(1e17) });
    await same('relay_tx', { hex: 'zz' });
    await same('relay_tx', { hex: '00' });
  });
});

describe('payments of a view-only wallet', () => {
  const sets: string[] = [];
  const signed: string[] = [];
  let spendkey: string;
  let viewkey: string;

  it('are prepared alike', async () => {
    const { address, payerAddress } = suite.world();
    spendkey = (await same('query_key', { key_type: 'spend_key' })).mine.key;
    viewkey = (await same('query_key', { key_type: 'view_key' })).mine.key;
    const images = (await same('export_key_images', { all: true })).mine;
    const keys = { address: address(0, 0), viewkey, password: '' };
    await same('generate_from_keys', { ...keys, filename: 'view', restore_height: 0 });
    await same('refresh');
    await same('import_key_images', images);
    const { mine, theirs } = await same('transfer', {
      account_index: 1,
      destinations: [{ amount: XMR, address: payerAddress }],
    });
    sets.push(mine.unsigned_txset, theirs.unsigned_txset);
    await same('describe_transfer', { unsigned_txset: mine.unsigned_txset });
  });

  it('are signed by an offline wallet alike', async () => {
    const { address } = suite.world();
    const blobs = await same('export_outputs', { all: true });
    await same('generate_from_keys', {
      ...{ filename: 'offline', password: '', address: address(0, 0), spendkey, viewkey },
      restore_height: 0,
    });
    for (const { outputs_data_hex } of [blobs.mine, blobs.theirs])
      await same('import_outputs', { outputs_data_hex });
    await same('export_key_images', { all: true });
    for (const unsigned_txset of sets) await same('describe_transfer', { unsigned_txset });
    const [unsigned_txset] = sets;
    const made = await same('sign_transfer', { unsigned_txset, export_raw: true, get_tx_keys: true });
    signed.push(made.mine.signed_txset, made.theirs.signed_txset);
  });

  it('are sent alike', async () => {
    await same('open_wallet', { filename: 'view', password: '' });
    for (const tx_data_hex of signed) await same('submit_transfer', { tx_data_hex });
    await same('submit_transfer', { tx_data_hex: '00' });
    await confirm(2);
    await same('get_balance', { all_accounts: true });
  });
});

describe('a transaction that is known', () => {
  it('is read again alike', async () => {
    // This comparison is the last: afterwards 0.18 lists its payments twice.
    await same('scan_tx', { txids: suite.world().txids.slice(0, 2) });
  });
});

suite.conclude();
