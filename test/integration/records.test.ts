import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createWallet } from '../support/wallets/create-wallet.js';
import { refusal, sideBySide, step } from '../support/wallets/side-by-side.js';
import {
  startReference,
  startWalletProcess,
  startWalletRpc,
  type WalletRpc,
} from '../support/processes/wallet-rpc.js';

const STANDARD =
  '44AFFq5kSiGBoZ4NMDwYtN18obc8AemS33DBLWs3H7otXft3XjrpDtQGv7SqSsaBYBb98uNbr2VBBEt7f2wfn3RVGQBEP3A';
const SUBADDRESS =
  '888tNkZrPN6JsEgekjMnABU4TBzc2Dt29EPAvkRxbANsAnjyPbb3iQ1YBRk1UXcdRsiKc9dhwMVgN5S9cQUiyoogDavup3H';
const TESTNET =
  '9wviCeWe2D8XS82k2ovp5EUYLzBt9pYNW2LXUFsZiv8S3Mt21FZ5qQaAroko1enzw3eGr9qC7X1D7Geoo2RrAotYPwq9Gm8';
const INTEGRATED =
  '4DrvGduF3ynBoZ4NMDwYtN18obc8AemS33DBLWs3H7otXft3XjrpDtQGv7SqSsaBYBb98uNbr2VBBEt7f2wfn3RVPqYRhgvHPDb2wjSPvo';
const PAYMENT_ID = '1122334455667788';
const HASH = 'ab'.repeat(32);

let ours: WalletRpc;
let theirs: WalletRpc;
const servers = (): readonly [WalletRpc, WalletRpc] => [ours, theirs];

beforeAll(async () => {
  [ours, theirs] = await Promise.all([startWalletProcess(), startReference()]);
  for (const wallet of servers()) await createWallet(wallet, 'w');
});

afterAll(async () => {
  await Promise.all([ours?.stop(), theirs?.stop()]);
});

describe('account tags', () => {
  sideBySide(
    [
      step('get_account_tags', 'none yet'),
      step('get_accounts', 'no tag asked for'),
      step('create_account', 'a second account', { label: 'second' }),
      step('create_account', 'a third account', { label: 'third' }),
      step('create_account', 'a fourth account', { label: 'fourth' }),
      step('tag_accounts', 'two accounts', { tag: 'shop', accounts: [1, 2, 2] }),
      step('tag_accounts', 'another one', { tag: 'Büro', accounts: [3] }),
      step('get_account_tags', 'both tags, without descriptions'),
      step('set_account_tag_description', 'of a tag', { tag: 'shop', description: 'what customers pay' }),
      step('get_account_tags', 'with a description'),
      step('get_accounts', 'of a tag', { tag: 'shop' }),
      step('get_accounts', 'of a tag, strictly', { tag: 'shop', strict_balances: true }),
      step('get_accounts', 'by an expression', { tag: 'sh.*', regexp: true }),
      step('get_accounts', 'by alternatives', { tag: 'nothing|shop', regexp: true }),
      step('get_accounts', 'by an expression that untagged ones match', { tag: '.*', regexp: true }),
      step('get_accounts', 'by an empty expression', { tag: '', regexp: true }),
      refusal('get_accounts', 'a part of a tag', { tag: 'sho' }, -1),
      refusal('get_accounts', 'an expression that matches a part only', { tag: 'sho', regexp: true }, -1),
      refusal('get_accounts', 'an expression that cannot be read', { tag: '(', regexp: true }, -1),
      refusal('get_accounts', 'two halves of a group', { tag: 'a)|(b', regexp: true }, -1),
      refusal(
        'tag_accounts',
        'an unknown account',
        { tag: 'x', accounts: [0, 9] },
        -1,
        'the reference tags account 0 first',
      ),
      refusal('tag_accounts', 'accounts that are no numbers', { tag: 'x', accounts: ['one'] }, -32602),
      refusal('untag_accounts', 'an unknown account', { accounts: [9] }, -1),
      refusal('set_account_tag_description', 'no tag', { description: 'x' }, -1),
      refusal('set_account_tag_description', 'an unknown tag', { tag: 'x', description: 'x' }, -1),
      step('tag_accounts', 'an account that has another tag', { tag: 'Büro', accounts: [2] }),
      step('get_account_tags', 'the account has moved'),
      step('untag_accounts', 'the last of a tag', { accounts: [1] }),
      step('get_account_tags', 'the tag is gone'),
      step('tag_accounts', 'the tag again', { tag: 'shop', accounts: [1] }),
      step('get_account_tags', 'its description is forgotten'),
    ],
    servers,
    ['base_address', 'address'],
  );

  it('aborts a regular expression with exponential run time, and keeps answering', async () => {
    await ours.rpc('tag_accounts', { tag: 'a'.repeat(40), accounts: [3] });
    const { error } = await ours.call('get_accounts', { tag: '(a+)+b', regexp: true });
    expect(error).toMatchObject({ code: -1, message: expect.stringContaining('too long') });
    expect((await ours.rpc('get_accounts', { tag: '(a+)+', regexp: true })).subaddress_accounts).toHaveLength(
      1,
    );
  });

  it('changes no account when one of them is unknown', async () => {
    await ours.call('tag_accounts', { tag: 'half', accounts: [0, 9] });
    expect((await ours.call('get_accounts', { tag: 'half' })).error?.code).toBe(-1);
  });
});

