import { keyDerivation } from '../crypto/derivation.js';
import type { Hash, KeyDerivation, PublicKey, SecretKey } from '../crypto/types.js';
import { additionalPublicKeys, paymentIdOf, parseExtra, txPublicKeys } from '../cryptonote/extra.js';
import { cryptPaymentId } from '../cryptonote/payment-id.js';
import { unprunedSize } from '../cryptonote/transaction.js';
import type { Transaction } from '../cryptonote/types.js';
import type { TxOutlines } from '../daemon/tx-outlines.js';
import { equalBytes } from '../util/bytes.js';
import { ZERO, type Amount } from '../util/amount.js';
import { keyImagesOf } from '../wallet/exchange/pending-tx.js';
import type { FoundOutput, ReceivingKeys } from '../wallet/scan/receive.js';
import type { OwnedOutput, ReceivedTx } from '../wallet/model/records.js';
import type { TxsOfBlock } from './chain-block.js';
import type { OutputMatch } from './output-matches.js';

/** A transaction that concerns a wallet, and what of it the kernel found. */
export interface BuiltTx {
  /** Its memory is its own, not the page's. */
  readonly hash: Hash;
  readonly tx: Transaction;
  /** What it stands among, and its place there. */
  readonly outlines: TxOutlines;
  readonly at: number;
  readonly matches: readonly OutputMatch[];
}

/** What a block tells of a transaction that pays us. */
export function receivedTx(built: BuiltTx, block: TxsOfBlock, keys: ReceivingKeys): ReceivedTx {
  const { tx } = built;
  const { fields } = parseExtra(tx.prefix.extra);
  return {
    txHash: built.hash,
    height: block.height,
    timestamp: block.timestamp,
    unlockTime: tx.prefix.unlockTime,
    fee: feeOf(tx),
    coinbase: built.outlines.isReward(built.at),
    size: unprunedSize(tx, built.outlines.blob(built.at).length),
    ...paymentIdIn(built, keys.viewSecret),
    txPublicKey: txPublicKeys(fields)[0] ?? (new Uint8Array(32) as PublicKey),
    additionalPublicKeys: additionalPublicKeys(fields),
    ...(keys.spendSecret === undefined ? { spentKeyImages: keyImagesOf(tx) } : {}),
  };
}

/** The payment id that a payer attached, decrypted. Long ones are obsolete and not read. */
export function paymentIdIn(
  { tx, matches }: BuiltTx,
  viewSecret: SecretKey,
): { readonly paymentId?: Uint8Array } {
  const { fields } = parseExtra(tx.prefix.extra);
  const id = paymentIdOf(fields);
  const key = txPublicKeys(fields)[0];
  if (id?.kind !== 'short' || key === undefined) return {};
  const derivation =
    matches.find((match) => equalBytes(match.key, key))?.derivation ?? tryKeyDerivation(key, viewSecret);
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
export function place(found: FoundOutput, built: BuiltTx, block: TxsOfBlock, change: boolean): OwnedOutput {
  const { tx } = built;
  return {
    ...found,
    txHash: built.hash,
    globalIndex: built.outlines.globalIndex(built.at, found.outputIndex),
    rct: built.outlines.version(built.at) === 2,
    height: block.height,
    unlockTime: tx.prefix.unlockTime,
    coinbase: built.outlines.isReward(built.at),
    change,
    burnt: false,
    frozen: false,
  };
}
