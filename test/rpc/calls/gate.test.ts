import { describe, expect, it, test } from '@jest/globals';
import { passGate, passRestriction } from '../../../src/rpc/calls/gate.js';
import type { Conditions } from '../../../src/rpc/method.js';
import type { WalletManager } from '../../../src/services/manager/wallet-manager.js';
import type { WalletScope } from '../../../src/services/manager/wallet-scope.js';
import type { OpenWallet } from '../../../src/services/open-wallet.js';
import { WalletError } from '../../../src/model/wallet-error.js';

const walletOf = (name: string): OpenWallet => ({ name, keys: {}, keystore: {} }) as unknown as OpenWallet;

/** A scope whose wallet a test changes. */
class Scope {
  wallet: OpenWallet | undefined = walletOf('first');
  looked = 0;

  find(): OpenWallet | undefined {
    this.looked += 1;
    return this.wallet;
  }

  require(wallet: OpenWallet | undefined): OpenWallet {
    if (wallet !== undefined) return wallet;
    const { name } = this as { readonly name?: string };
    throw new WalletError(name === undefined ? { kind: 'no_wallet' } : { kind: 'wallet_not_open', name });
  }
}

const server = { settings: { restricted: false } } as unknown as WalletManager;
const pass = (scope: Scope, needs: Conditions['needs'], account?: Conditions['account']) =>
  passGate(
    { family: 'view', needs, restricted: false, ...(account && { account }) },
    server,
    scope as unknown as WalletScope,
    '1.3',
    {
      credential: undefined,
      methods: () => [],
      spender: undefined,
      client: { credential: undefined, address: undefined },
    },
  );

describe('the gate', () => {
  it.each(['wallet', 'nothing'] as const)(
    'binds a request to one wallet, once (a method needs: %s)',
    (needs) => {
      const scope = new Scope();
      const context = pass(scope, needs);
      scope.wallet = walletOf('second');
      expect([context.wallet.name, context.wallet.name, scope.looked]).toEqual(['first', 'first', 1]);
      scope.wallet = undefined;
      expect(context.wallet.name).toBe('first');
    },
  );

  it('refuses a method that needs a wallet where none is open', () => {
    const scope = new Scope();
    scope.wallet = undefined;
    expect(() => pass(scope, 'wallet')).toThrow(expect.objectContaining({ fault: { kind: 'no_wallet' } }));
  });

  it('names the wallet of the path where that is not open', () => {
    const scope = Object.assign(new Scope(), { name: 'shop', wallet: undefined });
    const refusal = expect.objectContaining({ fault: { kind: 'wallet_not_open', name: 'shop' } });
    expect(() => pass(scope, 'wallet')).toThrow(refusal);
    expect(() => pass(scope, 'nothing').wallet).toThrow(refusal);
  });

  it('lets other methods pass without a wallet, and refuses only their use of one', () => {
    const scope = new Scope();
    scope.wallet = undefined;
    const context = pass(scope, 'nothing');
    scope.wallet = walletOf('opened later');
    expect(() => context.wallet).toThrow(expect.objectContaining({ fault: { kind: 'no_wallet' } }));
  });
});

describe('the account of a wallet', () => {
  const fault = (kind: string): unknown => expect.objectContaining({ fault: { kind } });
  const passOf = (tier: string | undefined, account: Conditions['account']): (() => unknown) => {
    const scope = new Scope();
    const keys = tier === undefined ? {} : { carrot: { tier } };
    scope.wallet = { name: 'w', keys, keystore: {} } as unknown as OpenWallet;
    return () => pass(scope, 'wallet', account);
  };

  test.each([
    [undefined, undefined],
    [undefined, 'any'],
    [undefined, 'legacy'],
    ['master', undefined],
    ['view-received', undefined],
    ['generate-address', 'any'],
  ] as const)('may be of the tier %s where a method works with: %s', (tier, account) => {
    expect(passOf(tier, account)).not.toThrow();
  });

  it.each(['master', 'view-balance', 'view-received', 'generate-address'])(
    'of the tier %s is refused where a method needs the old keys',
    (tier) => {
      expect(passOf(tier, 'legacy')).toThrow(fault('legacy_account_needed') as Error);
    },
  );

  it('that makes addresses alone is refused where a method needs payments', () => {
    expect(passOf('generate-address', undefined)).toThrow(fault('sees_no_payments') as Error);
  });
});

describe('restricted mode', () => {
  const restricted = { settings: { restricted: true } } as unknown as WalletManager;

  it('refuses the methods that it does not serve', () => {
    const denied = { code: -7, message: 'Command unavailable in restricted mode.' };
    expect(() => passRestriction({ family: 'view', needs: 'nothing', restricted: true }, restricted)).toThrow(
      expect.objectContaining(denied),
    );
  });

  it('serves the others, and a server outside of it serves all', () => {
    expect(() =>
      passRestriction({ family: 'view', needs: 'nothing', restricted: false }, restricted),
    ).not.toThrow();
    expect(() =>
      passRestriction({ family: 'view', needs: 'nothing', restricted: true }, server),
    ).not.toThrow();
  });
});
