import type { Hash } from '../../monero/crypto/types.js';
import { equalBytes } from '../../util/bytes.js';
import type { MadePayment } from '../../model/made-payment.js';
import type { OwnedOutput } from '../../monero/wallet/scan/findings.js';
import { isUnknownSpend } from './output-row.js';
import type { OutputReader } from './outputs.js';

/** Spend of an output by a transaction other than a given one. */
export interface RivalSpend {
  readonly txHash: Hash;
  /** Height of the block with the spending transaction; absent while it is unmined. */
  readonly height?: number;
}

/** Tables in which the inputs of a transaction are looked up. */
export interface InputTables {
  readonly outputs: Pick<OutputReader, 'byPublicKey' | 'byKeyImage'>;
}

/** Finds the inputs of a transaction among the outputs that the wallet has, by output keys or key images. */
export const inputsOf = (
  r: InputTables,
  { inputKeys, keyImages }: Pick<MadePayment, 'inputKeys' | 'keyImages'>,
): OwnedOutput[] =>
  inputKeys.length > 0
    ? inputKeys.flatMap((publicKey) => r.outputs.byPublicKey(publicKey) ?? [])
    : keyImages.flatMap((keyImage) => r.outputs.byKeyImage(keyImage) ?? []);

/**
 * Finds the other transactions that spend or reserve the inputs of a transaction. Leaves out spends by an unknown
 * transaction, which may be the given transaction.
 * @param txHash hash of the given transaction; undefined while it is not signed.
 */
export const rivalSpends = (inputs: readonly OwnedOutput[], txHash: Hash | undefined): RivalSpend[] =>
  inputs.flatMap(({ spentBy, spentHeight }) => {
    if (spentBy === undefined || isUnknownSpend(spentBy)) return [];
    if (txHash !== undefined && equalBytes(spentBy, txHash)) return [];
    return [{ txHash: spentBy, ...(spentHeight === undefined ? {} : { height: spentHeight }) }];
  });
