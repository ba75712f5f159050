import { writeUnsignedTxSet } from '../../monero/wallet/exchange/cold-tx-sets.js';
import type { ConstructionData } from '../../monero/wallet/exchange/construction-data.js';
import type { WalletContext } from '../context/wallet-context.js';
import type { OutputTransfer } from './output-transfer.js';

/**
 * Encrypts unsigned transactions, with the outputs that the signing wallet needs, for the wallet with the spend key.
 */
export async function sealUnsigned(
  { exports, exportFormat }: Pick<WalletContext, 'exports' | 'exportFormat'>,
  outputTransfer: Pick<OutputTransfer, 'forSigner'>,
  txs: readonly ConstructionData[],
): Promise<Uint8Array> {
  const outputs = await outputTransfer.forSigner();
  return exports.seal('unsignedTxs', writeUnsignedTxSet(exportFormat, txs, outputs));
}
