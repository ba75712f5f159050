import type { ParsedTxs } from '../../monero/wallet/scan/block-page.js';
import {
  claimOutput,
  hasAmount,
  openClaims,
  outputsByTx,
  type OutputArithmetic,
  type Claim,
} from '../../monero/wallet/scan/receive.js';
import {
  computesKeyImages,
  type FoundOutput,
  type ReceivingKeys,
} from '../../monero/wallet/scan/found-output.js';
import type { SubaddressIndex, Transaction } from '../../monero/cryptonote/types.js';
import { TurnLimit } from '../../util/event-loop.js';
import type { SubaddressTable } from '../../monero/wallet/scan/subaddress-table.js';
import type { MatchStream, OutputMatch } from '../../monero/wallet/scan/output-matches.js';
import type { PublicKey } from '../../monero/crypto/types.js';
import { additionalPublicKeys, parseExtra, txPublicKeys } from '../../monero/cryptonote/extra.js';
import { unprunedSize } from '../../monero/cryptonote/transaction.js';
import { ZERO } from '../../util/amount.js';
import { keyImagesOf } from '../../monero/wallet/exchange/pending-tx.js';
import { boundPaymentId, paymentIdIn } from '../../monero/wallet/scan/block-scan.js';
import type { OwnedOutput, PoolTx, ReceivedTx } from '../../monero/wallet/scan/findings.js';
import { readTx } from './chain-block.js';

/** Record of a transaction that pays the wallet, without its block. */
type Receipt = Omit<ReceivedTx, 'height' | 'timestamp'>;

/**
 * A transaction that pays the wallet, and its outputs to the wallet by ascending index; no outputs if none has an amount that
 * its commitment confirms, or if none of the outputs in the form of the fork opens whose view tag fits.
 */
export interface FoundReceipt {
  readonly receipt: Receipt;
  readonly outputs: readonly FoundOutput[];
  /** True if the wallet has outputs of zero alone, which a wallet adds to a payment without change. */
  readonly isEmpty: boolean;
}

/** Largest number of output matches that are decrypted in one turn of the event loop. */
const CLAIMS_AT_ONCE = 32;

/**
 * Number of wallets that decrypt their matches in one turn of the event loop. All wallets wait for the same scan. With
 * one wallet per turn, the findings of the first wallet are committed and further batches are scanned while the other
 * wallets decrypt theirs.
 */
const turns = new TurnLimit(1);

/** Which transactions {@link findReceipts} searches. */
export interface FinderOptions {
  readonly signal?: AbortSignal | undefined;
  /** Index of the first transaction to search; transactions before it are skipped. */
  readonly firstTx?: number | undefined;
  /** Returns true if the transaction with this index is to be searched; absent: all transactions are searched. */
  readonly isWanted?: ((tx: number) => boolean) | undefined;
}

/** Keys and functions of a wallet with which its outputs are found. */
interface FindingWallet {
  readonly keys: ReceivingKeys;
  readonly arithmetic: OutputArithmetic;
  readonly table: SubaddressTable;
  /** Is called with the index of each paid address, before the outputs after it are tried. */
  readonly onPaid: (index: SubaddressIndex) => void;
  /** Returns the output with its imported key image, if the output has no key image. */
  readonly withKeyImage: (output: FoundOutput) => FoundOutput;
}

/**
 * Finds the transactions that pay a wallet, among the matches of a stream. A transaction is parsed into a value that is not
 * kept: the values of a whole page would outlive the young generation of the garbage collector.
 * @param matches by ascending index of their transaction.
 * @returns the transactions by their index. @throws the reason of the signal; DaemonError
 */
export async function findReceipts(
  wallet: FindingWallet,
  txs: ParsedTxs,
  matches: MatchStream,
  { signal, firstTx = 0, isWanted = () => true }: FinderOptions = {},
): Promise<ReadonlyMap<number, FoundReceipt>> {
  const { keys, table, onPaid } = wallet;
  const claims: Claim[] = [];
  const receipts = new Map<number, Receipt>();
  let at = -1;
  let tx: Transaction | undefined;
  let own: OutputMatch[] = [];
  const close = (): void => {
    if (tx === undefined) return;
    // A view tag of three bytes fits no other wallet's output by chance: if such an output does not open, a daemon may have
    // altered it.
    const isOwn = claims.at(-1)?.tx === at || own.some(({ spendKey }) => spendKey === undefined);
    if (isOwn) receipts.set(at, receiptOf(txs, at, tx, own, keys));
  };
  for await (const portion of matches) {
    signal?.throwIfAborted();
    for (const match of portion.payingTo(table)) {
      if (match.tx < firstTx || !isWanted(match.tx)) continue;
      // The matches of a transaction may be in two portions.
      if (tx === undefined || match.tx !== at) {
        close();
        at = match.tx;
        tx = readTx(txs, at);
        own = [];
      }
      own.push(match);
      const claim = claimOutput(table, tx, match);
      if (claim === undefined) continue;
      onPaid(claim.subaddress);
      claims.push(claim);
    }
  }
  close();
  signal?.throwIfAborted();
  const found = new Map<number, FoundReceipt>();
  for (const [paying, outputs] of outputsByTx(claims, await opened(wallet, claims, signal))) {
    const receipt = receipts.get(paying);
    if (receipt === undefined) throw new Error('an output whose transaction has no record');
    const paid = outputs.filter(hasAmount);
    found.set(paying, {
      receipt: withPaymentId(receipt, paid),
      outputs: paid.map(wallet.withKeyImage),
      isEmpty: paid.length === 0,
    });
  }
  for (const [paying, receipt] of receipts)
    if (!found.has(paying)) found.set(paying, { receipt, outputs: [], isEmpty: false });
  return found;
}

