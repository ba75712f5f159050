import type { SubaddressIndex } from '../../cryptonote/types.js';
import type { ScannerState } from '../../refresh/scanner-state.js';
import { ZERO } from '../../util/amount.js';
import { joinBytes } from '../../util/bytes.js';
import { yieldToEventLoop } from '../../util/yield-to-event-loop.js';
import { MAX_REORGANISATION, type OwnedOutput } from '../../wallet/model/records.js';
import type { OutputWithoutKeyImage } from '../../wallet/scan/ambiguous-spends.js';
import type { PackedSubaddresses } from '../../wallet/scan/packed-subaddresses.js';
import type { WalletContext } from '../context/wallet-context.js';

type Context = Pick<WalletContext, 'store' | 'keystore'>;

/**
 * Reads the state that a scanner starts with: secret keys, watched addresses, and outputs whose spends are recognised.
 * @param subaddresses from {@link watchedSubaddresses}; absent: all are read now.
 */
export function scannerStateOf(
  { store, keystore }: Context,
  subaddresses?: PackedSubaddresses,
): ScannerState {
  const { viewSecret, spendSecret, spendPublicKey } = keystore.keys;
  const known = store.read((r) => ({
    subaddresses: subaddresses ?? r.subaddresses.packed(),
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

/**
 * Reads all watched addresses as of one moment, and yields to the event loop between parts. A scanner derives those that
 * are created meanwhile.
 * @throws WalletError `no_wallet` if the wallet is closed meanwhile.
 */
export async function watchedSubaddresses({
  store,
  assertOpen,
}: Pick<WalletContext, 'assertOpen' | 'store'>): Promise<PackedSubaddresses> {
  if (store.isInMemory) return store.read((r) => r.subaddresses.packed());
  const snapshot = store.snapshot();
  try {
    const parts: PackedSubaddresses[] = [];
    for (let after: Uint8Array | undefined = new Uint8Array(0); after !== undefined;) {
      const from: Uint8Array = after;
      const { packed, last } = snapshot.read((r) => r.subaddresses.packedAfter(from));
      parts.push(packed);
      after = last;
      if (last === undefined) break;
      await yieldToEventLoop();
      assertOpen();
    }
    return joinBytes([snapshot.read((r) => r.subaddresses.packedParts()), ...parts]);
  } finally {
    snapshot.release();
  }
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
