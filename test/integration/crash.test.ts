import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fromHex } from '../../src/util/bytes.js';
import { createWallet } from '../support/wallets/create-wallet.js';
import type { Loose } from '../support/network/json-rpc.js';
import { startDaemonProxy, type DaemonProxy } from '../support/network/daemon-proxy.js';
import { startMonerod, type Monerod } from '../support/processes/monerod.js';
import { until } from '../support/fakes/until.js';
import { startWalletProcess, type WalletRpc } from '../support/processes/wallet-rpc.js';
import { describeAtNight, itAtNight } from '../support/jest/lanes.js';

let daemon: Monerod;
let proxy: DaemonProxy;
let wallet: WalletRpc;
const open = { filename: 'w', password: 'secret-password-1' };

const restart = async (): Promise<void> => {
  const { walletDir } = wallet;
  await wallet.stop({ signal: 'SIGKILL', keep: true });
  wallet = await startWalletProcess({ daemon: proxy.address, walletDir });
  await wallet.rpc('open_wallet', open);
};

beforeAll(async () => {
  daemon = await startMonerod();
  proxy = await startDaemonProxy(daemon.address);
  wallet = await startWalletProcess({ daemon: proxy.address });
  await createWallet(wallet, open.filename, open.password);
  await daemon.generate((await wallet.rpc('get_address')).address, 75);
  await wallet.rpc('refresh');
});

afterAll(async () => {
  await wallet?.stop({ keep: false });
  await proxy?.stop();
  await daemon?.stop();
});

describe('kill -9', () => {
  it('loses no acknowledged change', async () => {
    const { address } = await wallet.rpc('create_address', { label: 'before the crash' });
    await wallet.rpc('create_account', { label: 'second account' });
    await restart();
    const { addresses } = await wallet.rpc('get_address');
    expect(addresses).toContainEqual(expect.objectContaining({ address, label: 'before the crash' }));
    expect((await wallet.rpc('get_accounts')).subaddress_accounts).toHaveLength(2);
  });

  itAtNight('during a refresh leaves a wallet that opens and continues', async () => {
    const before = await wallet.rpc('get_balance');
    await wallet.rpc('auto_refresh', { enable: false });
    await daemon.generate((await wallet.rpc('get_address')).address, 100);
    const sent = new Promise<void>((resolve) => {
      proxy.hold = async (path) => void (path.includes('getblocks') && resolve());
    });
    void wallet.call('refresh').catch(() => undefined);
    await sent;
    await restart();
    proxy.hold = () => Promise.resolve();
    await wallet.rpc('refresh');
    expect((await wallet.rpc('get_height')).height).toBe((await daemon.rpc('get_info')).height);
    const mined = (await wallet.rpc('get_transfers', { in: true })).in as Loose[];
    expect(mined).toHaveLength(175);
    expect((await wallet.rpc('get_balance')).balance).toBeGreaterThan(before.balance);
  });

  itAtNight('between creating and relaying a payment leaves it known and relayed once', async () => {
    const { address } = await wallet.rpc('get_address', { account_index: 1 });
    const before = await wallet.rpc('get_balance', { all_accounts: true });
    const height = (await wallet.rpc('get_height')).height - 1;
    // Killed when it submits the payment, before the daemon receives it.
    proxy.decide = (path) => {
      if (path !== '/sendrawtransaction') return 'forward';
      wallet.process.child.kill('SIGKILL');
      return 'drop';
    };
    await wallet
      .call('transfer', { destinations: [{ amount: 7_000_000_000_000, address }] })
      .catch(() => undefined);
    expect(await wallet.process.exited).toBeNull();
    expect((await daemon.plain('/get_transaction_pool')).transactions).toBeUndefined();
    proxy.decide = () => 'forward';

    wallet = await startWalletProcess({ daemon: proxy.address, walletDir: wallet.walletDir });
    await wallet.rpc('open_wallet', open);
    const pending = await until('the payment', async () => {
      const found = (await wallet.rpc('get_transfers', { pending: true })).pending as Loose[] | undefined;
      return found?.[0] as Loose;
    });
    expect(pending).toMatchObject({ amount: 7_000_000_000_000 });
    await until('the relay', async () => {
      await wallet.rpc('refresh');
      const { transactions } = await daemon.plain('/get_transaction_pool');
      return transactions?.length === 1 && transactions[0].id_hash === pending.txid ? true : undefined;
    });
    const { address: primary } = await wallet.rpc('get_address');
    await daemon.generate(primary, 11);
    await wallet.rpc('refresh');
    expect((await wallet.rpc('get_transfer_by_txid', { txid: pending.txid })).transfer).toMatchObject({
      type: 'out',
    });
    expect((await wallet.rpc('get_transfers', { pending: true, failed: true })).pending).toBeUndefined();
    const after = await wallet.rpc('get_balance', { all_accounts: true });
    const { in: incoming } = await wallet.rpc('get_transfers', {
      in: true,
      filter_by_height: true,
      min_height: height,
    });
    const reward = (incoming as Loose[]).reduce((total, { amount }) => total + amount, 0);
    expect(after.balance).toBe(before.balance - pending.fee + reward);
  });
});

