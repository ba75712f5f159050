import { keyDerivation } from '../crypto/derivation.js';
import type { KeyDerivation, PublicKey, SecretKey } from '../crypto/types.js';
import { additionalPublicKeys, paymentIdOf, parseExtra, txPublicKeys } from '../cryptonote/extra.js';
import { cryptPaymentId } from '../cryptonote/payment-id.js';
import type { Transaction } from '../cryptonote/types.js';
import { ZERO, type Amount } from '../util/amount.js';
import { keyImagesOf } from '../wallet/pending-tx.js';
import type { FoundOutput, ReceivingKeys } from '../wallet/receive.js';
import type { OwnedOutput, ReceivedTx } from '../wallet/records.js';
import type { ChainTx, TxsOfBlock } from './chain-block.js';

/** What a block tells of a transaction that pays us. */
export function receivedTx(tx: ChainTx, block: TxsOfBlock, keys: ReceivingKeys): ReceivedTx {
  const { fields } = parseExtra(tx.tx.prefix.extra);
  return {
    txHash: tx.hash,
    height: block.height,
    timestamp: block.timestamp,
    unlockTime: tx.tx.prefix.unlockTime,
    fee: feeOf(tx.tx),
    coinbase: tx.coinbase,
    ...paymentIdIn(tx.tx, keys.viewSecret),
    txPublicKey: txPublicKeys(fields)[0] ?? (new Uint8Array(32) as PublicKey),
    additionalPublicKeys: additionalPublicKeys(fields),
    ...(keys.spendSecret === undefined ? { spentKeyImages: keyImagesOf(tx.tx) } : {}),
  };
}

/** The payment id that a payer attached, decrypted. Long ones are obsolete and not read. */
export function paymentIdIn(tx: Transaction, viewSecret: SecretKey): { readonly paymentId?: Uint8Array } {
  const { fields } = parseExtra(tx.prefix.extra);
  const id = paymentIdOf(fields);
  const key = txPublicKeys(fields)[0];
  if (id?.kind !== 'short' || key === undefined) return {};
  const derivation = tryKeyDerivation(key, viewSecret);
  return derivation === undefined ? {} : { paymentId: cryptPaymentId(id.id, derivation) };
}

function tryKeyDerivation(key: PublicKey, viewSecret: SecretKey): KeyDerivation | undefined {
  try {
    return keyDerivation(key, viewSecret);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

export const feeOf = (tx: Transaction): Amount => tx.rct?.base.fee ?? ZERO;

/** An output of ours where the chain has it. @param change it came back to the account that paid. */
export function place(found: FoundOutput, tx: ChainTx, block: TxsOfBlock, change: boolean): OwnedOutput {
  return {
    ...found,
    txHash: tx.hash,
    globalIndex: tx.globalIndices[found.outputIndex] ?? 0,
    rct: tx.tx.prefix.version === 2,
    height: block.height,
    unlockTime: tx.tx.prefix.unlockTime,
    coinbase: tx.coinbase,
    change,
    burnt: false,
    frozen: false,
  };
}
