import { keyDerivation } from '../../crypto/derivation.js';
import type { KeyDerivation, PublicKey, SecretKey } from '../../crypto/types.js';
import { paymentIdOf, txPublicKeys, type ExtraField } from '../../cryptonote/extra.js';
import { cryptPaymentId } from '../../cryptonote/payment-id.js';
import type { PaymentId, SubaddressIndex, Transaction } from '../../cryptonote/types.js';
import type { ScanKernel } from '../../kernel/kernel.js';
import { sharedKernel } from '../../kernel/load-kernel.js';
import { equalBytes } from '../../../util/bytes.js';
import { candidatesIn } from './candidates.js';
import { kernelBatches } from './kernel-batches.js';
import { OutputMatches } from './output-matches.js';
import {
  claimOutput,
  openClaims,
  outputsByTx,
  type FoundOutput,
  type ReceivingKeys,
  type TxClaim,
} from './receive.js';
import type { KnownAddresses } from './subaddress-table.js';

/** How transactions are scanned. */
export interface TxScanOptions {
  /** Called with each paid address, before later outputs are tried. */
  readonly onPaid?: (index: SubaddressIndex) => void;
  /** Absent: the fastest that works on this machine. */
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
  const claims: TxClaim[] = [];
  const derivations: Uint8Array[] = [];
  try {
    for (const batch of kernelBatches(candidatesIn(txs), 0, txs.length)) {
      const hits = kernel.scan(batch.scan, keys.viewSecret);
      derivations.push(hits.derivations);
      for (const match of new OutputMatches(batch, hits).payingTo(addresses)) {
        const tx = txs[match.tx];
        // A copy: a view would keep the keys of the whole batch.
        const key = match.key.slice() as PublicKey;
        const claim = tx && claimOutput(addresses, tx, { ...match, key });
        if (claim === undefined) continue;
        onPaid?.(claim.subaddress);
        claims.push({ tx: match.tx, claim });
      }
    }
    const opened = openClaims(
      keys,
      claims.map(({ claim }) => claim),
      kernel,
    );
    const found = outputsByTx(claims, opened);
    return txs.map((_, tx) => found.get(tx) ?? []);
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
 * Decrypts the short payment id of a transaction; long ones are obsolete and not read.
 * @param fields of its extra. @param known derivations that are computed already.
 * @returns undefined without one, or when the first transaction public key is not a point.
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
