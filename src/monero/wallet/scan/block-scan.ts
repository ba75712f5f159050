import type { Hash, KeyDerivation, PublicKey, SecretKey } from '../../crypto/types.js';
import { transactionHash } from '../../cryptonote/transaction.js';
import {
  parseExtra,
  paymentIdOf,
  txPublicKeys,
  type ExtraField,
  cryptPaymentId,
} from '../../cryptonote/extra.js';
import type { Block, PaymentId, Transaction, SubaddressIndex } from '../../cryptonote/types.js';
import { equalBytes } from '../../../util/bytes.js';
import { NO_PAYMENT_ID } from '../../carrot/derivations.js';
import { readFetchedTx, wrongTransaction, type FetchedTx } from './fetched-tx.js';
import type { SubaddressTable, KnownAddresses } from './subaddress-table.js';
import { keyDerivation } from '../../crypto/derivation.js';
import type { ScanKernel } from '../../kernel/kernel.js';
import { sharedKernel } from '../../kernel/load-kernel.js';
import { isCarrotTx } from './scanned-keys.js';
import { candidatesIn, kernelBatches, OutputMatches } from './output-matches.js';
import { claimOutput, hasAmount, openClaims, outputsByTx, type Claim } from './receive.js';
import { scanKeysOf, type FoundOutput, type ReceivingKeys } from './found-output.js';

/**
 * A transaction that pays a wallet.
 * @example
 * const paying: ReceivingTx = found[1];
 * equalBytes(paying.hash, txs[1].hash); // => true
 */
export interface ReceivingTx {
  readonly hash: Hash;
  /** The transaction in the form in which it was fetched, full or pruned. */
  readonly tx: Transaction;
  /**
   * Short payment id, decrypted with the view key; zeros where the payer added a dummy. Meaningless in a payment that
   * the wallet made itself, whose payment id is encrypted for the payee.
   */
  readonly paymentId?: PaymentId;
  /** Outputs that pay the wallet, at least one, by ascending index. */
  readonly outputs: readonly FoundOutput[];
}

/**
 * Finds the transactions of a block that pay a wallet, the miner transaction included.
 * @param txs the transactions that the block names, in its order, full or pruned; their hashes are verified.
 * @param table grows by the lookahead of each address that is paid.
 * @returns the paying transactions, in the order of the block.
 * @throws ScanError for transactions that do not belong to the block; RangeError when a secret key is ℓ or more.
 * @example
 * const [first] = scanBlock(block, txs, { viewSecret: account.viewSecret }, addresses);
 * formatCoins(first.outputs[0].amount); // => '1.500000000000'
 */
export function scanBlock(
  { minerTx, txHashes }: Pick<Block, 'minerTx' | 'txHashes'>,
  txs: readonly FetchedTx[],
  keys: ReceivingKeys,
  table: SubaddressTable,
): readonly ReceivingTx[] {
  if (txs.length !== txHashes.length || txHashes.some((hash, i) => !equalBytes(hash, hashOf(txs[i]))))
    throw wrongTransaction('other transactions than those of the block');
  const all = [minerTx, ...txs.map(readFetchedTx)];
  const found = ownOutputsOf(all, keys, table, {
    onPaid: (index) => table.expandTo(index),
  });
  return all.flatMap((tx, i) => {
    const outputs = found[i] ?? [];
    if (outputs.length === 0) return [];
    const hash = i === 0 ? transactionHash(minerTx) : (txHashes[i - 1] as Hash);
    const paymentId = boundPaymentId(outputs) ?? paymentIdIn(tx, keys.viewSecret);
    return [{ hash, tx, outputs, ...(paymentId === undefined ? {} : { paymentId }) }];
  });
}

const hashOf = (tx: FetchedTx | undefined): Uint8Array => tx?.hash ?? new Uint8Array();

/** Options of a scan of transactions. */
export interface TxScanOptions {
  /** Called with each paid address, before later outputs are tried. */
  readonly onPaid?: (index: SubaddressIndex) => void;
  /** Kernel that scans; absent: the fastest kernel that works on this machine. */
  readonly kernel?: ScanKernel;
}

/**
 * Finds the outputs of transactions that pay a wallet, as a scan of the chain does: with the view tag, an output key of a
 * known address, and an amount above zero that matches the commitment.
 * @param txs full or pruned. @returns the outputs of each transaction, by ascending index.
 * @throws RangeError when a secret key is ℓ or more.
 * Source: wallet2.cpp `process_new_transaction`, `is_out_to_acc_precomp`.
 */
