import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, test } from '@jest/globals';
import { publicKeyOf } from '../../../src/monero/crypto/derivation.js';
import { formatAddress } from '../../../src/monero/cryptonote/address.js';
import { encodeMnemonic } from '../../../src/monero/cryptonote/mnemonic.js';
import { birthdayOf, birthdayTime } from '../../../src/monero/cryptonote/polyseed.js';
import { loadPolyseed } from '../../../src/monero/cryptonote/polyseed-storage.js';
import type { DaemonBlockHeader, DaemonInfo } from '../../../src/daemon/daemon.js';
import { DaemonError } from '../../../src/daemon/errors.js';
import { NewHeights } from '../../../src/services/manager/new-heights.js';
import type { Holder, OpenWallets } from '../../../src/services/manager/open-wallets.js';
import { randomSpendSecret, WalletCreation } from '../../../src/services/manager/wallet-creation.js';
import type { NewWallet } from '../../../src/services/manager/wallet-opener.js';
import { requireLanguage } from '../../../src/services/manager/wallet-restore.js';
import type { OpenWallet } from '../../../src/services/open-wallet.js';
import { fromHex, toHex } from '../../../src/util/bytes.js';
import { multisigSeed } from '../../../src/monero/wallet/multisig/seed.js';
import { SEED, spendOf, WORDS } from '../../support/wallets/polyseed-wallets.js';
import { seededRng } from '../../support/fakes/seeded-rng.js';
import { fault } from '../../support/wallets/service-wallet.js';
import { WalletServer } from '../../support/processes/wallet-server.js';
import { holder } from '../../monero/wallet/fixtures.js';
import { groupOf, randomSigners } from '../../monero/wallet/multisig/groups.js';

const rng = seededRng('wallet creation');
const owner = holder(rng);
const english = requireLanguage('English');
const ADDRESS = formatAddress(owner.address());

let server: WalletServer;
/** Wallets that were asked to be opened, with their holders. */
let created: [NewWallet, Holder][];
/** Lookaheads that were derived. */
let ahead: number;
let watching: () => Promise<void>;

beforeEach(() => {
  server = new WalletServer({}, '127.0.0.1:18081');
  server.answers = {
    getInfo: () => Promise.resolve({ height: 123, synchronized: true } as DaemonInfo),
    getLastBlockHeader: () => Promise.resolve({ height: 122, timestamp: 0 } as DaemonBlockHeader),
  };
  created = [];
  ahead = 0;
  watching = () => Promise.resolve();
});

afterEach(() => server.close());

const wallets = {
  create: (wallet: NewWallet, by: Holder) => {
    created.push([wallet, by]);
    return Promise.resolve({
      name: wallet.paths?.name ?? '',
      isViewOnly: wallet.keys.spendSecret === undefined,
      accounts: {
        address: () => formatAddress({ network: 'mainnet', kind: 'standard', ...wallet.keys }),
      },
      sync: {
        watched: {
          derive: () => {
            ahead += 1;
            return watching();
          },
        },
      },
    } as unknown as OpenWallet);
  },
} as unknown as OpenWallets;

const heightsOf = ({ daemon, settings }: WalletServer): NewHeights =>
  new NewHeights(daemon, () => [], settings.log);
const creation = (of = server): WalletCreation =>
  new WalletCreation(of.settings, of.daemon, wallets, 'current', heightsOf(of));
const request = { filename: 'w', password: 'p', language: 'English' };

