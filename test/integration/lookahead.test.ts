import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, test } from '@jest/globals';
import { loadKeysFile } from '../../src/store/keys/keys-file-disk.js';
import { lookaheadOf } from '../../src/store/keys/keys-file.js';
import { createWallet } from '../support/wallets/create-wallet.js';
import type { Monerod } from '../support/processes/monerod.js';
import { DEFAULT_LOOKAHEAD_ENV } from '../support/processes/reference-preload.js';
import { startRegtestDaemon } from '../support/processes/regtest-daemon.js';
import { startReference, startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';
import { itAtNight, someRows } from '../support/jest/lanes.js';

const SEED =
  'velvet lymph giddy number token physics poetry unquoted nibs useful sabotage limits benches lifestyle eden nitrogen anvil fewest avoid batch vials washing fences goat unquoted';
/** Subaddress 999 of its main account. Source: monero tests/functional_tests/wallet.py. */
const FAR = '8BQKgTSSqJjP14AKnZUBwnXWj46MuNmLvHfPTpmry52DbfNjjHVvHUk4mczU8nj8yZ57zBhksTJ8kM5xKeJXw55kCMVqyG7';

let daemon: Monerod;
let payee: WalletRpc;
let payer: WalletRpc;

beforeAll(async () => {
  daemon = await startRegtestDaemon();
  [payee, payer] = await Promise.all([
    startWalletRpc({ daemon: daemon.address }),
    startWalletRpc({ daemon: daemon.address }),
  ]);
  await createWallet(payer, 'payer');
  await daemon.generate((await payer.rpc('get_address')).address, 90);
  await payee.rpc('restore_deterministic_wallet', { filename: 'w', password: 'pw', seed: SEED });
  await Promise.all([payer.rpc('refresh'), payee.rpc('refresh')]);
});

afterAll(async () => {
  await Promise.all([payee?.stop(), payer?.stop()]);
  await daemon?.stop();
});

const find = async (address: string): Promise<unknown> => {
  const { result, error } = await payee.call('get_address_index', { address });
  return result?.['index'] ?? error?.code;
};

test.each(
  someRows([
    ['the server', { checked: false }, { major: 50, minor: 200 }],
    ['the server of other tests', {}, { major: 5, minor: 20 }],
    ['it with the usual lookahead', { env: DEFAULT_LOOKAHEAD_ENV }, { major: 50, minor: 200 }],
  ]),
)('new wallets of %s have their lookahead', async (_, options, lookahead) => {
  const server = await startWalletRpc(options);
  await createWallet(server, 'new');
  const file = await loadKeysFile(join(server.walletDir, 'new.keys'), '', 1);
  await server.stop();
  expect(lookaheadOf(file)).toEqual(lookahead);
});

describe('set_subaddress_lookahead', () => {
  test.each([
    ['a wrong password', { password: 'x', major_idx: 50, minor_idx: 1000 }, -22],
    ['no accounts', { password: 'pw', minor_idx: 1000 }, -1],
    ['no addresses', { password: 'pw', major_idx: 50 }, -1],
    ['more than memory holds', { password: 'pw', major_idx: 0xffffffff, minor_idx: 0xffffffff }, -1],
    ['a number beyond 32 bits', { password: 'pw', major_idx: 4294967296, minor_idx: 1 }, -32602],
  ])('with %s is refused', async (_, params, code) => {
    expect((await payee.call('set_subaddress_lookahead', params)).error).toMatchObject({
      code,
      message: expect.stringMatching(/./),
    });
    expect(await find(FAR)).toBe(-2);
  });

  it('takes effect at once', async () => {
    expect(
      await payee.rpc('set_subaddress_lookahead', { password: 'pw', major_idx: 2, minor_idx: 1000 }),
    ).toEqual({});
    expect(await find(FAR)).toEqual({ major: 0, minor: 999 });
  });

  it('makes the wallet find payments to addresses further ahead', async () => {
    await payer.rpc('transfer', { destinations: [{ amount: 454545454545, address: FAR }] });
    await daemon.generate((await payer.rpc('get_address')).address, 1);
    await payee.rpc('refresh');
    expect((await payee.rpc('get_balance')).per_subaddress).toEqual([
      expect.objectContaining({
        address: FAR,
        address_index: 999,
        account_index: 0,
        balance: 454545454545,
        unlocked_balance: 0,
        blocks_to_unlock: 9,
        num_unspent_outputs: 1,
      }),
    ]);
  });

  it('is kept in the keys file, where the reference finds it too', async () => {
    const reference = await startReference();
    try {
      await payee.rpc('close_wallet');
      copyFileSync(join(payee.walletDir, 'w.keys'), join(reference.walletDir, 'w.keys'));
      await payee.rpc('open_wallet', { filename: 'w', password: 'pw' });
      await reference.rpc('open_wallet', { filename: 'w', password: 'pw' });
      const index = (await reference.rpc('get_address_index', { address: FAR })).index as unknown;
      expect(index).toEqual({ major: 0, minor: 999 });
      expect(await find(FAR)).toEqual(index);
    } finally {
      await reference.stop();
    }
  });

  it('may be reduced again, and known addresses stay known', async () => {
    await payee.rpc('set_subaddress_lookahead', { password: 'pw', major_idx: 1, minor_idx: 1 });
    expect(await find(FAR)).toEqual({ major: 0, minor: 999 });
  });

  it('needs no password for a wallet in memory', async () => {
    await createWallet(payee, '', 'pw');
    await payee.rpc('set_subaddress_lookahead', { password: 'x', major_idx: 2, minor_idx: 300 });
  });

  itAtNight('is refused, or finishes, when the wallet is closed meanwhile', async () => {
    const asked = payee.call('set_subaddress_lookahead', { major_idx: 100, minor_idx: 4000 });
    await createWallet(payee);
    const { result, error } = await asked;
    expect(error?.code ?? result).toEqual(error === undefined ? {} : -13);
  });
});
