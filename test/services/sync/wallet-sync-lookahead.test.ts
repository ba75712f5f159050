import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { faultOf, TestWallet } from '../../support/wallets/test-wallet.js';

let wallet: TestWallet;
beforeEach(() => {
  wallet = new TestWallet();
});
afterEach(() => wallet.close());

describe('the lookahead', () => {
  it('is kept, and the store holds every address up to it when this ends', async () => {
    await wallet.accounts.createAddresses(0, 2, '');
    await wallet.sync.setLookahead({ major: 3, minor: 4 });
    expect(wallet.keystore.lookahead).toEqual({ major: 3, minor: 4 });
    expect(wallet.refresher.callsOf('lookAhead')).toEqual([
      [{ major: 3, minor: 4 }, [{ major: 0, minor: 2 }]],
    ]);
  });

  it.each([
    ['no account', { major: 0, minor: 1 }],
    ['no address', { major: 1, minor: 0 }],
    ['more addresses than are watched at most', { major: 1000, minor: 500 }],
    ['more than that in one account', { major: 1, minor: 500_000 }],
  ])('is refused for %s, and stays as it was', async (_, lookahead) => {
    expect(await faultOf(() => wallet.sync.setLookahead(lookahead))).toMatchObject({ kind: 'invalid' });
    expect([wallet.keystore.lookahead, wallet.refresher.calls]).toEqual([{ major: 50, minor: 200 }, []]);
  });
});
