import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createWallet } from '../support/wallets/create-wallet.js';
import { openStoreBeside } from '../support/wallets/open-store.js';
import { startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';
import { itAtNight } from '../support/jest/lanes.js';

/*
 * A store of an earlier version, whose texts had no limits: its answers come in parts.
 */

const COUNT = 12;
/** Characters of one, two and four bytes, and such as JSON escapes. */
const LONG = `"a\\ä\u{1f600}\n`.repeat(50_000);

let server: WalletRpc;
let address: string;
const hashes = Array.from({ length: COUNT }, (_, i) => i.toString(16).padStart(64, '0'));

beforeAll(async () => {
  server = await startWalletRpc();
  await createWallet(server, 'old');
  ({ address } = await server.rpc('get_address'));
  await server.rpc('create_address', { count: COUNT - 1, label: 'l' });
  for (let i = 0; i < 3; i++) {
    await server.rpc('create_account', { label: 'l' });
    await server.rpc('create_payment_request', { label: 'l' });
    await server.rpc('tag_accounts', { tag: `t${i}`, accounts: [i] });
    await server.rpc('set_account_tag_description', { tag: `t${i}`, description: 'd' });
    await server.rpc('add_address_book', { address, description: 'd' });
  }
  await server.rpc('set_attribute', { key: 'k', value: 'v' });
  await server.rpc('set_tx_notes', { txids: hashes, notes: hashes.map(() => 'n') });
  const db = await openStoreBeside(server.walletDir, 'old', server);
  try {
    db.run('UPDATE subaddress_label SET label = ?', LONG);
    db.run('UPDATE account_tag SET description = ?', LONG);
    db.run('UPDATE address_book SET description = ?', LONG);
    db.run('UPDATE attribute SET value = ?', LONG);
    db.run('UPDATE tx_note SET note = ?', LONG);
  } finally {
    db.close();
  }
});

afterAll(async () => {
  await server?.stop();
});

/** Texts of the rows of an answer. */
const texts = (rows: readonly Record<string, unknown>[], member: string): unknown[] =>
  rows.map((row) => row[member]);

const longs = (count: number): string[] => Array.from({ length: count }, () => LONG);

describe('a text that is longer than texts may be now', () => {
  itAtNight('is answered whole as the label of addresses, read again too', async () => {
    for (let round = 0; round < 2; round++) {
      const { addresses } = await server.rpc('get_address');
      expect(texts(addresses, 'label')).toEqual(longs(COUNT + 3));
    }
  });

  itAtNight('is answered whole as the label of addresses with a balance', async () => {
    const address_indices = Array.from({ length: COUNT }, (_, i) => i);
    for (let round = 0; round < 2; round++) {
      const { per_subaddress: rows } = await server.rpc('get_balance', { address_indices });
      expect(texts(rows, 'label')).toEqual(longs(COUNT));
    }
  });

  itAtNight('is answered whole as the label of accounts and of payment requests', async () => {
    const { subaddress_accounts: accounts } = await server.rpc('get_accounts');
    expect(texts(accounts, 'label')).toEqual(longs(4));
    expect(texts(accounts, 'tag')).toEqual(['t0', 't1', 't2', '']);
    const { requests } = await server.rpc('list_payment_requests');
    expect(texts(requests, 'label')).toEqual(longs(3));
  });

  it('is answered whole as a description, a note and an attribute', async () => {
    expect(texts((await server.rpc('get_account_tags')).account_tags, 'label')).toEqual(longs(3));
    expect(texts((await server.rpc('get_address_book')).entries, 'description')).toEqual(longs(3));
    expect((await server.rpc('get_tx_notes', { txids: hashes })).notes).toEqual(longs(COUNT));
    expect((await server.rpc('get_attribute', { key: 'k' })).value).toBe(LONG);
  });
});
