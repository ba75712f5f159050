import { afterEach, beforeEach, describe, expect, it, test } from '@jest/globals';
import { WalletScope } from '../../../src/services/manager/wallet-scope.js';
import type { Holder, OpenWallets } from '../../../src/services/manager/open-wallets.js';
import { Openings } from '../../../src/services/manager/openings.js';
import type { NewWallet } from '../../../src/services/manager/wallet-opener.js';
import type { WalletPaths } from '../../../src/services/context/wallet-directory.js';
import type { OpenWallet } from '../../../src/services/open-wallet.js';
import { encodeMnemonic } from '../../../src/monero/cryptonote/mnemonic.js';
import { requireLanguage } from '../../../src/services/manager/wallet-restore.js';
import { WalletError } from '../../../src/model/wallet-error.js';
import { toHex } from '../../../src/util/bytes.js';
import { seededRng } from '../../support/fakes/seeded-rng.js';
import { fault } from '../../support/wallets/service-wallet.js';
import { WalletServer } from '../../support/processes/wallet-server.js';
import { holder } from '../../monero/wallet/fixtures.js';

const owner = holder(seededRng('wallet scope'));
const CURRENT = { name: 'current' } as OpenWallet;
const NAMED = { name: 'w' } as OpenWallet;

let server: WalletServer;
let calls: unknown[];
let isOpen: boolean;

/** Open wallets that record their calls: one is current, and one is open under its own path. */
const wallets = {
  get current() {
    return isOpen ? CURRENT : undefined;
  },
  openings: new Openings(),
  findByPath: ({ name }: WalletPaths) => (isOpen && name === 'w' ? NAMED : undefined),
  open: ({ name }: WalletPaths, password: string, by: Holder) => {
    calls.push(['open', name, password, by]);
    return Promise.resolve(NAMED);
  },
  create: ({ paths }: NewWallet, by: Holder) => {
    calls.push(['create', paths?.name, by]);
    return Promise.resolve({ accounts: { address: () => 'address' } } as unknown as OpenWallet);
  },
  release: (wallet: OpenWallet, by: Holder) => {
    calls.push(['release', wallet.name, by]);
    return Promise.resolve();
  },
  setPeriod: (wallet: OpenWallet | undefined, by: Holder, seconds: number | undefined) => {
    calls.push(['period', wallet?.name, by, seconds]);
  },
} as unknown as OpenWallets;

const scope = (name?: string): WalletScope => {
  const { settings, daemon } = server;
  return new WalletScope({ settings, daemon, wallets, otherTips: () => [] }, name);
};

beforeEach(() => {
  server = new WalletServer();
  calls = [];
  isOpen = true;
});

afterEach(() => server.close());

const notOpen = (name: string): unknown => fault({ kind: 'wallet_not_open', name });

/** Every way to make or open a wallet of a scope under a file name. */
const ways: [string, string, (of: WalletScope, filename: string) => Promise<unknown>][] = [
  ['opening', 'open', (of, filename) => of.openWallet({ filename, password: 'p' })],
  ['creating', 'create', (of, filename) => of.createWallet({ filename, password: 'p', language: 'English' })],
  [
    'restoring',
    'create',
    (of, filename) =>
      of.restoreWallet({
        ...{ filename, password: 'p', restoreHeight: 0, language: '', seedOffset: '' },
        seed: encodeMnemonic(owner.spendSecret, requireLanguage('English')),
      }),
  ],
  [
    'generating',
    'create',
    (of, filename) =>
      of.generateFromKeys({
        ...{ filename, password: 'p', restoreHeight: 0, language: '' },
        keys: { address: '', viewKey: '', spendKey: toHex(owner.spendSecret) },
      }),
  ],
];

