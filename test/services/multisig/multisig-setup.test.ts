import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, test } from '@jest/globals';
import { publicKeyOf } from '../../../src/monero/crypto/derivation.js';
import { DaemonError } from '../../../src/daemon/errors.js';
import { backgroundSyncOf, withBackgroundSync } from '../../../src/store/keys/keys-file.js';
import { WalletStore } from '../../../src/store/wallet-store.js';
import { signerOf } from '../../../src/monero/wallet/multisig/account.js';
import { keystoreOf, NOWHERE, PASSWORD } from '../../support/wallets/keystores.js';
import { accountIn, openingMessages, owners, SetupHome } from '../../support/wallets/multisig-setups.js';
import { STORED } from '../../support/wallets/polyseed-wallets.js';
import { Secret } from '../../../src/util/secret.js';
import { fault, groupKeys, ownKeys, type ServiceKeys } from '../../support/wallets/service-wallet.js';
import { output, page, received } from '../../store/fixtures.js';

const [own, , third] = owners;
if (own === undefined || third === undefined) throw new Error('owners');
const OWN = ownKeys(own);
const [, second = '', last = ''] = openingMessages;

describe('the status of a wallet', () => {
  test.each([
    ['of one owner is that of no group', OWN, [false, false, false, 0, 0]],
    ['in the middle of an exchange knows the group', groupKeys(accountIn(0)), [true, false, false, 2, 3]],
    ['with all shares waits for confirmations', groupKeys(accountIn(1)), [true, true, false, 2, 3]],
    ['that all have confirmed is ready', groupKeys(accountIn(2)), [true, true, true, 2, 3]],
  ])('%s', (_, keys, [multisig, exchanged, ready, threshold, total]) => {
    expect(new SetupHome(keys).setup.status()).toEqual({ multisig, exchanged, ready, threshold, total });
  });
});

describe('preparing a wallet', () => {
  it('gives a message of round 1, and allows multisig where that is asked for', async () => {
    const { setup, wallet } = new SetupHome(OWN);
    expect(await setup.prepare(false)).toMatch(/^MultisigxV2R1/);
    expect(wallet.keystore.multisigEnabled).toBe(false);
    await setup.prepare(true);
    expect(wallet.keystore.multisigEnabled).toBe(true);
  });

  test.each([
    ['view-only', ownKeys(own, true), 'view_only'],
    ['multisig', groupKeys(accountIn(0)), 'already_multisig'],
  ])('is refused where it is %s', async (_, keys, kind) => {
    await expect(new SetupHome(keys).setup.prepare(false)).rejects.toMatchObject(fault({ kind }));
  });
});

describe('the first round', () => {
  it('drops the Polyseed of the wallet, from which the keys of the group do not come', async () => {
    const { keys, keysFile } = OWN;
    const seeded = {
      keys: { ...keys, polyseed: new Secret(Uint8Array.from(STORED)) },
      keysFile: { ...keysFile, polyseed: STORED },
    };
    const { setup, given } = new SetupHome(seeded);
    await setup.make(openingMessages, 2, undefined);
    expect(given[0]).not.toHaveProperty('polyseed');
  });

  it('replaces the keys of the wallet by keys of a participant, and turns background sync off', async () => {
    const { keys, keysFile } = OWN;
    const syncing = { keys, keysFile: withBackgroundSync(keysFile, 'reuse-wallet-password') };
    const { setup, given } = new SetupHome(syncing);
    const result = await setup.make(openingMessages, 2, undefined);
    const [file] = given;
    expect(file?.multisig).toMatchObject({ threshold: 2, roundsPassed: 1 });
    expect(file && backgroundSyncOf(file)).toBe('off');
    expect(file?.spendSecret).toEqual(signerOf(own.spendSecret, own.viewSecret).signerSecret);
    expect(file && publicKeyOf(file.viewSecret)).toEqual(file?.viewPublicKey);
    expect(result).toMatchObject({ ready: false, message: expect.stringMatching(/^MultisigxV2Rn/) });
  });

  it('takes the messages with or without the own one', async () => {
    const { setup, given } = new SetupHome(OWN);
    await setup.make([second, last], 2, undefined);
    expect(given[0]?.multisig?.signers).toHaveLength(3);
  });

  test.each<[string, string[], number]>([
    ['a threshold above the number of participants', openingMessages, 4],
    ['a threshold of none', openingMessages, 0],
    ['no other participant', [], 1],
    ['the same participant twice', [second, second], 2],
  ])('is refused for %s, and the keys stay', async (_, texts, threshold) => {
    const { setup, given } = new SetupHome(OWN);
    await expect(setup.make(texts, threshold, undefined)).rejects.toMatchObject({
      fault: { kind: 'multisig_refused' },
    });
    expect(given).toEqual([]);
  });

  it('asks for the password of a wallet file, unless it need not', async () => {
    const keystore = keystoreOf(OWN.keys, { file: OWN.keysFile, paths: NOWHERE });
    const { setup, given } = new SetupHome(OWN, { keystore });
    await expect(setup.make(openingMessages, 2, `${PASSWORD}!`)).rejects.toMatchObject(
      fault({ kind: 'wrong_password' }),
    );
    await setup.make(openingMessages, 2, PASSWORD);
    await setup.make(openingMessages, 2, undefined);
    expect(given).toHaveLength(2);
  });
});

