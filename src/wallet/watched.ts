import type { KeyImage, PublicKey } from '../crypto/types.js';
import type { SubaddressIndex } from '../cryptonote/types.js';
import type { Amount } from '../util/amount.js';

/** An output of ours to look out for among the inputs of others' and our transactions. */
export interface WatchedOutput {
  readonly keyImage: KeyImage;
  readonly amount: Amount;
  readonly subaddress: SubaddressIndex;
  readonly height: number;
}

/** An output that cannot be recognised when it is spent. */
export interface UnnamedOutput extends Omit<WatchedOutput, 'keyImage'> {
  readonly publicKey: PublicKey;
}
