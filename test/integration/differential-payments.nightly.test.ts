import { describe, expect, it } from '@jest/globals';
import { SOME_KEY, UNKNOWN } from '../support/differential/differential-calls.js';
import {
  CHANGE,
  PAYMENTS,
  RESCAN,
  SIGNATURES,
  VIEWS,
} from '../support/differential/differential-exceptions.js';
import { differentialSuite } from '../support/differential/differential-suite.js';
import { EVERYTHING } from '../support/differential/differential-views.js';
import { XMR } from '../support/differential/differential-world.js';
import type { Loose } from '../support/network/json-rpc.js';
import { without } from '../support/wallets/side-by-side.js';

/*
 * Payments to and by one wallet, their proofs and their view-only history, in the real monero-wallet-rpc and in ours:
 * the answers must be the same, field by field. The tests build on each other in order.
 */

const suite = differentialSuite('payments', [...VIEWS, ...CHANGE, ...PAYMENTS, ...SIGNATURES, ...RESCAN]);
const { same, sameViews, confirm } = suite;
/** Hashes of the wallet's payments. */
const own: string[] = [];

describe('payments', () => {
  it.each([
    ['the reference', 2],
    ['us', 3],
  ])('made by %s are the same to both', async (maker, account_index) => {
    const { address, payerAddress, txids } = suite.world();
    if (own.length === 0) await same('refresh');
    const { mine, theirs } = await same('transfer', {
      account_index,
      destinations: [
        { address: payerAddress, amount: XMR },
        { address: address(0, 0), amount: XMR / 2 },
      ],
      do_not_relay: true,
      get_tx_key: true,
      get_tx_hex: true,
      get_tx_metadata: true,
    });
    const made = maker === 'us' ? mine : theirs;
    const { tx_hash } = (await same('relay_tx', { hex: made.tx_metadata })).mine;
    txids.push(tx_hash);
    own.push(tx_hash);
    await sameViews();
    await confirm(1);
    await sameViews();
  });

  it('in the pool are shown alike by both', async () => {
    const { payer, pay, address } = suite.world();
    await payer.rpc('refresh');
    await pay([
      [address(0, 0), XMR],
      [address(0, 1), XMR],
      [address(1, 1), XMR],
    ]);
    await sameViews();
  });

  it('that a reorganisation undoes are shown alike by both', async () => {
    const { daemon, mine, pair } = suite.world();
    await confirm(3);
    await daemon.popBlocks(2);
    await mine(4);
    // Not compared: the reference leaves the first block after a split out of blocks_fetched.
    await Promise.all([pair.ours.rpc('refresh'), pair.theirs.rpc('refresh')]);
    await sameViews();
  });
});

describe('proofs', () => {
  /** Creates a proof in each server, and checks it in both. */
  const crosswise = async (make: string, making: object, check: string, checking: object): Promise<void> => {
    const made = await same(make, making);
    for (const { signature } of [made.mine, made.theirs]) {
      await same(check, { ...checking, signature });
      await same(check, { ...checking, message: 'n', signature });
    }
    await same(check, { ...checking, signature: 'nonsense' });
  };

  it('of payments are accepted by both', async () => {
    const { txids, payerAddress, address, integrated } = suite.world();
    for (const txid of [...own, txids[0], UNKNOWN, 'zz']) {
      const { mine } = await same('get_tx_key', { txid });
      for (const to of [payerAddress, address(0, 0), 'x'])
        await same('check_tx_key', { txid, tx_key: mine?.tx_key ?? SOME_KEY, address: to });
    }
    await same('check_tx_key', { txid: own[0], tx_key: 'zz', address: payerAddress });
    for (const [txid, to] of [
      [own[0], payerAddress],
      [own[1], payerAddress],
      [txids[0], address(0, 0)],
      [txids[0], address(1, 0)],
      [txids[1], integrated[0]],
    ]) {
      const about = { txid, address: to, message: 'm' };
      await crosswise('get_tx_proof', about, 'check_tx_proof', about);
    }
    for (const txid of [txids[1], UNKNOWN, 'zz'])
      for (const to of [payerAddress, 'x']) await same('get_tx_proof', { txid, address: to, message: '' });
  });

  it('of spends and reserves are accepted by both', async () => {
    const { txids, address } = suite.world();
    for (const txid of own) {
      const about = { txid, message: 'm' };
      await crosswise('get_spend_proof', about, 'check_spend_proof', about);
    }
    for (const txid of [txids[0], UNKNOWN, 'zz']) await same('get_spend_proof', { txid });
    for (const of of [
      { all: true },
      { account_index: 1, amount: XMR },
      { account_index: 0, amount: 30 * XMR },
    ]) {
      const about = { address: address(0, 0), message: 'm' };
      await crosswise('get_reserve_proof', { ...of, message: 'm' }, 'check_reserve_proof', about);
    }
    await same('get_reserve_proof', { account_index: 1, amount: 0 });
    await same('get_reserve_proof', { account_index: 1, amount: 9e18 });
    await same('get_reserve_proof', { account_index: 99, amount: 1 });
    await same('check_reserve_proof', { address: address(0, 1), signature: 'ReserveProofV2' });
  });
});

describe('a rescan', () => {
  it('finds the same', async () => {
    await same('rescan_blockchain');
    await sameViews();
  });
});

describe('a view-only wallet', () => {
  /** History methods of a wallet that pays between its own accounts. */
  const HISTORY = ['get_transfers', 'get_transfer_by_txid', 'get_payments', 'get_bulk_payments'];
  const all = { ...EVERYTHING, all_accounts: true };
  let history: Loose;

  it('is created and scanned alike', async () => {
    const { address, pair } = suite.world();
    history = await pair.ours.rpc('get_transfers', all);
    const { mine } = await same('query_key', { key_type: 'view_key' });
    const images = (await same('export_key_images', { all: true })).mine;
    const keys = { address: address(0, 0), viewkey: mine.key, password: '' };
    await same('generate_from_keys', { ...keys, filename: 'shared' });
    await same('generate_from_keys', { ...keys, filename: 'view', viewkey: 'zz' });
    await same('generate_from_keys', { ...keys, filename: 'view', address: 'x' });
    await same('generate_from_keys', { ...keys, filename: 'view', restore_height: 0 });
    await same('refresh');
    await sameViews();
    await same('import_key_images', images);
  });

  it('has the same balance after an import of key images', async () => {
    // The reference now counts payments to own accounts as change, and drops their incoming entries.
    await sameViews(HISTORY);
    await same('get_spend_proof', { txid: own[0] });
    await same('get_reserve_proof', { all: true });
    await same('sign_transfer', { unsigned_txset: '00' });
    await same('describe_transfer', { unsigned_txset: '00' });
  });

  it("has the spending wallet's history after an import of key images", async () => {
    const comparable = (entries: Loose): Loose[] =>
      (without(entries, ['destinations']) as Loose[]).sort((a, b) =>
        JSON.stringify(a) < JSON.stringify(b) ? -1 : 1,
      );
    const seen = await suite.world().pair.ours.rpc('get_transfers', all);
    expect(history.out).toHaveLength(own.length);
    expect(comparable(seen.out)).toEqual(comparable(history.out));
    expect(comparable(seen.in)).toEqual(comparable(history.in));
  });
});

suite.conclude();