/**
 * Decrypts output matches, some in each turn of the event loop.
 * @returns one entry per claim; undefined for a void output. @throws the reason of the signal.
 */
async function opened(
  { keys, arithmetic }: FindingWallet,
  claims: readonly Claim[],
  signal: AbortSignal | undefined,
): Promise<(FoundOutput | undefined)[]> {
  const all: (FoundOutput | undefined)[] = [];
  for (let at = 0; at < claims.length; at += CLAIMS_AT_ONCE) {
    await turns.next();
    signal?.throwIfAborted();
    all.push(...openClaims(keys, claims.slice(at, at + CLAIMS_AT_ONCE), arithmetic));
  }
  return all;
}

/**
 * Builds the record of a transaction that pays the wallet, and decrypts its short payment id.
 * @param at index of the transaction in `txs`. @param matches its outputs that pay an address of the wallet.
 */
function receiptOf(
  txs: ParsedTxs,
  at: number,
  tx: Transaction,
  matches: readonly OutputMatch[],
  keys: ReceivingKeys,
): Receipt {
  const { fields } = parseExtra(tx.prefix.extra);
  const paymentId = paymentIdIn(tx, keys.viewSecret, matches);
  return {
    // The hash is copied, so that it does not keep the memory of the page.
    txHash: txs.hash(at),
    unlockTime: tx.prefix.unlockTime,
    fee: tx.rct?.base.fee ?? ZERO,
    coinbase: txs.isCoinbase(at),
    size: unprunedSize(tx, txs.blob(at).length),
    ...(paymentId === undefined ? {} : { paymentId }),
    txPublicKey: txPublicKeys(fields)[0] ?? (new Uint8Array(32) as PublicKey),
    additionalPublicKeys: additionalPublicKeys(fields),
    ...(computesKeyImages(keys) ? {} : { spentKeyImages: keyImagesOf(tx) }),
  };
}

/** Adds the payment id that an output in the form of the fork binds, which is opened with it. */
function withPaymentId(receipt: Receipt, outputs: readonly FoundOutput[]): Receipt {
  const paymentId = boundPaymentId(outputs);
  return paymentId === undefined ? receipt : { ...receipt, paymentId };
}

/**
 * Adds to a found output its transaction and the height of its block.
 * @param txs transactions of the page; the transaction of the output has the index `at`.
 * @param change true if the output returns to the account that paid.
 */
export const ownedOutput = (
  found: FoundOutput,
  receipt: Receipt,
  { txs, at, height }: { readonly txs: ParsedTxs; readonly at: number; readonly height: number },
  change: boolean,
): OwnedOutput => ({
  ...found,
  txHash: receipt.txHash,
  globalIndex: txs.globalIndex(at, found.outputIndex),
  rct: txs.version(at) === 2,
  height,
  unlockTime: receipt.unlockTime,
  coinbase: receipt.coinbase,
  change,
  burnt: false,
  frozen: false,
});

/**
 * Makes the record of an unmined transaction that pays the wallet.
 * @param paid outputs that are not change.
 * @param seenAt time when the pool was read [Unix seconds].
 */
export const poolTx = (
  { txHash, unlockTime, fee, paymentId }: Receipt,
  paid: readonly FoundOutput[],
  { seenAt, doubleSpendSeen }: { readonly seenAt: number; readonly doubleSpendSeen: boolean },
): PoolTx => ({
  txHash,
  timestamp: seenAt,
  unlockTime,
  fee,
  ...(paymentId === undefined ? {} : { paymentId }),
  doubleSpendSeen,
  outputs: paid.map(({ outputIndex, publicKey, amount, subaddress }) => ({
    outputIndex,
    publicKey,
    amount,
    subaddress,
  })),
});
