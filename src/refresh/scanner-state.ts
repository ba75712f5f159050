import type { PublicKey } from '../crypto/types.js';
import type { SubaddressIndex } from '../cryptonote/types.js';
import type { OutputWithoutKeyImage } from '../wallet/scan/ambiguous-spends.js';
import type { ReceivingKeys } from '../wallet/scan/receive.js';
import type { Lookahead, PackedSubaddresses } from '../wallet/scan/subaddress-table.js';
import type { NamedKey } from './watch-list.js';

/** What a wallet's scanner starts from; crosses to the refresh thread as it is. */
export interface ScannerState {
  readonly keys: ReceivingKeys;
  readonly spendPublicKey: PublicKey;
  readonly lookahead: Lookahead;
  readonly subaddresses: PackedSubaddresses;
  /** The last address handed out, an account. */
  readonly handedOut: readonly SubaddressIndex[];
  /** Outputs to look out for by their key images, as a `WatchTable` packs them. */
  readonly watched: Uint8Array;
  /** While the spend key is put away, or shared with others: outputs whose spends are to be told later. */
  readonly blind?: readonly OutputWithoutKeyImage[];
  /** Blind to some outputs only: the pool is worth a look. */
  readonly seesPool?: true;
  /** Without a spend key: outputs whose key images are not known, by output key, packed as well. */
  readonly unnamed: Uint8Array;
  /** Burnt outputs on the keys of `watched` and of `unnamed`, packed as they are; a key may be in them several times. */
  readonly reused?: { readonly watched: Uint8Array; readonly unnamed: Uint8Array };
  /** Without a spend key: key images that its holder told. */
  readonly told: readonly NamedKey[];
}
