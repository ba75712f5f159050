import { describe, expect, it } from '@jest/globals';
import { isMultisigImportNeeded } from '../../../src/services/context/keystore.js';
import type { Keystore } from '../../../src/services/context/keystore.js';
import { WalletStore } from '../../../src/store/wallet-store.js';
import type { WalletKeys } from '../../../src/monero/wallet/keys.js';
import { output, page, received, unnamed } from '../../store/fixtures.js';

/** A wallet with an output of known key image in account 0, and one of unknown key image in account 1. */
function contextOf(multisig: WalletKeys['multisig'] | undefined) {
  const store = WalletStore.create(':memory:', new Uint8Array(32));
  const subaddress = { major: 1, minor: 0 };
  store.write((w) =>
    w.applyPage(
      page(0, 3, {
        received: [received(1, 1), received(2, 2)],
        outputs: [output(1, 1, 5n), unnamed(output(2, 2, 7n, { subaddress }))],
      }),
    ),
  );
  return { store, keystore: { keys: { multisig } } as unknown as Keystore };
}

const GROUP = {} as WalletKeys['multisig'];

describe('an import of multisig info', () => {
  it('is needed while an output of the account, or of any, lacks its key image', () => {
    const context = contextOf(GROUP);
    expect([undefined, 0, 1].map((account) => isMultisigImportNeeded(context, account))).toEqual([
      true,
      false,
      true,
    ]);
    context.store.write((w) => w.applyPage(page(2, 1)));
    expect(isMultisigImportNeeded(context)).toBe(false);
    context.store.close();
  });

  it('is never needed in a wallet that is not multisig', () => {
    const context = contextOf(undefined);
    expect(isMultisigImportNeeded(context)).toBe(false);
    context.store.close();
  });
});
