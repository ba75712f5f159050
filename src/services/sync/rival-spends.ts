import type { Hash } from '../../monero/crypto/types.js';
import type { WalletReader } from '../../store/wallet-reader.js';
import { isUnknownSpend } from '../../store/tables/output-row.js';
import { equalBytes } from '../../util/bytes.js';
import type { MadePayment } from '../../monero/wallet/model/made-payment.js';
import type { OwnedOutput } from '../../monero/wallet/model/records.js';

/** Spend of an output by another transaction than a given one. */
export interface RivalSpend {
  readonly txHash: Hash;
  /** Absent for an unmined transaction. */
  readonly height?: number;
}

/** Finds the inputs of a transaction among the outputs that the wallet has now, by their keys or key images. */
export const inputsOf = (
  r: Pick<WalletReader, 'outputs'>,
  { inputKeys, keyImages }: Pick<MadePayment, 'inputKeys' | 'keyImages'>,
): OwnedOutput[] =>
  inputKeys.length > 0
    ? inputKeys.flatMap((publicKey) => r.outputs.byPublicKey(publicKey) ?? [])
    : keyImages.flatMap((keyImage) => r.outputs.byKeyImage(keyImage) ?? []);

/**
 * Finds the transactions that spend or reserve inputs of a transaction in its place. A spend by an unknown transaction
 * proves nothing: it may be this one.
 * @param txHash of the transaction; undefined while it is not signed.
 */
export const rivalSpends = (inputs: readonly OwnedOutput[], txHash: Hash | undefined): RivalSpend[] =>
  inputs.flatMap(({ spentBy, spentHeight }) => {
    if (spentBy === undefined || isUnknownSpend(spentBy)) return [];
    if (txHash !== undefined && equalBytes(spentBy, txHash)) return [];
    return [{ txHash: spentBy, ...(spentHeight === undefined ? {} : { height: spentHeight }) }];
  });