describe('a wallet that becomes multisig', () => {
  let directory: string;
  let store: WalletStore;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'multisig-'));
    store = WalletStore.create(join(directory, 'w'), new Uint8Array(32));
  });

  afterEach(() => {
    store.close();
    rmSync(directory, { recursive: true });
  });

  it('is refreshed first where it has a file; without a daemon its store decides', async () => {
    const { setup, given, wallet } = new SetupHome(OWN, { store });
    wallet.fakeSync.refreshing = () => Promise.reject(new DaemonError('unreachable', 'no connection'));
    await setup.make(openingMessages, 2, undefined);
    expect([given.length, wallet.fakeSync.calls]).toEqual([1, ['refresh']]);
    wallet.fakeSync.refreshing = () => Promise.reject(new Error('a bug'));
    await expect(setup.make(openingMessages, 2, undefined)).rejects.toThrow('a bug');
  });

  it('is refused where the refresh finds that it has received money: only its own keys can spend it', async () => {
    const { setup, given, wallet } = new SetupHome(OWN, { store });
    wallet.fakeSync.refreshing = () => {
      store.write((w) =>
        w.applyPage(page(0, 3, { received: [received(1, 2)], outputs: [output(1, 2, 5n)] })),
      );
      return Promise.resolve();
    };
    await expect(setup.make(openingMessages, 2, undefined)).rejects.toMatchObject({
      fault: { kind: 'multisig_refused' },
    });
    expect(given).toEqual([]);
  });

  it('in memory may have received money: its caller can restore it', async () => {
    const { setup, given, wallet } = new SetupHome(OWN);
    wallet.receive([output(1, 2, 5n)], 3);
    await setup.make(openingMessages, 2, undefined);
    expect([given.length, wallet.fakeSync.calls]).toEqual([1, []]);
  });
});

describe('a booster for another participant', () => {
  it('is a message for the next round, from a wallet that has not begun; its keys stay', async () => {
    const { setup, given } = new SetupHome(ownKeys(third));
    expect(await setup.boost(openingMessages.slice(0, 1), 2, 3, undefined)).toMatch(/^MultisigxV2Rn/);
    expect(given).toEqual([]);
  });

  test.each<[string, ServiceKeys, string[], object]>([
    ['without messages', OWN, [], { kind: 'too_few_signers', needed: 1, given: 0 }],
    ['by a view-only wallet', ownKeys(own, true), [second], { kind: 'view_only' }],
    [
      'for a group of another size than the own one',
      groupKeys(accountIn(0)),
      [second],
      { kind: 'multisig_refused', reason: 'this wallet is 2 of 3, not 3 of 4' },
    ],
  ])('is refused %s', async (_, keys, texts, expected) => {
    const boosted = Promise.resolve().then(() => new SetupHome(keys).setup.boost(texts, 3, 4, undefined));
    await expect(boosted).rejects.toMatchObject({ fault: expected });
  });
});