describe('the scope of the current wallet', () => {
  it('finds the wallet that is current at the moment', () => {
    expect(scope().find()).toBe(CURRENT);
    isOpen = false;
    expect(scope().find()).toBeUndefined();
  });

  test.each(ways)('allows %s under any name, as the current wallet', async (_, kind, run) => {
    await run(scope(), 'any');
    expect(calls).toEqual([kind === 'open' ? ['open', 'any', 'p', 'current'] : ['create', 'any', 'current']]);
  });

  test.each(ways)('takes the name of a keys file for that of its wallet in %s', async (_, kind, run) => {
    await run(scope(), 'any.keys');
    await run(scope('w'), 'w.keys');
    expect(calls.map((call) => (call as unknown[]).slice(0, 2))).toEqual([
      [kind, 'any'],
      [kind, 'w'],
    ]);
  });

  it('creates a wallet in memory under an empty name, and opens none under it', async () => {
    await scope().createWallet({ filename: '', password: '', language: 'English' });
    expect(calls).toEqual([['create', undefined, 'current']]);
    await expect(scope().openWallet({ filename: '', password: '' })).rejects.toMatchObject({
      fault: { kind: 'bad_wallet_name' },
    });
  });

  it('releases the wallet of the request, and sets the period also while none is open', async () => {
    await scope().closeWallet(CURRENT);
    isOpen = false;
    scope().setAutoRefresh(30);
    expect(calls).toEqual([
      ['release', 'current', 'current'],
      ['period', undefined, 'current', 30],
    ]);
  });
});

describe('the scope of a named wallet', () => {
  it('finds that wallet and no other', () => {
    expect(scope('w').find()).toBe(NAMED);
    expect(scope('v').find()).toBeUndefined();
    expect(() => scope('../w').find()).toThrow(
      expect.objectContaining({ fault: expect.objectContaining({ kind: 'bad_wallet_name' }) }),
    );
  });

  describe.each(ways)('%s', (_, kind, run) => {
    test.each(['', 'w'])('takes its own name where the request gives %j', async (filename) => {
      await run(scope('w'), filename);
      expect(calls).toEqual([kind === 'open' ? ['open', 'w', 'p', 'path'] : ['create', 'w', 'path']]);
    });

    it('is refused under the name of another wallet', async () => {
      const refused = Promise.resolve().then(() => run(scope('w'), 'v'));
      await expect(refused).rejects.toMatchObject({ fault: { kind: 'bad_wallet_name', name: 'v' } });
      expect(calls).toEqual([]);
    });
  });

  it('has a period only while it is open', async () => {
    scope('w').setAutoRefresh(undefined);
    await scope('w').closeWallet(NAMED);
    expect(calls).toEqual([
      ['period', 'w', 'path', undefined],
      ['release', 'w', 'path'],
    ]);
    isOpen = false;
    expect(() => scope('w').setAutoRefresh(5)).toThrow(notOpen('w'));
  });
});

test('a server without a wallet directory has no named wallets', async () => {
  const { directory, ...settings } = server.settings;
  expect(directory?.path).toBe(server.path);
  const bare = new WalletScope({ settings, daemon: server.daemon, wallets, otherTips: () => [] }, 'w');
  expect(() => bare.find()).toThrow(fault({ kind: 'no_wallet_dir' }));
  await expect(bare.openWallet({ filename: '', password: '' })).rejects.toMatchObject(
    fault({ kind: 'no_wallet_dir' }),
  );
});

describe('a wallet by its name', () => {
  it('is the current one or one open under its own path, for requests without a path name', () => {
    expect(scope().wallet('current')).toBe(CURRENT);
    expect(scope().wallet('w')).toBe(NAMED);
    expect(() => scope().wallet('other')).toThrow(notOpen('other'));
  });

  it('is that of the path only, for requests with a path name', () => {
    expect(scope('w').wallet('w')).toBe(NAMED);
    expect(() => scope('w').wallet('current')).toThrow(WalletError);
  });

  it('is missing while it is closed', () => {
    isOpen = false;
    for (const name of ['current', 'w']) expect(() => scope().wallet(name)).toThrow(notOpen(name));
  });
});