describe('a wallet of random keys', () => {
  it('is scanned from 60 blocks below the tip of the daemon, and its lookahead is derived before it is given out', async () => {
    await creation().create(request);
    expect(created).toMatchObject([
      [{ paths: server.paths('w'), password: 'p', restoreHeight: 63 }, 'current'],
    ]);
    const { keys, language } = created[0]?.[0] ?? {};
    expect(keys?.spendSecret && publicKeyOf(keys.spendSecret)).toEqual(keys?.spendPublicKey);
    expect([language, ahead]).toEqual([english, 1]);
  });

  it('has other keys each time', async () => {
    await creation().create(request);
    await creation().create({ ...request, filename: 'v' });
    const [a, b] = created.map(([{ keys }]) => toHex(keys.spendPublicKey));
    expect(a).not.toBe(b);
  });

  it('has a seed that wallets which compare prefixes read too', () => {
    const path = new URL('../../../../test/vectors/cryptonote/mnemonics.json', import.meta.url);
    const { misread } = JSON.parse(readFileSync(path, 'utf8')) as { misread: { seed: string }[] };
    const next = 'ab'.repeat(31).padEnd(64, '0');
    const draws = [misread[0]?.seed ?? '', next];
    // A scalar is reduced from 64 bytes.
    const secret = randomSpendSecret(
      () => fromHex((draws.shift() ?? '').padEnd(128, '0')),
      requireLanguage('French'),
    );
    expect(toHex(secret)).toBe(next);
  });

  it('has no height to begin with where the daemon gives none', async () => {
    server.answers = { getInfo: () => Promise.reject(new DaemonError('timeout', 'no answer')) };
    await creation().create(request);
    expect(created).toMatchObject([[{ restoreHeight: undefined }, 'current']]);
  });

  it('of a server that is offline has no height, and its lookahead waits for a refresh', async () => {
    const offline = new WalletServer();
    await creation(offline).create({ ...request, filename: '' });
    expect(created).toMatchObject([[{ restoreHeight: undefined, paths: undefined }, 'current']]);
    expect(ahead).toBe(0);
    await offline.close();
  });

  it('is created also where its lookahead cannot be derived, which is logged', async () => {
    watching = () => Promise.reject(new Error('no memory'));
    await creation().create(request);
    expect(created).toHaveLength(1);
    expect(server.lines).toContainEqual(expect.objectContaining({ level: 40, name: 'w' }));
  });

  test.each<[string, object, object]>([
    ['of an unknown language', { language: 'Klingon' }, { kind: 'unknown_language', language: 'Klingon' }],
    ['under a bad name', { filename: '../w' }, { kind: 'bad_wallet_name' }],
    ['under a name that ends with white space', { filename: 'w\u00a0' }, { kind: 'bad_wallet_name' }],
    ['under the name of a file beside wallets', { filename: 'w.lock' }, { kind: 'bad_wallet_name' }],
  ])('%s is refused', async (_, changes, expected) => {
    await expect(creation().create({ ...request, ...changes })).rejects.toMatchObject({ fault: expected });
    expect(created).toEqual([]);
  });

  it('is refused on a server without a wallet directory, in memory too', async () => {
    const { directory, ...settings } = server.settings;
    const bare = new WalletCreation(settings, server.daemon, wallets, 'current', heightsOf(server));
    expect(directory?.path).toBe(server.path);
    for (const filename of ['w', ''])
      await expect(bare.create({ ...request, filename })).rejects.toMatchObject(
        fault({ kind: 'no_wallet_dir' }),
      );
  });
});

describe('a restored wallet', () => {
  const words = encodeMnemonic(owner.spendSecret, english);
  const restored = { ...request, seed: words, restoreHeight: 5, seedOffset: '' };

  it('is answered with its address and its words', async () => {
    const { address, seed, deprecated } = await creation().restore(restored);
    expect([seed, deprecated]).toEqual([words, false]);
    // The view key follows from the spend key.
    expect(address.slice(0, 40)).toBe(ADDRESS.slice(0, 40));
    expect(created).toMatchObject([
      [{ restoreHeight: 5, password: 'p', paths: server.paths('w') }, 'current'],
    ]);
  });

  it('is scanned from a lower height than one above the tip, of which its caller learns', async () => {
    const lowered = { asked: 5000, blocks: 123, from: 63 };
    const high = { ...restored, restoreHeight: 5000 };
    expect(await creation().restore(high)).toMatchObject({ lowered });
    const keys = { address: ADDRESS, viewKey: toHex(owner.viewSecret), spendKey: '' };
    const view = { ...high, language: '', keys };
    expect(await creation().generateFromKeys(view)).toMatchObject({ lowered, viewOnly: true });
    const [account] = groupOf(randomSigners(2, rng), 2, rng);
    if (account === undefined) throw new Error('a group');
    const group = { ...high, seed: multisigSeed(account) };
    expect(await creation().restoreMultisig(group)).toMatchObject({ lowered });
    expect(created.map(([{ restoreHeight }]) => restoreHeight)).toEqual([63, 63, 63]);
  });

  it('of a group is answered with the address of the group', async () => {
    const [account] = groupOf(randomSigners(2, rng), 2, rng);
    if (account === undefined) throw new Error('a group');
    const { spendPublicKey, commonSecret } = account;
    const { address } = await creation().restoreMultisig({ ...restored, seed: multisigSeed(account) });
    const viewPublicKey = publicKeyOf(commonSecret);
    expect(address).toBe(
      formatAddress({ network: 'mainnet', kind: 'standard', spendPublicKey, viewPublicKey }),
    );
  });

  it('is refused for a file that is there before its words are read', async () => {
    writeFileSync(join(server.path, 'w.keys'), '');
    const taken = fault({ kind: 'keys_file_exists', name: 'w' });
    await expect(creation().restore({ ...restored, seed: 'nonsense' })).rejects.toMatchObject(taken);
    await expect(creation().restoreMultisig({ ...restored, seed: 'nonsense' })).rejects.toMatchObject(taken);
    await expect(
      creation().generateFromKeys({ ...restored, keys: { address: '', viewKey: '', spendKey: '' } }),
    ).rejects.toMatchObject(taken);
    expect(created).toEqual([]);
  });

  it('is refused for bad words', async () => {
    await expect(creation().restore({ ...restored, seed: 'a b c' })).rejects.toMatchObject({
      fault: { kind: 'bad_seed' },
    });
  });
});

