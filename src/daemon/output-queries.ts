import type { Commitment, Hash, KeyImage, PublicKey } from '../monero/crypto/types.js';
import type { TypedSection } from '../monero/epee/storage-writer.js';
import { bytes32, toHex } from '../util/bytes.js';
import { CodecError } from '../util/codec.js';
import type { KeyImageStatus, OutputDistribution, RingCandidate } from './daemon.js';
import { LIMIT, type DaemonCalls } from './daemon-calls.js';
import { DaemonError } from './errors.js';
import { blobOf, toIndex } from './wire-values.js';

/** Largest number of outputs in a request. Restricted daemons refuse more. */
const MAX_OUTPUTS_AT_ONCE = 5000;
const MAX_KEY_IMAGES_AT_ONCE = 5000;

export async function getOutputIndexes(calls: DaemonCalls, txHash: Hash): Promise<readonly number[]> {
  return calls.binary('/get_o_indexes.bin', { txid: blobOf(txHash) }, { limit: LIMIT.small }, (r) =>
    r.list('o_indexes').map(toIndex),
  );
}

/** Checks the outputs of an answer. @throws DaemonError, which is the error of the call. */
type CheckOutputs = (outputs: readonly RingCandidate[]) => void;

export async function getOutputs(
  calls: DaemonCalls,
  indices: readonly number[],
  amount = 0n,
  check: CheckOutputs = () => undefined,
): Promise<readonly RingCandidate[]> {
  const found: RingCandidate[] = [];
  for (let start = 0; start < indices.length; start += MAX_OUTPUTS_AT_ONCE) {
    const requested = indices.slice(start, start + MAX_OUTPUTS_AT_ONCE);
    const request: TypedSection = {
      outputs: {
        type: 'list',
        items: requested.map((index) => ({
          type: 'object',
          value: { amount: { type: 'u64', value: amount }, index: { type: 'u64', value: BigInt(index) } },
        })),
      },
      // The wallet of the reference does not request the hashes either. With the hashes, a daemon takes longer, and
      // could tell the two wallets apart.
      get_txid: { type: 'bool', value: false },
    };
    const outs = await calls.binary('/get_outs.bin', request, { limit: LIMIT.small }, (r) => {
      const read = r.sections('outs').map((out) => ({
        publicKey: bytes32<'PublicKey'>(out.bytes('key'), 'PublicKey') satisfies PublicKey,
        commitment: bytes32<'Commitment'>(out.bytes('mask'), 'Commitment') satisfies Commitment,
        unlocked: out.bool('unlocked'),
      }));
      if (read.length !== requested.length)
        throw new DaemonError('malformed', 'the daemon sent another number of outputs than requested');
      check(read);
      return read;
    });
    found.push(...outs);
  }
  return found;
}

/**
 * Fetches the output distribution.
 * @param fromHeight height of the first block in the answer; the first block with RingCT outputs if that block is
 * higher.
 * @param toHeight height of the last block in the answer; 0: the tip.
 */
export async function getOutputDistribution(
  calls: DaemonCalls,
  fromHeight: number,
  toHeight = 0,
): Promise<OutputDistribution> {
  const request: TypedSection = {
    amounts: { type: 'list', items: [{ type: 'u64', value: 0n }] },
    from_height: { type: 'u64', value: BigInt(fromHeight) },
    to_height: { type: 'u64', value: BigInt(toHeight) },
    cumulative: { type: 'bool', value: true },
    binary: { type: 'bool', value: true },
    compress: { type: 'bool', value: false },
  };
  return calls.binary('/get_output_distribution.bin', request, { limit: LIMIT.pool }, (r) => {
    const [entry] = r.sections('distributions');
    if (entry === undefined) throw new CodecError('no distribution');
    const base = entry.number('base', 0);
    const cumulative = readCounts(entry.bytes('distribution', new Uint8Array()), base);
    return { startHeight: entry.number('start_height'), base, cumulative };
  });
}

/** Reads cumulative counts, 8 bytes each, little-endian. @throws CodecError if a count is below its predecessor. */
function readCounts(packed: Uint8Array, base: number): number[] {
  if (packed.length % 8 !== 0) throw new CodecError('distribution: not a multiple of 8 bytes');
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
  const counts: number[] = [];
  let previous = base;
  for (let at = 0; at < packed.length; at += 8) {
    // The counts are read as numbers, because bigints take longer and mainnet has three million counts.
    const count = view.getUint32(at + 4, true) * 2 ** 32 + view.getUint32(at, true);
    if (!Number.isSafeInteger(count)) throw new CodecError('distribution: a count is out of range');
    if (count < previous) throw new CodecError('distribution: not monotonic');
    counts.push(count);
    previous = count;
  }
  return counts;
}

export async function isKeyImageSpent(
  calls: DaemonCalls,
  keyImages: readonly KeyImage[],
): Promise<readonly KeyImageStatus[]> {
  const statuses: KeyImageStatus[] = [];
  for (let start = 0; start < keyImages.length; start += MAX_KEY_IMAGES_AT_ONCE)
    statuses.push(...(await spentStatuses(calls, keyImages.slice(start, start + MAX_KEY_IMAGES_AT_ONCE))));
  return statuses;
}

function spentStatuses(calls: DaemonCalls, keyImages: readonly KeyImage[]): Promise<KeyImageStatus[]> {
  return calls.json(
    '/is_key_image_spent',
    { key_images: keyImages.map(toHex) },
    { limit: LIMIT.small },
    (r) => {
      const statuses = r.list('spent_status').map((status) => Number(r.asUint(status, 'spent_status')));
      if (statuses.length !== keyImages.length)
        throw new CodecError('another number of key images than requested');
      return statuses.map((status) => {
        if (status !== 0 && status !== 1 && status !== 2) throw new CodecError('unknown key image status');
        return status;
      });
    },
  );
}