describe('the address book', () => {
  sideBySide(
    [
      step('get_address_book', 'none yet'),
      step('add_address_book', 'an address', { address: STANDARD, description: 'first' }),
      step('add_address_book', 'a subaddress', { address: SUBADDRESS, description: 'zweite ☕' }),
      step('add_address_book', 'an integrated address', { address: INTEGRATED }),
      step('add_address_book', 'the same address again', { address: STANDARD, description: 'fourth' }),
      step('get_address_book', 'all'),
      step('get_address_book', 'some, in the order asked for', { entries: [2, 0, 2] }),
      step('edit_address_book', 'a description', { index: 1, set_description: true, description: 'second' }),
      step('edit_address_book', 'an address', { index: 0, set_address: true, address: SUBADDRESS }),
      step('edit_address_book', 'an address without its flag', { index: 3, address: SUBADDRESS }),
      step('edit_address_book', 'nothing', { index: 3 }),
      step('get_address_book', 'after the edits'),
      refusal('get_address_book', 'an index beyond the end', { entries: [0, 4] }, -12),
      refusal('get_address_book', 'an index beyond all integers', { entries: ['18446744073709551615'] }, -12),
      refusal('get_address_book', 'an index below zero', { entries: [-1] }, -32602),
      refusal('add_address_book', 'no address', { description: 'x' }, -2),
      refusal('add_address_book', 'an address of another network', { address: TESTNET }, -2),
      refusal('edit_address_book', 'an index beyond the end', { index: 4 }, -12),
      refusal('edit_address_book', 'no address', { index: 0, set_address: true }, -2),
      refusal('edit_address_book', 'a bad address', { index: 0, set_address: true, address: 'x' }, -2),
      refusal('delete_address_book', 'an index beyond the end', { index: 4 }, -12),
      step('delete_address_book', 'an entry in the middle', { index: 1 }),
      step('get_address_book', 'later entries have moved down'),
      step('add_address_book', 'one more at the end', { address: SUBADDRESS, description: 'last' }),
      step('get_address_book', 'one more'),
      step('delete_address_book', 'the first', { index: 0 }),
      step('delete_address_book', 'the first', { index: 0 }),
      step('delete_address_book', 'the first', { index: 0 }),
      step('delete_address_book', 'the last', { index: 0 }),
      step('get_address_book', 'empty again'),
      refusal('delete_address_book', 'an empty book', {}, -12),
    ],
    servers,
    ['payment_id'],
  );

  describe('separate payment ids', () => {
    sideBySide(
      [
        refusal(
          'add_address_book',
          'a long payment id',
          { address: STANDARD, payment_id: HASH },
          -5,
          'unknown there',
        ),
        refusal(
          'add_address_book',
          'no hex',
          { address: STANDARD, payment_id: 'x'.repeat(16) },
          -5,
          'unknown there',
        ),
        refusal(
          'add_address_book',
          'a second payment id',
          { address: INTEGRATED, payment_id: PAYMENT_ID },
          -5,
          'unknown there',
        ),
        refusal(
          'add_address_book',
          'a subaddress with one',
          { address: SUBADDRESS, payment_id: PAYMENT_ID },
          -5,
          'unknown there',
        ),
      ],
      servers,
    );

    it('become part of the address, and are listed with it', async () => {
      const entry = async (): Promise<unknown> => (await ours.rpc('get_address_book')).entries[0];
      await ours.rpc('add_address_book', { address: STANDARD, payment_id: PAYMENT_ID });
      const { integrated_address: joined } = await ours.rpc('make_integrated_address', {
        standard_address: STANDARD,
        payment_id: PAYMENT_ID,
      });
      const withId = { index: 0, address: joined, description: '', payment_id: PAYMENT_ID };
      const plain = { index: 0, address: STANDARD, description: '', payment_id: '0'.repeat(16) };
      expect(await entry()).toEqual(withId);
      await ours.rpc('edit_address_book', { index: 0, set_payment_id: true, payment_id: '' });
      expect(await entry()).toEqual(plain);
      await ours.rpc('edit_address_book', { index: 0, set_payment_id: true, payment_id: PAYMENT_ID });
      expect(await entry()).toEqual(withId);
      // 0.18 loses the payment id of every entry that it edits.
      await ours.rpc('edit_address_book', { index: 0, set_description: true, description: 'x' });
      expect(await entry()).toEqual({ ...withId, description: 'x' });
      await ours.rpc('edit_address_book', { index: 0, set_address: true, address: STANDARD });
      await ours.rpc('edit_address_book', { index: 0, set_description: true, description: '' });
      expect(await entry()).toEqual(plain);
      await ours.rpc('edit_address_book', { index: 0, set_address: true, address: INTEGRATED });
      expect(await entry()).toMatchObject({ address: INTEGRATED, payment_id: '8877665544332211' });
      await ours.rpc('edit_address_book', { index: 0, set_address: true, address: STANDARD });
      const refused = await ours.call('edit_address_book', {
        index: 0,
        set_address: true,
        address: SUBADDRESS,
        set_payment_id: true,
        payment_id: PAYMENT_ID,
      });
      expect(refused.error?.code).toBe(-5);
      expect(await entry()).toEqual(plain);
    });
  });
});

