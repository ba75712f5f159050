import type { SubaddressIndex } from '../../../src/monero/cryptonote/types.js';
import { commit } from '../../../src/monero/ringct/commitment.js';
import type { UnsignedTx } from '../../../src/monero/wallet/build/construction.js';
import { ownOutputsIn } from '../../../src/monero/wallet/scan/block-scan.js';
import type { Holder } from '../../monero/wallet/fixtures.js';

/** Amounts and addresses that a holder finds in a transaction with its own keys. */
export function received(
  who: Holder,
  unsigned: UnsignedTx,
): { amount: bigint; subaddress: SubaddressIndex }[] {
  const tx = {
    prefix: unsigned.prefix,
    rct: {
      base: {
        type: 6 as const,
        fee: unsigned.fee,
        pseudoOuts: [],
        ecdhInfo: unsigned.outputs.map(({ encryptedAmount }) => ({ amount: encryptedAmount })),
        outPk: unsigned.outputs.map((output) => commit(output.amount, output.mask)),
      },
    },
  };
  return ownOutputsIn(tx, who, who.table).map(({ amount, subaddress }) => ({ amount, subaddress }));
}
