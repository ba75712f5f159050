import { encode } from '../../util/codec.js';
import { unsignedTxSet, type UnsignedTxSet } from '../../wallet/exchange/cold-tx-sets.js';
import type { ConstructionData } from '../../wallet/exchange/construction-data.js';
import type { WalletContext } from '../context/wallet-context.js';
import type { OutputTransfer } from './output-transfer.js';

/** Encrypts unsigned transactions for the wallet with the spend key, with the outputs that it needs to sign them. */
export function sealUnsigned(
  { exports, exportFormat }: Pick<WalletContext, 'exports' | 'exportFormat'>,
  outputTransfer: Pick<OutputTransfer, 'forSigner'>,
  txs: readonly ConstructionData[],
): Promise<Uint8Array> {
  const set: UnsignedTxSet = { txs, outputs: outputTransfer.forSigner() };
  return exports.seal('unsignedTxs', encode(unsignedTxSet(exportFormat), set));
}
