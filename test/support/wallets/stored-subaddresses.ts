import type { PackedSubaddresses } from '../../../src/monero/wallet/scan/packed-subaddresses.js';
import type { SubaddressReader } from '../../../src/store/tables/accounts.js';
import { joinBytes } from '../../../src/util/bytes.js';

/** Reads all subaddresses of a store, the lookahead included, as a scanner does. Some may be there twice. */
export function storedSubaddresses(
  reader: Pick<SubaddressReader, 'packedParts' | 'packedAfter'>,
): PackedSubaddresses {
  const parts = [reader.packedParts()];
  for (let after: Uint8Array | undefined = new Uint8Array(0); after !== undefined;) {
    const { packed, last }: ReturnType<SubaddressReader['packedAfter']> = reader.packedAfter(after);
    parts.push(packed);
    after = last;
  }
  return joinBytes(parts);
}