export function ownOutputsOf(
  txs: readonly Transaction[],
  keys: ReceivingKeys,
  addresses: KnownAddresses,
  { onPaid, kernel = sharedKernel() }: TxScanOptions = {},
): readonly (readonly FoundOutput[])[] {
  const claims: Claim[] = [];
  const derivations: Uint8Array[] = [];
  try {
    for (const batch of kernelBatches(candidatesIn(txs), 0, txs.length)) {
      const hits = kernel.scan(batch.scan, scanKeysOf(keys));
      derivations.push(hits.derivations);
      for (const match of new OutputMatches(batch, hits).payingTo(addresses)) {
        const tx = txs[match.tx];
        const claim = tx && claimOutput(addresses, tx, match);
        if (claim === undefined) continue;
        onPaid?.(claim.subaddress);
        claims.push(claim);
      }
    }
    const found = outputsByTx(claims, openClaims(keys, claims, kernel));
    return txs.map((_, tx) => found.get(tx)?.filter(hasAmount) ?? []);
  } finally {
    for (const secret of derivations) secret.fill(0);
  }
}

/**
 * Finds the outputs of one transaction, full or pruned, that pay a wallet: by the rules of a scan of the chain.
 * @returns the outputs by ascending index. @throws RangeError when a secret key is ℓ or more.
 * @example
 * ownOutputsIn(tx, account, addresses).map(({ outputIndex }) => outputIndex).length; // => 1
 */
export const ownOutputsIn = (
  tx: Transaction,
  keys: ReceivingKeys,
  addresses: KnownAddresses,
): readonly FoundOutput[] => ownOutputsOf([tx], keys, addresses)[0] ?? [];

/** A transaction public key with its derivation. */
interface DerivedKey {
  readonly key: PublicKey;
  readonly derivation: KeyDerivation;
}

/**
 * Decrypts the short payment id of a transaction of the old form; long payment ids are obsolete and not read.
 * @param fields fields of the transaction's extra. @param known derivations that are computed already.
 * @returns undefined without a short payment id, or when the first transaction public key is not a point.
 * @example
 * const { fields } = parseExtra(parseTransaction(txs[0].blob).prefix.extra);
 * toHex(receivedPaymentId(fields, account.viewSecret)); // => '1234567890abcdef'
 */
export function receivedPaymentId(
  fields: readonly ExtraField[],
  viewSecret: SecretKey,
  known: readonly DerivedKey[] = [],
): PaymentId | undefined {
  const id = paymentIdOf(fields);
  const key = txPublicKeys(fields)[0];
  if (id?.kind !== 'short' || key === undefined) return undefined;
  const derivation =
    known.find((one) => equalBytes(one.key, key))?.derivation ?? tryKeyDerivation(key, viewSecret);
  return derivation && cryptPaymentId(id.id, derivation);
}

/**
 * Returns the payment id of a transaction; undefined as in {@link receivedPaymentId}. In the form of the fork it is zeros unless an
 * output binds it: see {@link boundPaymentId}.
 * @param known derivations that are computed already.
 */
export function paymentIdIn(
  { prefix }: Pick<Transaction, 'prefix'>,
  viewSecret: SecretKey,
  known?: readonly DerivedKey[],
): PaymentId | undefined {
  const { fields } = parseExtra(prefix.extra);
  if (!isCarrotTx(prefix)) return receivedPaymentId(fields, viewSecret, known);
  return paymentIdOf(fields)?.kind === 'short' ? NO_PAYMENT_ID : undefined;
}

/** Returns the payment id that an output in the form of the fork binds; undefined if none of the outputs binds one. */
export const boundPaymentId = (outputs: readonly FoundOutput[]): PaymentId | undefined =>
  outputs.find(({ carrot }) => carrot?.paymentId !== undefined)?.carrot?.paymentId;

/**
 * Computes the derivation of a transaction public key; undefined if the key is not a point on the curve, so that no
 * wallet can find an output or a payment id with it.
 */
function tryKeyDerivation(key: PublicKey, viewSecret: SecretKey): KeyDerivation | undefined {
  try {
    return keyDerivation(key, viewSecret);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