describe('a wallet of given keys', () => {
  const generating = (keys: { viewKey?: string; spendKey?: string; address?: string }, language = '') =>
    creation().generateFromKeys({
      ...{ ...request, language, restoreHeight: 5 },
      keys: { address: ADDRESS, viewKey: toHex(owner.viewSecret), spendKey: '', ...keys },
    });

  it('without a spend key is view-only', async () => {
    expect(await generating({})).toEqual({ address: ADDRESS, viewOnly: true });
    expect(created).toMatchObject([[{ language: undefined, restoreHeight: 5 }, 'current']]);
  });

  it('with all keys can spend, and notes the language down that was given', async () => {
    expect(await generating({ spendKey: toHex(owner.spendSecret) }, 'English')).toEqual({
      address: ADDRESS,
      viewOnly: false,
    });
    expect(created[0]?.[0].language).toBe(english);
  });

  it('is refused for keys that do not belong together, and for an unknown language', async () => {
    const other = holder(rng);
    await expect(generating({ viewKey: toHex(other.viewSecret) })).rejects.toMatchObject({
      fault: { kind: 'invalid', text: 'view secret key does not match main address' },
    });
    await expect(generating({}, 'Klingon')).rejects.toMatchObject({ fault: { kind: 'unknown_language' } });
    expect(created).toEqual([]);
  });
});

describe('a wallet with a Polyseed', () => {
  it('of random keys has the keys of the seed that it keeps, whose birthday is this month', async () => {
    await creation().create({ ...request, language: 'Korean', polyseed: true });
    const [wallet] = created[0] ?? [];
    const { keys, polyseed, language, restoreHeight } = wallet ?? {};
    const seed = loadPolyseed(polyseed ?? new Uint8Array());
    expect(keys?.spendSecret).toEqual(spendOf(seed));
    expect(seed.birthday).toBe(birthdayOf(Date.now() / 1000));
    expect([language?.name, restoreHeight]).toEqual(['한국어', 63]);
    expect(wallet).not.toHaveProperty('createdAt');
  });

  it.each(['', 'Deutsch', 'Klingon'])('is not made in the language %j', async (language) => {
    await expect(creation().create({ ...request, language, polyseed: true })).rejects.toMatchObject(
      fault({ kind: 'unknown_language', language }),
    );
  });

  const restore = (restoreHeight: number, of = server) =>
    creation(of).restore({
      ...{ filename: '', password: 'p', seed: WORDS, restoreHeight, language: '', seedOffset: '' },
    });

  it('is scanned from its birthday where no height is given, and else from that height', async () => {
    const birthday = birthdayTime(SEED);
    server.answers = {
      getInfo: () => Promise.resolve({ height: 3000, synchronized: true } as DaemonInfo),
      getLastBlockHeader: () => Promise.resolve({ height: 2999 } as DaemonBlockHeader),
      // A block every two minutes, of which the block of height 1000 begins the month.
      getBlockHeader: (height: number) =>
        Promise.resolve({ height, timestamp: birthday + 120 * (height - 1000) } as DaemonBlockHeader),
    };
    await restore(0);
    await restore(77);
    expect(created.map(([{ restoreHeight }]) => restoreHeight)).toEqual([1000 - 86_400 / 120, 77]);
    expect(created.map(([{ createdAt, hasHistory }]) => [createdAt, hasHistory])).toEqual([
      [birthday, true],
      [birthday, true],
    ]);
  });

  it('waits for a daemon that knows the height of its birthday', async () => {
    const offline = new WalletServer();
    await restore(0, offline);
    expect(created).toMatchObject([[{ restoreHeight: undefined, createdAt: birthdayTime(SEED) }, 'current']]);
    await offline.close();
  });
});
