import { inputVerifier } from '../monero/cryptonote/input-signature.js';
import { parseTransaction, ringIndices } from '../monero/cryptonote/transaction.js';
import type { Transaction } from '../monero/cryptonote/types.js';
import type { Hash, KeyImage } from '../monero/crypto/types.js';
import { equalBytes, toHex, tryFromHex } from '../util/bytes.js';
import { CodecError } from '../util/codec.js';
import { pagesOf } from '../util/paged.js';
import type { BacklogEntry, CallOptions, DaemonTransaction, ListedTx, RelayOutcome } from './daemon.js';
import { isUnverifiable, parseTxs, type ParsedTxs } from '../monero/wallet/scan/block-page.js';
import { LIMIT, type DaemonCalls } from './daemon-calls.js';
import { DaemonError } from './errors.js';
import { getOutputs } from './output-queries.js';
import { type JsonReader, toIndex } from './wire-values.js';

/** Largest number of transactions in a request. Restricted daemons refuse more. */
export const MAX_TRANSACTIONS_AT_ONCE = 100;
const BACKLOG_RECORD_BYTES = 24;
/** Time limit for relaying a transaction [ms]. A daemon verifies it before it answers. */
const RELAY_DEADLINE_MS = 30_000;

/**
 * Flags in the answer that name the reason of a refusal. Source: core_rpc_server_commands_defs.h
 * `COMMAND_RPC_SEND_RAW_TX`.
 */
const REFUSALS = [
  'low_mixin',
  'double_spend',
  'invalid_input',
  'invalid_output',
  'too_big',
  'overspend',
  'fee_too_low',
  'too_few_outputs',
  'sanity_check_failed',
  'tx_extra_too_big',
  'nonzero_unlock_time',
];

export async function getPoolHashes(
  calls: DaemonCalls,
  { signal }: CallOptions = {},
): Promise<readonly Hash[]> {
  return calls.json('/get_transaction_pool_hashes', {}, { limit: LIMIT.pool, signal }, (r) =>
    r.list('tx_hashes').map((item) => r.asHash(item, 'tx_hashes')),
  );
}

export async function getTransactions(
  calls: DaemonCalls,
  hashes: readonly Hash[],
  options: { readonly prune: boolean } & CallOptions,
): Promise<{ readonly transactions: readonly DaemonTransaction[] }> {
  const transactions: DaemonTransaction[] = [];
  for await (const requested of pagesOf(hashes, MAX_TRANSACTIONS_AT_ONCE))
    transactions.push(...(await fetchVerifiable(calls, requested, options)));
  return { transactions };
}

/**
 * Fetches transactions by the hashes that a block lists, and compares their verified bytes with the bytes of a page.
 * @throws DaemonError `forged` if a transaction differs from its hash or from the page; `malformed` if the daemon lacks one.
 */
export async function proveTransactions(
  calls: DaemonCalls,
  listed: readonly ListedTx[],
  options: CallOptions = {},
): Promise<void> {
  for await (const part of pagesOf(listed, MAX_TRANSACTIONS_AT_ONCE)) {
    const byHash = new Map(part.map((tx) => [toHex(tx.hash), tx]));
    const check: CheckTxs = (fetched) => {
      const verifiable = fetched.filter((tx) => !isUnverifiable(tx));
      assertListed(verifiable, byHash, calls.address);
    };
    const hashes = [...byHash.values()].map(({ hash }) => hash);
    await fetchVerifiable(calls, hashes, { prune: true, ...options }, check);
  }
}

/**
 * Verifies the signatures with which an unmined transaction spends key images of a wallet. The daemon chooses what it sends as
 * the ring of an input, so the ring proves nothing by itself. It need not: a valid signature proves that its maker knows x for
 * a ring member P = x·G with the key image I = x·Hp(P), since its challenges are hashes of all members, of I and of its points.
 * For an output of the wallet I is given, and only the wallet's x gives it: for a member of his own choice, a forger would have
 * to find x' with x'·Hp(x'·G) = I, where Hp is a hash. In terms of its paper, CLSAG is not slanderable, whatever the other
 * members are. So no member need be the wallet's output, whose global index the wallet has from a daemon, too.
 * @returns false if the daemon does not have the transaction any more.
 * @throws DaemonError `forged` if a signature is invalid, or if the transaction does not have this hash.
 */
export async function proveSpends(
  calls: DaemonCalls,
  txHash: Hash,
  keyImages: readonly KeyImage[],
  { signal }: CallOptions = {},
): Promise<boolean> {
  const read: Transaction[] = [];
  await fetchTransactions(
    calls,
    [txHash],
    { prune: false, signal },
    (fetched) => {
      verifiedTxs(fetched, calls.address);
      for (const tx of fetched)
        if (tx.inPool && equalBytes(tx.hash, txHash)) read.push(parseTransaction(tx.blob));
    },
    false,
  );
  const [tx] = read;
  if (tx === undefined) return false;
  const verify = inputVerifier(tx);
  for (const keyImage of keyImages) {
    const at = tx.prefix.inputs.findIndex(
      (input) => input.type === 'key' && equalBytes(input.keyImage, keyImage),
    );
    const input = tx.prefix.inputs[at];
    if (input?.type !== 'key') throw new RangeError('the transaction has no such key image');
    await getOutputs(calls, ringIndices(input.keyOffsets).map(toIndex), input.amount, (ring) => {
      if (!verify(at, ring))
        throw new DaemonError(
          'forged',
          `${calls.address} sent transaction ${toHex(txHash)} without a valid signature`,
        );
    });
  }
  return true;
}

