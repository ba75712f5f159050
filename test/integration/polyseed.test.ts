import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, test } from '@jest/globals';
import { encryptPolyseed } from '../../src/monero/cryptonote/polyseed.js';
import { POLYSEED_LANGUAGES } from '../../src/monero/cryptonote/polyseed-languages.js';
import { decodePolyseed } from '../../src/monero/cryptonote/polyseed-words.js';
import type { Loose } from '../support/network/json-rpc.js';
import type { Monerod } from '../support/processes/monerod.js';
import { WORDS, wordsOf } from '../support/wallets/polyseed-wallets.js';
import { startRegtestDaemon } from '../support/processes/regtest-daemon.js';
import { startReference, startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';
import { itAtNight, someRows } from '../support/jest/lanes.js';

/* Polyseeds: two servers with wallet directories of their own, and the reference. */

const PASSWORD = 'pass wörd';
/** Address of {@link WORDS}, as other programs derive it. */
const ADDRESS =
  '47AjPj7DVPQVGGXJXbbTMZWcKQDejGHYZChVkeujy8qPLjKkgdsxge4DzvkRMgU4sDUigGLuBN9stKBMowhuXH2HJHWAuRf';

let daemon: Monerod;
let first: WalletRpc;
let second: WalletRpc;
let theirs: WalletRpc;

beforeAll(async () => {
  daemon = await startRegtestDaemon();
  [first, second, theirs] = await Promise.all([
    startWalletRpc({ daemon: daemon.address }),
    startWalletRpc({ daemon: daemon.address }),
    startReference(),
  ]);
});

afterAll(async () => {
  await Promise.all([first?.stop(), second?.stop(), theirs?.stop()]);
  await daemon?.stop();
});

const keyOf = async (server: WalletRpc, type: string): Promise<string> =>
  (await server.rpc('query_key', { key_type: type })).key as string;
const addressOf = async (server: WalletRpc): Promise<string> =>
  (await server.rpc('get_address')).address as string;

/** Restores a wallet. @returns the answer. */
const restore = (server: WalletRpc, seed: string, changes: object = {}): Promise<Loose> =>
  server.rpc('restore_deterministic_wallet', { seed, password: PASSWORD, ...changes });

describe('a wallet with a Polyseed', () => {
  it('that one server makes is restored by another one, and finds its money', async () => {
    await first.rpc('create_wallet', {
      ...{ filename: 'shop', password: PASSWORD, language: 'English', polyseed: true },
    });
    const seed = await keyOf(first, 'mnemonic');
    expect(seed).toMatch(/^([a-z]+ ){15}[a-z]+$/);
    const address = await addressOf(first);
    await daemon.generate(address, 3);
    await first.rpc('refresh');
    const restored = await restore(second, seed, { filename: 'shop' });
    expect(restored).toMatchObject({ address, was_deprecated: false });
    expect((restored['seed'] as string).split(' ')).toHaveLength(25);
    await second.rpc('refresh');
    const { balance } = await second.rpc('get_balance');
    expect(balance).toBeGreaterThan(0);
    expect((await first.rpc('get_balance')).balance).toBe(balance);
    expect(await keyOf(second, 'spend_key')).toBe(await keyOf(first, 'spend_key'));
    expect(await keyOf(second, 'mnemonic')).toBe(seed);
    // What came before the restore is history there, though the birthday lies before it.
    const { events } = await second.rpc('get_events', { types: ['payment.mined'] });
    const history = (events as Loose[]).map(({ history: isHistory }) => isHistory as unknown);
    expect(history).toEqual([true, true, true]);
  });

  test.each(someRows(POLYSEED_LANGUAGES, 3))(
    'has its words in $englishName, on both servers',
    async ({ name, englishName }) => {
      await first.rpc('create_wallet', { language: englishName, polyseed: true });
      const seed = await keyOf(first, 'mnemonic');
      expect(decodePolyseed(seed).language.name).toBe(name);
      expect((await restore(second, seed))['address']).toBe(await addressOf(first));
      expect(await keyOf(second, 'mnemonic')).toBe(seed);
    },
  );

  it('has the address that other programs derive', async () => {
    expect((await restore(first, WORDS))['address']).toBe(ADDRESS);
    expect(
      (
        await restore(
          first,
          WORDS.split(' ')
            .map((word) => word.slice(0, 4))
            .join(' '),
        )
      )['address'],
    ).toBe(ADDRESS);
  });

  it('keeps its words when it is closed, and under another password', async () => {
    await restore(first, WORDS, { filename: 'kept' });
    await first.rpc('change_wallet_password', { old_password: PASSWORD, new_password: 'other' });
    await first.rpc('close_wallet');
    await first.rpc('open_wallet', { filename: 'kept', password: 'other' });
    expect(await keyOf(first, 'mnemonic')).toBe(WORDS);
  });

  it('is opened by the reference with the same keys, and with 25 words that restore it', async () => {
    await restore(first, WORDS, { filename: 'moved' });
    await first.rpc('close_wallet');
    copyFileSync(join(first.walletDir, 'moved.keys'), join(theirs.walletDir, 'moved.keys'));
    await theirs.rpc('open_wallet', { filename: 'moved', password: PASSWORD });
    expect(await addressOf(theirs)).toBe(ADDRESS);
    const legacy = await keyOf(theirs, 'mnemonic');
    expect(legacy.split(' ')).toHaveLength(25);
    expect(await restore(first, legacy)).toMatchObject({ address: ADDRESS, seed: legacy });
    expect(await restore(first, WORDS)).toMatchObject({ seed: legacy });
    expect(await keyOf(first, 'spend_key')).toBe(await keyOf(theirs, 'spend_key'));
    expect(await keyOf(first, 'view_key')).toBe(await keyOf(theirs, 'view_key'));
  });

  itAtNight('in a language that the reference has no seeds of opens there as well', async () => {
    await first.rpc('create_wallet', {
      ...{ filename: 'korean', password: PASSWORD, language: '한국어', seed_type: 'polyseed' },
    });
    const [address, spendKey] = [await addressOf(first), await keyOf(first, 'spend_key')];
    await first.rpc('close_wallet');
    copyFileSync(join(first.walletDir, 'korean.keys'), join(theirs.walletDir, 'korean.keys'));
    await theirs.rpc('open_wallet', { filename: 'korean', password: PASSWORD });
    expect([await addressOf(theirs), await keyOf(theirs, 'spend_key')]).toEqual([address, spendKey]);
  });

  itAtNight(
    'comes back from the reference as a wallet of 25 words once the reference has written its keys',
    async () => {
      await restore(first, WORDS, { filename: 'back' });
      await first.rpc('close_wallet');
      copyFileSync(join(first.walletDir, 'back.keys'), join(theirs.walletDir, 'back.keys'));
      await theirs.rpc('open_wallet', { filename: 'back', password: PASSWORD });
      await theirs.rpc('change_wallet_password', { old_password: PASSWORD, new_password: 'theirs' });
      const legacy = await keyOf(theirs, 'mnemonic');
      await theirs.rpc('close_wallet');
      copyFileSync(join(theirs.walletDir, 'back.keys'), join(second.walletDir, 'back.keys'));
      await second.rpc('open_wallet', { filename: 'back', password: 'theirs' });
      expect([await addressOf(second), await keyOf(second, 'mnemonic')]).toEqual([ADDRESS, legacy]);
    },
  );
});

describe('a passphrase', () => {
  it('is an offset of a plain Polyseed: the words alone are then not shown, because they restore another wallet', async () => {
    const { address, seed } = await restore(first, WORDS, { seed_offset: 'offset', filename: 'with offset' });
    expect(address).not.toBe(ADDRESS);
    expect(await keyOf(first, 'mnemonic')).toBe(seed);
    expect(await restore(second, seed as string)).toMatchObject({ address });
  });

  it('decrypts an encrypted Polyseed, which needs it and is shown encrypted', async () => {
    const hidden = wordsOf(encryptPolyseed(decodePolyseed(WORDS).seed, 'secret'));
    const { error } = await first.call('restore_deterministic_wallet', { seed: hidden });
    expect(error).toMatchObject({ code: -1, message: 'encrypted polyseed needs a passphrase' });
    expect(await restore(first, hidden, { seed_offset: 'secret' })).toMatchObject({ address: ADDRESS });
    expect(await keyOf(first, 'mnemonic')).toBe(hidden);
  });
});

describe('words that are no Polyseed', () => {
  it.each([
    ['a wrong word', WORDS.replace('tail', 'zoo')],
    ['an unknown word', WORDS.replace('tail', 'xyzzy')],
    ['a word too few', WORDS.replace('tail ', '')],
  ])('are refused as those of other seeds are: %s', async (_, seed) => {
    const { error } = await first.call('restore_deterministic_wallet', { seed });
    expect(error).toMatchObject({ code: -1, message: 'Electrum-style word list failed verification' });
  });

  it('of languages without Polyseeds make no wallet', async () => {
    const { error } = await first.call('create_wallet', { language: 'Deutsch', polyseed: true });
    const both = await first.call('create_wallet', {
      language: 'English',
      polyseed: true,
      seed_type: 'electrum',
    });
    expect(both.error?.code).toBe(-32602);
    expect(error).toMatchObject({ code: -1, message: 'Unknown language: Deutsch' });
  });
});

describe('the languages', () => {
  it('of Polyseeds are listed when they are asked for', async () => {
    const { languages, languages_local: native } = await first.rpc('get_languages', { polyseed: true });
    expect(native).toEqual(POLYSEED_LANGUAGES.map(({ name }) => name));
    // Version 1.3 of the interface lists native names twice.
    expect(languages).toEqual(native);
    expect((await first.rpc('get_languages')).languages_local).toContain('Deutsch');
  });
});

describe('background sync of a wallet with a Polyseed', () => {
  it('hides the words, and stops with them', async () => {
    await restore(first, WORDS, { filename: 'background' });
    await first.rpc('setup_background_sync', {
      ...{ background_sync_type: 'reuse-wallet-password', wallet_password: PASSWORD },
    });
    await first.rpc('start_background_sync');
    expect((await first.call('query_key', { key_type: 'mnemonic' })).error?.code).toBe(-52);
    const wrong = { wallet_password: PASSWORD, seed: WORDS, seed_offset: 'offset' };
    expect((await first.call('stop_background_sync', wrong)).error?.code).toBe(-1);
    await first.rpc('stop_background_sync', { wallet_password: PASSWORD, seed: WORDS });
    expect(await keyOf(first, 'mnemonic')).toBe(WORDS);
    await first.rpc('start_background_sync');
    await first.rpc('stop_background_sync', { wallet_password: PASSWORD });
    expect(await keyOf(first, 'mnemonic')).toBe(WORDS);
  });
});
