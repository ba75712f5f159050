import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { OpenWallet } from '../../../src/services/open-wallet.js';
import { seededRng } from '../../support/fakes/seeded-rng.js';
import { groupKeys } from '../../support/wallets/service-wallet.js';
import { randomKeys, WalletServer } from '../../support/processes/wallet-server.js';
import { groupOf, randomSigners } from '../../monero/wallet/multisig/groups.js';

const rng = seededRng('wallets in memory');

let server: WalletServer;
let opened: OpenWallet[];

beforeEach(() => {
  server = new WalletServer();
  opened = [];
});

afterEach(async () => {
  for (const wallet of opened) await wallet.close();
  await server.close();
});

describe('a wallet in memory', () => {
  const create = async (changes: Parameters<WalletServer['newWallet']>[1]): Promise<OpenWallet> => {
    const wallet = await server.opener.create(server.newWallet(undefined, changes));
    opened.push(wallet);
    return wallet;
  };

  it('writes no file, has no lock, and its restore height is that of the request', async () => {
    const files = server.files();
    const wallet = await create({ restoreHeight: undefined });
    expect([wallet.name, wallet.paths, wallet.store.isInMemory]).toEqual(['', undefined, true]);
    expect(wallet.store.read((r) => r.meta.get('restore_height'))).toBeUndefined();
    expect(server.files()).toEqual(files);
  });

  it('without a spend key is view-only', async () => {
    const { spendSecret, ...keys } = randomKeys();
    const wallet = await create({ keys });
    expect([spendSecret?.length, wallet.isViewOnly, wallet.keys.spendSecret]).toEqual([32, true, undefined]);
  });

  it('of a group has a signing key in place of a spend key, and is allowed to be multisig', async () => {
    const [account] = groupOf(randomSigners(2, rng), 2, rng);
    if (account === undefined) throw new Error('a group');
    const { multisig, spendPublicKey, viewPublicKey, viewSecret, spendSecret } = groupKeys(account).keysFile;
    if (multisig === undefined || spendSecret === undefined) throw new Error('a group');
    const wallet = await create({
      keys: { spendPublicKey, viewPublicKey, viewSecret, spendSecret },
      multisig,
    });
    expect(wallet.keys.spendSecret).toBeUndefined();
    expect(wallet.multisigSetup.status()).toMatchObject({ ready: true, threshold: 2, total: 2 });
    expect(wallet.keystore.multisigEnabled).toBe(true);
  });
});
