import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, test } from '@jest/globals';
import { createWallet } from '../support/wallets/create-wallet.js';
import type { Loose } from '../support/network/json-rpc.js';
import type { Monerod } from '../support/processes/monerod.js';
import { startRegtestDaemon } from '../support/processes/regtest-daemon.js';
import { startReference, startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';
import { itAtNight, someRows } from '../support/jest/lanes.js';

/*
 * First heights of wallets: a payment after the creation of a wallet, or after its restore height, is never lost,
 * whatever the daemon claimed and wherever a reorganisation mines it.
 */

const XMR = 1_000_000_000_000;
const STRANGER =
  '44Kbx4sJ7JDRDV5aAhLJzQCjDz2ViLRduE3ijDZu3osWKBjMGkV1XPk4pfDUMqt1Aiezvephdqm6YD19GKFD9ZcXVUTp6BW';

let daemon: Monerod;
let payer: WalletRpc;
let shop: WalletRpc;
let theirs: WalletRpc;
let files = 0;

beforeAll(async () => {
  daemon = await startRegtestDaemon(['--misbehave=none']);
  const options = { daemon: daemon.address };
  [payer, shop, theirs] = await Promise.all([
    startWalletRpc(options),
    startWalletRpc(options),
    startReference(options),
  ]);
  await createWallet(payer);
  const { address } = await payer.rpc('get_address');
  await daemon.generate(address, 90);
  await daemon.generate(STRANGER, 100);
  await payer.rpc('refresh');
});

afterAll(async () => {
  await Promise.all([payer?.stop(), shop?.stop(), theirs?.stop()]);
  await daemon?.stop();
});

const claim = (faults: string): Promise<Loose> => daemon.plain('/misbehave', { what: faults });
beforeEach(() => claim(''));

/** Number of blocks, whatever the daemon claims. */
const blocks = async (): Promise<number> =>
  ((await daemon.rpc('get_last_block_header')) as { block_header: { height: number } }).block_header.height +
  1;
const height = async (): Promise<number> => (await shop.rpc('get_height')).height as number;
const balance = async (): Promise<number> => (await shop.rpc('get_balance')).balance as number;
const pay = async (address: string): Promise<void> => {
  await payer.rpc('refresh');
  await payer.rpc('transfer', { destinations: [{ address, amount: XMR }] });
};

interface Keys {
  readonly seed: string;
  readonly address: string;
  readonly viewkey: string;
}

/** Keys of a wallet that no other test uses. */
async function newKeys(): Promise<Keys> {
  await createWallet(shop);
  const key = async (type: string): Promise<string> =>
    (await shop.rpc('query_key', { key_type: type })).key as string;
  const [seed, viewkey] = [await key('mnemonic'), await key('view_key')];
  return { seed, viewkey, address: (await shop.rpc('get_address')).address as string };
}

/** Ways to make a wallet of keys, from a height; each has a file of its own. */
const WAYS: readonly [string, (keys: Keys, restore_height: number) => Promise<Loose & { info: string }>][] = [
  [
    'restore_deterministic_wallet',
    async ({ seed }, restore_height) => {
      const request = { filename: `w${++files}`, password: '', seed, restore_height };
      return (await shop.rpc('restore_deterministic_wallet', request)) as Loose & { info: string };
    },
  ],
  [
    'generate_from_keys, view-only',
    async ({ address, viewkey }, restore_height) => {
      const request = { filename: `w${++files}`, password: '', address, viewkey, restore_height };
      return (await shop.rpc('generate_from_keys', request)) as Loose & { info: string };
    },
  ],
];

describe('a payment that a reorganisation mines below the height at which a wallet was made', () => {
  test.each(someRows(WAYS))('is found by a wallet of %s, also after a rescan', async (_, make) => {
    const keys = await newKeys();
    const destinations = [{ address: keys.address, amount: XMR }];
    await payer.rpc('refresh');
    const prepared = await payer.rpc('transfer', { destinations, do_not_relay: true, get_tx_metadata: true });
    // Its ring members are then so old that it can be mined below the restore height too.
    await daemon.generate(STRANGER, 80);
    const made = await blocks();
    await make(keys, made);
    await payer.rpc('relay_tx', { hex: prepared.tx_metadata });
    await daemon.generate(STRANGER, 2);
    await shop.rpc('refresh');
    expect(await balance()).toBe(XMR);
    await daemon.popBlocks(20);
    await daemon.generate(STRANGER, 30);
    await shop.rpc('refresh');
    const [payment] = (await shop.rpc('get_transfers', { in: true })).in as Loose[];
    expect(payment).toMatchObject({ amount: XMR, type: 'in', height: made - 18 });
    for (const hard of [false, true]) {
      expect([await balance(), await height()]).toEqual([XMR, await blocks()]);
      await shop.rpc('rescan_blockchain', { hard });
    }
    expect([await balance(), await height()]).toEqual([XMR, await blocks()]);
  });
});

describe('a daemon that overstates its height while a wallet is created', () => {
  test.each(someRows([1_000_000, 40]))('by %i blocks loses none of its payments', async (more) => {
    await claim(`wrong-height=${more}`);
    await createWallet(shop, `overstated-${more}`);
    await claim('');
    const { address } = await shop.rpc('get_address');
    await pay(address);
    await daemon.generate(STRANGER, 1);
    await shop.rpc('refresh');
    expect([await balance(), await height()]).toEqual([XMR, await blocks()]);
    await daemon.generate(STRANGER, more === 40 ? 100 : 5);
    await shop.rpc('refresh');
    await shop.rpc('rescan_blockchain');
    expect([await balance(), await height()]).toEqual([XMR, await blocks()]);
  });

  it('and goes on to do so loses none of them either', async () => {
    await claim('wrong-height=1000000');
    await createWallet(shop, 'always-overstated');
    await pay((await shop.rpc('get_address')).address);
    await daemon.generate(STRANGER, 3);
    await shop.rpc('refresh');
    expect([await balance(), await height()]).toEqual([XMR, await blocks()]);
  });
});

describe.each(someRows(WAYS))('a wallet of %s', (_, make) => {
  itAtNight('from above the tip is scanned from 60 blocks below it, as its answer explains', async () => {
    const tip = await blocks();
    const keys = await newKeys();
    const { info } = await make(keys, tip + 500);
    expect(info).toMatch(
      new RegExp(
        ` The restore height ${tip + 500} lies above the newest block \\(the chain has ${tip} blocks\\): `,
      ),
    );
    expect(info).toMatch(new RegExp(`the wallet is scanned from height ${tip - 60}\\.$`));
    await pay(keys.address);
    await daemon.generate(STRANGER, 1);
    await shop.rpc('refresh');
    expect([await balance(), await height()]).toEqual([XMR, tip + 1]);
    await shop.rpc('rescan_blockchain');
    expect(await balance()).toBe(XMR);

    // The reference scans from the height in the keys file.
    const file = `w${files}`;
    copyFileSync(join(shop.walletDir, `${file}.keys`), join(theirs.walletDir, `${file}.keys`));
    await theirs.rpc('open_wallet', { filename: file, password: '' });
    await theirs.rpc('refresh');
    expect((await theirs.rpc('get_balance')).balance).toBe(XMR);
  });
});

itAtNight('a refresh with a start height above the tip skips no block', async () => {
  await createWallet(shop, 'started');
  await shop.rpc('refresh');
  await shop.rpc('auto_refresh', { enable: false });
  await pay((await shop.rpc('get_address')).address);
  await daemon.generate(STRANGER, 2);
  await shop.rpc('refresh', { start_height: 1_000_000 });
  expect([await balance(), await height()]).toEqual([XMR, await blocks()]);
});