describeAtNight('a lost answer of the daemon', () => {
  it('leaves a payment that is created once and mined once', async () => {
    const { address } = await wallet.rpc('get_address', { account_index: 1 });
    proxy.decide = (path) => (path === '/sendrawtransaction' ? 'forward-and-drop-the-answer' : 'forward');
    const paid = await wallet.rpc('transfer', { destinations: [{ amount: 3_000_000_000_000, address }] });
    proxy.decide = () => 'forward';
    expect((await wallet.rpc('get_transfers', { pending: true })).pending).toEqual([
      expect.objectContaining({ txid: paid.tx_hash }),
    ]);
    await wallet.rpc('refresh');
    expect((await daemon.plain('/get_transaction_pool')).transactions).toHaveLength(1);
    await daemon.generate((await wallet.rpc('get_address')).address, 1);
    await wallet.rpc('refresh');
    expect((await wallet.rpc('get_transfer_by_txid', { txid: paid.tx_hash })).transfer).toMatchObject({
      type: 'out',
      confirmations: 1,
    });
  });

  it('does not matter once the daemon is back: the wallet syncs again', async () => {
    proxy.decide = () => 'drop';
    const { error } = await wallet.call('refresh');
    expect(error?.code).toBe(-38);
    expect((await wallet.rpc('get_balance')).balance).toBeGreaterThan(0);
    proxy.decide = () => 'forward';
    await daemon.generate((await wallet.rpc('get_address')).address, 1);
    await wallet.rpc('refresh');
    expect((await wallet.rpc('get_height')).height).toBe((await daemon.rpc('get_info')).height);
  });
});

describe('the files of a wallet', () => {
  it('contain no key, address, label or amount as plaintext', async () => {
    const keys = await Promise.all(
      ['view_key', 'spend_key'].map((key_type) => wallet.rpc('query_key', { key_type })),
    );
    const { key: mnemonic } = await wallet.rpc('query_key', { key_type: 'mnemonic' });
    const { address } = await wallet.rpc('get_address');
    const [mined] = (await wallet.rpc('get_transfers', { in: true })).in as Loose[];
    const amount = Buffer.alloc(8);
    amount.writeBigUInt64LE(BigInt(mined.amount));
    const needles: readonly Buffer[] = [
      ...keys.map(({ key }) => Buffer.from(fromHex(key as string))),
      ...keys.map(({ key }) => Buffer.from(key as string)),
      Buffer.from((mnemonic as string).split(' ').slice(0, 3).join(' ')),
      Buffer.from(address as string),
      Buffer.from('before the crash'),
      Buffer.from('second account'),
      Buffer.from(fromHex(mined.txid as string)),
      amount,
      Buffer.from(amount).reverse(),
      Buffer.from('SQLite format'),
      Buffer.from('owned_output'),
      Buffer.from(open.password),
    ];
    const files = readdirSync(wallet.walletDir);
    expect(files).toEqual(expect.arrayContaining(['w', 'w.keys', 'w-wal']));
    for (const file of files.filter((name) => !name.includes('.lock'))) {
      const bytes = readFileSync(join(wallet.walletDir, file));
      expect(
        needles
          .filter((needle) => bytes.includes(needle))
          .map((needle) => `${file}: ${needle.toString('hex')}`),
      ).toEqual([]);
    }
  });

  itAtNight('are locked for another process', async () => {
    const other = await startWalletProcess({ walletDir: wallet.walletDir });
    try {
      const { error } = await other.call('open_wallet', open);
      expect(error).toMatchObject({
        ...{ code: -1, message: 'Failed to open wallet' },
        data: { explanation: expect.stringContaining('open in another process') },
      });
    } finally {
      await other.stop({ keep: true });
    }
  });
});
