import type { PublicKey } from '../crypto/types.js';
import type { SubaddressIndex } from '../cryptonote/types.js';
import type { OutputWithoutKeyImage } from '../wallet/scan/ambiguous-spends.js';
import type { ReceivingKeys } from '../wallet/scan/receive.js';
import type { PackedSubaddresses } from '../wallet/scan/packed-subaddresses.js';
import type { Lookahead } from '../wallet/scan/subaddress-table.js';
import type { WatchedOutputs } from './watch-list.js';

/** The state from which a wallet's scanner starts; a plain value that crosses to the refresh thread. */
export interface ScannerState extends WatchedOutputs {
  readonly keys: ReceivingKeys;
  readonly spendPublicKey: PublicKey;
  readonly lookahead: Lookahead;
  readonly subaddresses: PackedSubaddresses;
  /** The last used address of each account. */
  readonly handedOut: readonly SubaddressIndex[];
  /** Outputs whose key images are unknown while the spend key is away (background sync) or shared (multisig). */
  readonly blind?: readonly OutputWithoutKeyImage[];
  /** Scan the mempool although some key images are unknown (multisig). */
  readonly seesPool?: true;
}
