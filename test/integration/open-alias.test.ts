import { afterAll, beforeAll, describe, expect, it, test } from '@jest/globals';
import { createWallet } from '../support/wallets/create-wallet.js';
import { startFakeDns, type FakeDns } from '../support/network/fake-dns.js';
import { startMonerod, type Monerod } from '../support/processes/monerod.js';
import { startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';

const TESTNET =
  '9wviCeWe2D8XS82k2ovp5EUYLzBt9pYNW2LXUFsZiv8S3Mt21FZ5qQaAroko1enzw3eGr9qC7X1D7Geoo2RrAotYPwq9Gm8';
const SHOP =
  '44AFFq5kSiGBoZ4NMDwYtN18obc8AemS33DBLWs3H7otXft3XjrpDtQGv7SqSsaBYBb98uNbr2VBBEt7f2wfn3RVGQBEP3A';
const text = (address: string): string => `oa1:xmr recipient_address=${address}; recipient_name=Shop;`;

let dns: FakeDns;
let daemon: Monerod;
let wallet: WalletRpc;

beforeAll(async () => {
  dns = await startFakeDns({
    'shop.example.org': { texts: ['v=spf1 -all', text(SHOP)] },
    'unsigned.example.org': { texts: [text(SHOP)], authenticated: false },
    'nothing.example.org': { texts: ['v=spf1 -all'] },
    'testnet.example.org': { texts: [text(TESTNET)] },
    'bogus.example.org': { rcode: 2, authenticated: false },
  });
  daemon = await startMonerod();
  wallet = await startWalletRpc({ daemon: daemon.address, args: [`--dns-server=127.0.0.1:${dns.port}`] });
  await createWallet(wallet, 'w');
});

afterAll(async () => {
  await wallet?.stop();
  await daemon?.stop();
  await dns?.stop();
});

const REFUSED: [what: string, address: string, why: string][] = [
  ['a name without a DNSSEC signature', 'unsigned@example.org', 'DNSSEC'],
  ['a name without an address', 'nothing@example.org', 'No Monero address'],
  ['a name that does not exist', 'missing@example.org', 'No Monero address'],
  ['a name of an address of another network', 'testnet@example.org', 'network'],
  ['a name that the resolver cannot verify', 'bogus@example.org', 'out of reach'],
  ['a text that is neither', 'shop!example.org', 'neither'],
];

describe('validate_address', () => {
  it('resolves a name where allowed, and reports it as a flag under 1.3', async () => {
    const asked = { address: 'shop@example.org', allow_openalias: true };
    const valid = { valid: true, integrated: false, subaddress: false, nettype: 'mainnet' };
    expect(await wallet.rpc('validate_address', asked)).toEqual({ ...valid, openalias_address: true });
    expect(await wallet.rpc('validate_address', { ...asked, any_net_type: true })).toMatchObject(valid);
    expect((await wallet.rpc('validate_address', { ...asked, allow_openalias: false })).valid).toBe(false);
    const plain = await wallet.rpc('validate_address', { address: SHOP, allow_openalias: true });
    expect(plain).toEqual({ ...valid, openalias_address: false });
  });

  it('accepts an address of another network with any_net_type', async () => {
    const asked = { address: 'testnet@example.org', allow_openalias: true, any_net_type: true };
    expect(await wallet.rpc('validate_address', asked)).toMatchObject({ valid: true, nettype: 'testnet' });
  });

  test.each(REFUSED)('reports %s as invalid', async (_, address) => {
    const { valid } = await wallet.rpc('validate_address', { address, allow_openalias: true });
    expect(valid).toBe(false);
  });

  it('returns the resolved address under 1.32', async () => {
    const latest = await startWalletRpc({
      daemon: daemon.address,
      args: [`--dns-server=127.0.0.1:${dns.port}`, '--api-version=1.32'],
    });
    try {
      const asked = { address: 'shop.example.org', allow_openalias: true, any_net_type: true };
      expect((await latest.rpc('validate_address', asked)).openalias_address).toBe(SHOP);
    } finally {
      await latest.stop();
    }
  });
});

describe('a payment to a name', () => {
  test.each(REFUSED)('is refused for %s', async (_, address, why) => {
    const { error } = await wallet.call('transfer', { destinations: [{ amount: 1, address }] });
    expect(error).toMatchObject({ code: -2, message: expect.stringContaining(why) });
    expect((await wallet.call('add_address_book', { address })).error?.code).toBe(-2);
    expect((await wallet.call('verify', { address })).error?.code).toBe(-2);
  });

  it('makes no DNS query for a mistyped address', async () => {
    const before = dns.asked.length;
    const address = SHOP.replace('4', '5');
    expect((await wallet.call('transfer', { destinations: [{ amount: 1, address }] })).error?.code).toBe(-2);
    expect(dns.asked).toHaveLength(before);
  });

  it('goes to the resolved address, which is recorded', async () => {
    const { address: own } = await wallet.rpc('get_address');
    await daemon.generate(own, 90);
    await wallet.rpc('refresh');
    const { tx_hash: txid } = await wallet.rpc('transfer', {
      destinations: [{ amount: 1_000_000_000, address: 'shop@example.org' }],
    });
    const { transfer } = await wallet.rpc('get_transfer_by_txid', { txid });
    expect(transfer.destinations).toEqual([{ address: SHOP, amount: 1_000_000_000 }]);
  });

  it('verifies signatures of the resolved address', async () => {
    const asked = { data: 'text', address: 'shop@example.org', signature: 'SigV2' };
    expect(await wallet.rpc('verify', asked)).toMatchObject({ good: false });
  });

  it('stores the resolved address in the address book', async () => {
    await wallet.rpc('add_address_book', { address: 'shop@example.org', description: 'shop' });
    await wallet.rpc('add_address_book', { address: SHOP });
    await wallet.rpc('edit_address_book', { index: 1, set_address: true, address: 'shop.example.org' });
    const { entries } = await wallet.rpc('get_address_book');
    expect(entries).toMatchObject([{ address: SHOP, description: 'shop' }, { address: SHOP }]);
  });
});

describe('without DNS', () => {
  test.each([
    ['--no-dns', 'DNS is off'],
    ['--offline', 'DNS is off'],
    ['--dns-server=127.0.0.1:1', 'out of reach'],
  ])('%s says so', async (flag, why) => {
    const without = await startWalletRpc({
      ...(flag === '--offline' ? {} : { daemon: daemon.address }),
      args: flag === '--offline' ? [] : [flag],
    });
    try {
      await createWallet(without);
      const { error } = await without.call('add_address_book', { address: 'shop@example.org' });
      expect(error).toMatchObject({ code: -2, message: expect.stringContaining(why) });
    } finally {
      await without.stop();
    }
  });
});
