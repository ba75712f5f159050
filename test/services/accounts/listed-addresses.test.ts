import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { KeyImage, PublicKey } from '../../../src/monero/crypto/types.js';
import { amount } from '../../../src/util/amount.js';
import { bytes, output, page, received } from '../../store/fixtures.js';
import { collected } from '../../support/values/collected.js';
import { EventLoopTurns } from '../../support/fakes/event-loop-turns.js';
import { faultOf, TestWallet } from '../../support/wallets/test-wallet.js';

let wallet: TestWallet;
beforeEach(() => {
  wallet = new TestWallet();
});
afterEach(() => wallet.close());

/** Pays 5 to an address in block 1. */
const pay = (subaddress: { readonly major: number; readonly minor: number }): void =>
  wallet.store.write((w) =>
    w.applyPage(page(0, 2, { received: [received(1, 1)], outputs: [output(1, 1, 5n, { subaddress })] })),
  );

describe('the addresses of an account', () => {
  it('are all of them, or those asked for in their order, with label and use', async () => {
    await wallet.accounts.createAddresses(0, 3, 'shop');
    pay({ major: 0, minor: 2 });
    const all = await wallet.accounts.list(0, []);
    expect(all.map(({ label, used }) => [label, used])).toEqual([
      ['Primary account', false],
      ['shop', false],
      ['shop', true],
      ['shop', false],
    ]);
    expect(all.map(({ index, address }) => address === wallet.accounts.address(index))).not.toContain(false);
    expect(await wallet.accounts.list(0, [2, 0, 2])).toEqual([all[2], all[0], all[2]]);
  });

  it('are the same when read one by one and for the whole account', async () => {
    await wallet.accounts.createAddresses(0, 300, '');
    wallet.accounts.setLabel({ major: 0, minor: 299 }, 'last but one');
    pay({ major: 0, minor: 7 });
    const all = await wallet.accounts.list(0, []);
    const minors = all.map(({ index }) => index.minor);
    expect(all).toHaveLength(301);
    expect(await wallet.accounts.list(0, minors)).toEqual(all);
    expect(await wallet.accounts.list(0, minors.slice(0, 10))).toEqual(all.slice(0, 10));
  });

  it('are used where an imported output was received', async () => {
    await wallet.accounts.createAddresses(0, 2, '');
    const imported = {
      publicKey: bytes<PublicKey>(1),
      derivationKey: bytes<PublicKey>(2),
      keyImage: bytes<KeyImage>(3),
      outputIndex: 0,
      globalIndex: 0,
      amount: amount(1n),
      rct: true,
      subaddress: { major: 0, minor: 1 },
      spent: true,
      frozen: false,
      requested: false,
    };
    wallet.store.write((w) => w.imported.put(0, [imported], true));
    expect((await wallet.accounts.list(0, [])).map(({ used }) => used)).toEqual([false, true, false]);
    expect((await wallet.accounts.list(0, [1, 2])).map(({ used }) => used)).toEqual([true, false]);
  });

  it('are refused out of range', async () => {
    expect(await faultOf(() => wallet.accounts.list(1, []))).toMatchObject({ kind: 'account_out_of_range' });
    expect(await faultOf(() => wallet.accounts.list(0, [0, 1]))).toMatchObject({
      kind: 'address_out_of_range',
      index: 1,
    });
  });

  it('are the same value until the store changes', async () => {
    wallet.accounts.create('');
    const listed = wallet.accounts.listing(0, []);
    expect(wallet.accounts.listing(0, [])).toBe(listed);
    expect(wallet.accounts.listing(1, [])).not.toBe(listed);
    const again = wallet.accounts.listing(0, []);
    wallet.accounts.setLabel({ major: 0, minor: 0 }, 'new');
    expect(wallet.accounts.listing(0, [])).not.toBe(again);
    expect((await wallet.accounts.list(0, []))[0]?.label).toBe('new');
  });

  it('are read a few at a time, between which other work goes on', async () => {
    await wallet.accounts.createAddresses(0, 999, '');
    const turns = new EventLoopTurns();
    const sizes: number[] = [];
    for await (const page of wallet.accounts.listing(0, []).pages()) sizes.push(page.length);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(128);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(1000);
    expect(turns.stop()).toBeGreaterThanOrEqual(sizes.length - 1);
  });

  it('are read from any page on', async () => {
    await wallet.accounts.createAddresses(0, 299, '');
    const minors = Array.from({ length: 300 }, (_, i) => 299 - i);
    for (const listed of [[], minors]) {
      const pagesFrom = (skipped?: number) => collected(wallet.accounts.listing(0, listed).pages(skipped));
      const pages = await pagesFrom();
      expect(pages.length).toBeGreaterThan(2);
      for (let skipped = 0; skipped <= pages.length; skipped++)
        expect(await pagesFrom(skipped)).toEqual(pages.slice(skipped));
    }
  });

  it('are refused in a wallet that is closed while they are read', async () => {
    await wallet.accounts.createAddresses(0, 200, '');
    const listing = wallet.accounts.list(0, []);
    wallet.close();
    expect(await faultOf(() => listing)).toEqual({ kind: 'no_wallet' });
  });
});
