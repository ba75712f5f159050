import { beforeEach, describe, expect, it } from '@jest/globals';
import { WalletError } from '../../../src/model/wallet-error.js';
import type { RequestView } from '../../../src/services/requests/request-views.js';
import { toHex } from '../../../src/util/bytes.js';
import { TokenLookup, type PayWallet } from '../../../src/watch/pay/token-lookup.js';
import { NOW, requestView } from './fixtures.js';

const TOKEN = new Uint8Array(16).fill(0xab);
const TEXT = toHex(TOKEN);

/** Tokens that each wallet was asked for. */
let asked: [name: string, token: string][];

/** Wallet whose requests are found by their tokens; an error is thrown. */
const wallet = (name: string, found: (token: string) => RequestView | undefined): PayWallet => ({
  name,
  paymentRequests: {
    byToken(token) {
      asked.push([name, toHex(token)]);
      return found(toHex(token));
    },
  },
  eventLog: { lastId: 0, after: () => [] },
});

const empty = (name: string): PayWallet => wallet(name, () => undefined);
const holding = (name: string, view = requestView({ token: TOKEN })): PayWallet =>
  wallet(name, (token) => (token === TEXT ? view : undefined));
const lookupIn = (...wallets: PayWallet[]): TokenLookup =>
  new TokenLookup(
    () => wallets,
    () => new Uint8Array(16).fill(1),
  );

beforeEach(() => {
  asked = [];
});

describe('a search for a token', () => {
  it('finds the request in any open wallet, then without a search', async () => {
    const lookup = lookupIn(empty('a'), holding('b'));
    expect(lookup.known(TEXT)).toBeUndefined();
    expect((await lookup.search(TEXT))?.wallet.name).toBe('b');
    asked = [];
    expect(lookup.known(TEXT)?.wallet.name).toBe('b');
    expect(asked).toEqual([['b', TEXT]]);
  });

  it.each([
    ['unknown', 'f'.repeat(32)],
    ['too short', 'ab'],
    ['too long', `${TEXT}00`],
    ['in capitals', TEXT.toUpperCase()],
    ['no hex', 'x'.repeat(32)],
    ['found', TEXT],
  ])('asks every wallet once when it is %s', async (_, text) => {
    const lookup = lookupIn(holding('a'), empty('b'), empty('c'));
    await lookup.search(text);
    expect(asked.map(([name]) => name)).toEqual(['a', 'b', 'c']);
  });

  it('asks every wallet for a cancelled request each time, and finds none', async () => {
    const lookup = lookupIn(holding('a', requestView({ token: TOKEN, cancelled: NOW })), empty('b'));
    for (let i = 0; i < 2; i++) {
      expect(lookup.known(TEXT)).toBeUndefined();
      expect(await lookup.search(TEXT)).toBeUndefined();
    }
    expect(asked.map(([name]) => name)).toEqual(['a', 'b', 'a', 'b']);
  });

  it('passes over wallets that are closed or damaged', async () => {
    const closed = wallet('a', () => {
      throw new WalletError({ kind: 'no_wallet' });
    });
    expect((await lookupIn(closed, holding('b')).search(TEXT))?.wallet.name).toBe('b');
  });

  it('is refused while sixteen others run', async () => {
    const lookup = lookupIn(...Array.from({ length: 65 }, (_, i) => empty(String(i))));
    const running = Array.from({ length: 16 }, () => lookup.search(TEXT));
    expect(lookup.isBusy).toBe(true);
    await Promise.all(running);
    expect(lookup.isBusy).toBe(false);
  });
});

describe('a kept token', () => {
  it('is known without a search, until its wallet is closed or its request cancelled', () => {
    const wallets = [empty('a'), holding('b')];
    const lookup = lookupIn();
    lookup.keep(TOKEN, 'b');
    const open = new TokenLookup(
      () => wallets,
      () => TOKEN,
    );
    open.keep(TOKEN, 'b');
    expect(open.known(TEXT)?.wallet.name).toBe('b');
    expect(lookup.known(TEXT)).toBeUndefined();
    wallets[1] = holding('b', requestView({ token: TOKEN, cancelled: NOW }));
    expect(open.known(TEXT)).toBeUndefined();
  });
});
