import type { SubaddressIndex } from '../../cryptonote/types.js';
import type { ScannerState } from '../../refresh/scanner-state.js';
import { ZERO } from '../../util/amount.js';
import { MAX_REORGANISATION, type OwnedOutput } from '../../wallet/model/records.js';
import type { OutputWithoutKeyImage } from '../../wallet/scan/ambiguous-spends.js';
import type { WalletContext } from '../context/wallet-context.js';

type Context = Pick<WalletContext, 'store' | 'keystore'>;

/** Reads the state that a scanner starts with: secret keys, watched addresses, and outputs whose spends are recognised. */
export function scannerStateOf({ store, keystore }: Context): ScannerState {
  const { viewSecret, spendSecret, spendPublicKey } = keystore.keys;
  const known = store.read((r) => ({
    subaddresses: r.subaddresses.packed(),
    withKeyImage: r.watch.withKeyImage(store.height() - MAX_REORGANISATION),
    withoutKeyImage: r.watch.withoutKeyImage(),
    reused: {
      withKeyImage: r.watch.burntWithKeyImage(),
      withoutKeyImage: r.watch.burntWithoutKeyImage(),
    },
    importedKeyImages: r.importedKeyImages.list(),
    ...withoutKeyImage(keystore, r.outputs.withoutKeyImage()),
  }));
  store.releasePages();
  return {
    keys: {
      viewSecret: viewSecret.expose(),
      ...(spendSecret === undefined ? {} : { spendSecret: spendSecret.expose() }),
    },
    spendPublicKey,
    lookahead: keystore.lookahead,
    handedOut: lastCreatedAddresses(store),
    ...known,
  };
}

/** Index of the last created address of each account. */
export const lastCreatedAddresses = (store: Context['store']): SubaddressIndex[] =>
  store.read((r) => r.accounts.list()).map(({ major, addressCount }) => ({ major, minor: addressCount - 1 }));

/**
 * Outputs without a key image, whose spends are recorded as ambiguous. With them, the pool is read for multisig wallets
 * only, not during background sync.
 */
function withoutKeyImage(
  { background, keys }: Context['keystore'],
  outputs: readonly OwnedOutput[],
): Pick<ScannerState, 'blind' | 'seesPool'> {
  if (background !== undefined) return { blind: outputs.map(toBlindOutput) };
  return keys.multisig === undefined ? {} : { blind: outputs.map(toBlindOutput), seesPool: true };
}

/** Reference to an output as in rings: by amount, 0 for RingCT, and global index. */
const toBlindOutput = ({ rct, amount: value, globalIndex, height }: OwnedOutput): OutputWithoutKeyImage => ({
  amount: rct ? ZERO : value,
  globalIndex,
  height,
});