/** Compares fetched transactions with the bytes of a page. @param daemon address. @throws DaemonError `forged` */
function assertListed(
  fetched: readonly DaemonTransaction[],
  byHash: ReadonlyMap<string, ListedTx>,
  daemon: string,
): void {
  const parsed = verifiedTxs(fetched, daemon);
  fetched.forEach(({ hash }, at) => {
    const listed = byHash.get(toHex(hash));
    if (listed === undefined || !equalBytes(parsed.blob(at), listed.blob))
      throw new DaemonError(
        'forged',
        `${daemon} sent other bytes in a block than transaction ${toHex(hash)} has`,
      );
  });
}

/** Parses transactions and verifies their hashes. @param daemon address. @throws DaemonError `forged` */
function verifiedTxs(fetched: readonly DaemonTransaction[], daemon: string): ParsedTxs {
  try {
    return parseTxs(fetched);
  } catch (cause) {
    if (!(cause instanceof CodecError)) throw cause;
    throw new DaemonError('forged', `${daemon} sent a transaction whose hash is wrong: ${cause.message}`, {
      cause,
    });
  }
}

/** Checks the transactions of an answer. @throws DaemonError, which is the error of the call. */
type CheckTxs = (fetched: readonly DaemonTransaction[]) => void;

/**
 * Fetches transactions pruned; fetches whole transactions in place of pruned transactions whose hash cannot be
 * verified.
 * @param check checks each answer, which must have all transactions; absent: transactions may be absent.
 */
async function fetchVerifiable(
  calls: DaemonCalls,
  hashes: readonly Hash[],
  options: { readonly prune: boolean } & CallOptions,
  check?: CheckTxs,
): Promise<DaemonTransaction[]> {
  const fetched = await fetchTransactions(calls, hashes, options, check);
  const pruned = fetched.filter(isUnverifiable).map(({ hash }) => hash);
  if (!options.prune || pruned.length === 0) return fetched;
  const again = await fetchTransactions(calls, pruned, { ...options, prune: false }, check);
  const byHash = new Map(again.map((tx) => [toHex(tx.hash), tx]));
  return fetched.map((tx) => byHash.get(toHex(tx.hash)) ?? tx);
}

function fetchTransactions(
  calls: DaemonCalls,
  hashes: readonly Hash[],
  { prune, ...options }: { readonly prune: boolean } & CallOptions,
  check?: CheckTxs,
  isComplete = check !== undefined,
): Promise<DaemonTransaction[]> {
  const body = { txs_hashes: hashes.map(toHex), decode_as_json: false, prune, split: false };
  return calls.json('/gettransactions', body, { ...options, limit: LIMIT.pool }, (r) => {
    const txs = r.objects('txs').map((tx) => toTransaction(tx, prune));
    if (isComplete && new Set(txs.map(({ hash }) => toHex(hash))).size < hashes.length)
      throw new DaemonError('malformed', `${calls.address} lacks a transaction of a block that it sent`);
    check?.(txs);
    return txs;
  });
}

export async function sendRawTransaction(calls: DaemonCalls, blob: Uint8Array): Promise<RelayOutcome> {
  const body = { tx_as_hex: toHex(blob), do_not_relay: false };
  return calls.json(
    '/sendrawtransaction',
    body,
    { limit: LIMIT.small, deadline: RELAY_DEADLINE_MS, once: true },
    (r) => {
      const status = r.text('status');
      if (status === 'BUSY') throw new DaemonError('busy', 'the daemon is syncing');
      const flags = REFUSALS.filter((flag) => r.bool(flag, false));
      const reason = r.text('reason', '').slice(0, 200);
      return {
        accepted: status === 'OK',
        notRelayed: r.bool('not_relayed', false),
        reason: reason !== '' ? reason : flags.join(', ').replaceAll('_', ' '),
      };
    },
    true,
  );
}

export async function getPoolBacklog(calls: DaemonCalls): Promise<readonly BacklogEntry[]> {
  const read = (r: JsonReader): BacklogEntry[] => {
    // One record per transaction: weight, fee and time in the pool [s], 8 bytes each.
    const packed = Buffer.from(r.text('backlog', ''), 'latin1');
    if (packed.length % BACKLOG_RECORD_BYTES !== 0) throw new CodecError('backlog: a record is cut off');
    return Array.from({ length: packed.length / BACKLOG_RECORD_BYTES }, (_, i) => ({
      weight: toIndex(packed.readBigUInt64LE(i * BACKLOG_RECORD_BYTES)),
      fee: packed.readBigUInt64LE(i * BACKLOG_RECORD_BYTES + 8),
    }));
  };
  return calls.rpc('get_txpool_backlog', undefined, {}, read, true);
}

/** Builds a transaction from the parts that the daemon sent. */
function toTransaction(r: JsonReader, prune: boolean): DaemonTransaction {
  const whole = r.text('as_hex', '');
  const prunable = prune ? '' : r.text('prunable_as_hex', '');
  const pruned = whole === '' && prunable === '' && r.text('prunable_hash', '') !== '';
  const inPool = r.bool('in_pool');
  return {
    hash: r.hash('tx_hash'),
    // An encoding that is not hex is empty, so that only the parser of this transaction refuses it.
    blob: tryFromHex(whole === '' ? r.text('pruned_as_hex', '') + prunable : whole) ?? new Uint8Array(),
    ...(pruned ? { prunableHash: r.hash('prunable_hash') } : {}),
    inPool,
    doubleSpendSeen: r.bool('double_spend_seen', false),
    ...(inPool
      ? {}
      : {
          blockHeight: r.number('block_height'),
          blockTimestamp: r.number('block_timestamp', 0),
          outputIndices: r.list('output_indices').map((index) => toIndex(r.asUint(index, 'output_indices'))),
        }),
  };
}