describe('notes and attributes', () => {
  sideBySide(
    [
      step('get_tx_notes', 'no transactions'),
      step('get_tx_notes', 'an unknown transaction', { txids: [HASH] }),
      step('set_tx_notes', 'of a transaction', { txids: [HASH], notes: ['Rechnung 17 ☕'] }),
      step('get_tx_notes', 'one with a note and one without', {
        txids: ['00'.repeat(32), HASH.toUpperCase()],
      }),
      step('set_tx_notes', 'the last of two for one transaction stays', {
        txids: [HASH, HASH],
        notes: ['one', 'two'],
      }),
      step('get_tx_notes', 'it stays', { txids: [HASH] }),
      step('set_tx_notes', 'an empty note', { txids: [HASH], notes: [''] }),
      step('get_tx_notes', 'it is gone', { txids: [HASH] }),
      step('set_tx_notes', 'nothing'),
      refusal('set_tx_notes', 'a note without its transaction', { txids: [HASH], notes: ['a', 'b'] }, -1),
      refusal('set_tx_notes', 'a short hash', { txids: [HASH, 'ab'], notes: ['a', 'b'] }, -8),
      refusal('set_tx_notes', 'no hex', { txids: ['z'.repeat(64)], notes: ['a'] }, -8),
      step('get_tx_notes', 'a refusal changes nothing', { txids: [HASH] }),
      refusal('get_tx_notes', 'a short hash', { txids: ['ab'] }, -8),
      refusal('get_tx_notes', 'a number', { txids: [5] }, -32602),
      refusal('get_attribute', 'an unknown key', { key: 'order' }, -45),
      refusal('get_attribute', 'no key', {}, -45),
      step('set_attribute', 'a value', { key: 'order', value: '{"id": 17}\u0000☕' }),
      step('set_attribute', 'an empty key and value'),
      step('get_attribute', 'the empty key'),
      step('set_attribute', 'the value again', { key: 'order', value: 'new' }),
      step('get_attribute', 'the new one', { key: 'order' }),
    ],
    servers,
  );
});

describe('after a restart', () => {
  it('all records are still present', async () => {
    const look = async (): Promise<unknown[]> => [
      await ours.rpc('get_account_tags'),
      await ours.rpc('get_address_book'),
      await ours.rpc('get_attribute', { key: 'order' }),
      await ours.rpc('get_tx_notes', { txids: [HASH] }),
    ];
    await ours.rpc('set_tx_notes', { txids: [HASH], notes: ['kept'] });
    const before = await look();
    await ours.stop({ signal: 'SIGKILL', keep: true });
    ours = await startWalletRpc({ walletDir: ours.walletDir });
    await ours.rpc('open_wallet', { filename: 'w', password: '' });
    expect(await look()).toEqual(before);
    expect(before).toEqual([
      { account_tags: expect.any(Array) },
      { entries: expect.any(Array) },
      { value: 'new' },
      { notes: ['kept'] },
    ]);
  });
});
