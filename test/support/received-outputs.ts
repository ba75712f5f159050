import { keyDerivation } from '../../src/monero/crypto/derivation.js';
import { additionalPublicKeys, parseExtra, txPublicKeys } from '../../src/monero/cryptonote/extra.js';
import type { SubaddressIndex } from '../../src/monero/cryptonote/types.js';
import { commit } from '../../src/monero/ringct/commitment.js';
import type { UnsignedTx } from '../../src/monero/wallet/build/construction.js';
import { receiveOutput } from '../../src/monero/wallet/scan/receive.js';
import type { Holder } from '../monero/wallet/fixtures.js';

/** Amounts and addresses that a holder finds in a transaction with its own keys. */
export function received(
  who: Holder,
  unsigned: UnsignedTx,
): { amount: bigint; subaddress: SubaddressIndex }[] {
  const { fields } = parseExtra(unsigned.prefix.extra);
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
  return unsigned.prefix.outputs.flatMap((_, i) => {
    const own = additionalPublicKeys(fields)[i];
    for (const key of [...txPublicKeys(fields), ...(own === undefined ? [] : [own])]) {
      const found = receiveOutput(who, who.table, tx, i, keyDerivation(key, who.viewSecret), key);
      if (found !== undefined) return [{ amount: found.amount as bigint, subaddress: found.subaddress }];
    }
    return [];
  });
}
