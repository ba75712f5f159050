import { joinBytes } from '../../util/bytes.js';
import type { RequestActivity } from '../../util/request-activity.js';
import { yieldToEventLoop } from '../../util/event-loop.js';
import {
  hitsAt,
  TABLE_SCALARS,
  type ScanBatch,
  type ScanHits,
  type ScanKernel,
  type ScanKeys,
} from './kernel.js';

/** Input of the job of a worker thread: a batch to scan, and the secret keys of wallets. */
export interface ScanTask {
  /** Batch to scan; its outputs are in the order of their keys. */
  readonly batch: ScanBatch;
  /** Copies of the secret keys; the thread that scans wipes them. */
  readonly keys: readonly ScanKeys[];
}

/** Copies the secret keys of a wallet; other properties are left out. */
export const copyOf = ({ viewSecret, balanceSecret }: ScanKeys): ScanKeys => ({
  viewSecret: Uint8Array.from(viewSecret),
  ...(balanceSecret && { balanceSecret: Uint8Array.from(balanceSecret) }),
});

/** Returns the secret keys of a wallet that are present. */
export const secretsOf = ({ viewSecret, balanceSecret }: ScanKeys): readonly Uint8Array[] =>
  balanceSecret === undefined ? [viewSecret] : [viewSecret, balanceSecret];

/** Number of keys in a part of a batch, for one view secret key: 1.5 ms of work. */
const KEYS_AT_ONCE = 64;
/** Smallest number of keys in a part, because each part has a fixed cost. */
const FEWEST_KEYS = 8;

/**
 * Scans a batch with all secret keys, then wipes them, also if the scan throws. While requests are frequent
 * the batch is scanned in parts, and the thread pauses between them so that the main thread gets a processor.
 */
export function scanTask(
  kernel: Pick<ScanKernel, 'scanMany'>,
  task: ScanTask,
  activity: Pick<RequestActivity, 'areFrequent' | 'giveWay'>,
): readonly ScanHits[] {
  if (!activity.areFrequent) return scanWhole(kernel, task);
  const parts = scanInParts(kernel, task);
  for (;;) {
    const { done, value } = parts.next();
    if (done === true) return value;
    activity.giveWay();
  }
}

/**
 * Scans a batch as {@link scanTask}, always in parts, on a thread that has other work: a turn of the event loop follows
 * each part.
 * @throws the error of the kernel.
 */
export async function scanTaskInTurns(
  kernel: Pick<ScanKernel, 'scanMany'>,
  task: ScanTask,
  activity: Pick<RequestActivity, 'giveWay'>,
): Promise<readonly ScanHits[]> {
  const parts = scanInParts(kernel, task);
  for (;;) {
    const { done, value } = parts.next();
    if (done === true) return value;
    activity.giveWay();
    await yieldToEventLoop();
  }
}

function scanWhole(kernel: Pick<ScanKernel, 'scanMany'>, { batch, keys }: ScanTask): readonly ScanHits[] {
  try {
    return kernel.scanMany(batch, keys);
  } finally {
    wipe(keys);
  }
}

/** Scans a batch part by part, and yields after each part. @returns the hits of each wallet. */
function* scanInParts(
  kernel: Pick<ScanKernel, 'scanMany'>,
  { batch, keys }: ScanTask,
): Generator<void, readonly ScanHits[], void> {
  try {
    const scanned: { readonly firstOutput: number; readonly hits: readonly ScanHits[] }[] = [];
    for (const { firstOutput, part } of partsOf(batch, keysAtOnce(keys.length))) {
      scanned.push({ firstOutput, hits: kernel.scanMany(part, keys) });
      yield;
    }
    return keys.map((_, wallet) =>
      joined(scanned.map(({ firstOutput, hits }) => ({ firstOutput, ...hitsAt(hits, wallet) }))),
    );
  } finally {
    wipe(keys);
  }
}

function wipe(keys: readonly ScanKeys[]): void {
  for (const secret of keys.flatMap(secretsOf)) secret.fill(0);
}

const keysAtOnce = (secrets: number): number =>
  Math.max(FEWEST_KEYS, Math.floor((KEYS_AT_ONCE * (1 + TABLE_SCALARS)) / (secrets + TABLE_SCALARS)));

/** Divides a batch into parts of at most the given number of keys. */
function* partsOf(
  batch: ScanBatch,
  keysAtOnce: number,
): Generator<{ readonly firstOutput: number; readonly part: ScanBatch }, void, void> {
  const keys = batch.keys.length / 32;
  let from = 0;
  for (let key = 0; key < keys; key += keysAtOnce) {
    const endKey = Math.min(key + keysAtOnce, keys);
    let to = from;
    while ((batch.outputKey[to] ?? endKey) < endKey) to += 1;
    const part: ScanBatch = {
      keys: batch.keys.subarray(32 * key, 32 * endKey),
      outputKey: batch.outputKey.subarray(from, to).map((index) => index - key),
      outputIndex: batch.outputIndex.subarray(from, to),
      viewTags: batch.viewTags.subarray(from, to),
      outputs: batch.outputs.subarray(32 * from, 32 * to),
      ...(batch.contexts && {
        contexts: {
          ofKeys: batch.contexts.ofKeys.subarray(key, endKey),
          bytes: batch.contexts.bytes,
        },
      }),
    };
    yield { firstOutput: from, part };
    from = to;
  }
}

/** Joins the hits of one wallet in all parts of a batch. */
const joined = (parts: readonly (ScanHits & { readonly firstOutput: number })[]): ScanHits => ({
  outputs: Uint32Array.from(
    parts.flatMap(({ firstOutput, outputs }) => Array.from(outputs, (output) => firstOutput + output)),
  ),
  derivations: joinBytes(parts.map(({ derivations }) => derivations)),
  spendKeys: joinBytes(parts.map(({ spendKeys }) => spendKeys)),
  internal: joinBytes(parts.map(({ internal }) => internal)),
});
