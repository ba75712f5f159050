import type { Commitment, Hash, KeyImage, PublicKey } from '../crypto/types.js';
import { readStorage, SectionReader, writeStorage, type TypedSection } from '../epee/portable-storage.js';
import { bytes32, chunks, concatBytes, fromHex, toHex } from '../util/bytes.js';
import { CodecError } from '../util/codec.js';
import { JsonError, parseJson, writeJson, type Json } from '../util/json.js';
import type {
  BacklogEntry,
  BlocksRequest,
  CallOptions,
  ChainHashes,
  Daemon,
  DaemonBlock,
  DaemonBlockHeader,
  DaemonBlocks,
  DaemonInfo,
  DaemonTransaction,
  FeeEstimate,
  HardForkInfo,
  KeyImageStatus,
  MiningStatus,
  OutputDistribution,
  RelayOutcome,
  RingCandidate,
} from './daemon.js';
import { DaemonError } from './errors.js';
import { JsonReader } from './json-reader.js';
import { Transport, type DaemonConfig } from './transport.js';

export type { DaemonConfig } from './transport.js';

const MIB = 1 << 20;
/** Upstream cuts a page of blocks at 100 MB. */
const BLOCKS_LIMIT = 160 * MIB;
const POOL_LIMIT = 64 * MIB;
const SMALL_LIMIT = 8 * MIB;
/** What a restricted daemon gives at once. */
const MAX_OUTPUTS_AT_ONCE = 5000;
const MAX_KEY_IMAGES_AT_ONCE = 5000;
const MAX_TRANSACTIONS_AT_ONCE = 100;
const BACKLOG_RECORD_BYTES = 24;
/** A daemon verifies what it is sent before it answers. */
const RELAY_TIMEOUT_MS = 30_000;
/** A daemon that has just begun to mine finishes building its dataset before it stops. */
const STOP_MINING_TIMEOUT_MS = 60_000;

const hash = (bytes: Uint8Array): Hash => bytes32<'Hash'>(bytes, 'Hash');
const blobOf = (value: Uint8Array) => ({ type: 'string', value }) as const;

/** A daemon over HTTP. */
export class HttpDaemon implements Daemon {
  readonly #transport: Transport;

  constructor(config: DaemonConfig) {
    this.#transport = new Transport(config);
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  async getInfo(options: CallOptions = {}): Promise<DaemonInfo> {
    return this.#rpc('get_info', undefined, options, (r) => ({
      height: r.number('height'),
      targetHeight: r.number('target_height'),
      topBlockHash: r.hash('top_block_hash'),
      network: r.text('nettype', 'mainnet'),
      synchronized: r.bool('synchronized', true),
      blockWeightLimit: r.number('block_weight_limit', r.number('block_size_limit', 0)),
    }));
  }

  async getVersion(): Promise<number> {
    return this.#rpc('get_version', undefined, {}, (r) => r.number('version'));
  }

  async hardForkInfo(version = 0): Promise<HardForkInfo> {
    return this.#rpc('hard_fork_info', { version }, {}, (r) => ({
      version: r.number('version'),
      enabled: r.bool('enabled'),
      earliestHeight: r.number('earliest_height'),
    }));
  }

  async getFeeEstimate(): Promise<FeeEstimate> {
    return this.#rpc('get_fee_estimate', undefined, {}, (r) => {
      const fees = r.list('fees').map((fee) => r.asUint(fee, 'fees'));
      return {
        perByte:
          fees.length === 4 ? fees : [1n, 4n, 20n, 166n].map((multiplier) => r.uint('fee') * multiplier),
        quantizationMask: r.uint('quantization_mask', 1n) || 1n,
      };
    });
  }

  async getBlocks({ shortHistory, startHeight, prune, signal }: BlocksRequest): Promise<DaemonBlocks> {
    const request: TypedSection = {
      block_ids: blobOf(concatBytes(...(shortHistory ?? []))),
      start_height: { type: 'u64', value: BigInt(startHeight ?? 0) },
      prune: { type: 'bool', value: prune },
      no_miner_tx: { type: 'bool', value: false },
    };
    return this.#binary('/getblocks.bin', request, { limit: BLOCKS_LIMIT, signal }, (r) => {
      const indices = r.sections('output_indices');
      const blocks = r.sections('blocks').map((entry, i): DaemonBlock => ({
        block: entry.bytes('block'),
        txs: entry.list('txs').map((tx) => ({
          blob: tx instanceof Uint8Array ? tx : asSection(tx).bytes('blob'),
        })),
        outputIndices: (indices[i]?.sections('indices') ?? []).map((tx) => tx.list('indices').map(toIndex)),
      }));
      return { startHeight: r.number('start_height'), currentHeight: r.number('current_height'), blocks };
    });
  }

  async getHashes(shortHistory: readonly Hash[], { signal }: CallOptions = {}): Promise<ChainHashes> {
    const request: TypedSection = {
      block_ids: blobOf(concatBytes(...shortHistory)),
      start_height: { type: 'u64', value: 0n },
    };
    return this.#binary('/gethashes.bin', request, { limit: BLOCKS_LIMIT, signal }, (r) => ({
      startHeight: r.number('start_height'),
      currentHeight: r.number('current_height'),
      hashes: chunks(r.bytes('m_block_ids', new Uint8Array()), 32).map(hash),
    }));
  }

  async getOutputIndexes(txHash: Hash): Promise<readonly number[]> {
    return this.#binary('/get_o_indexes.bin', { txid: blobOf(txHash) }, { limit: SMALL_LIMIT }, (r) =>
      r.list('o_indexes').map(toIndex),
    );
  }

  async getOutputs(indices: readonly number[], amount = 0n): Promise<readonly RingCandidate[]> {
    const found: RingCandidate[] = [];
    for (let start = 0; start < indices.length; start += MAX_OUTPUTS_AT_ONCE) {
      const asked = indices.slice(start, start + MAX_OUTPUTS_AT_ONCE);
      const request: TypedSection = {
        outputs: {
          type: 'list',
          items: asked.map((index) => ({
            type: 'object',
            value: { amount: { type: 'u64', value: amount }, index: { type: 'u64', value: BigInt(index) } },
          })),
        },
        get_txid: { type: 'bool', value: true },
      };
      const outs = await this.#binary('/get_outs.bin', request, { limit: SMALL_LIMIT }, (r) =>
        r.sections('outs').map((out) => ({
          publicKey: bytes32<'PublicKey'>(out.bytes('key'), 'PublicKey') satisfies PublicKey,
          commitment: bytes32<'Commitment'>(out.bytes('mask'), 'Commitment') satisfies Commitment,
          unlocked: out.bool('unlocked'),
          height: out.number('height'),
          txHash: hash(out.bytes('txid')),
        })),
      );
      if (outs.length !== asked.length)
        throw new DaemonError('malformed', 'the daemon gave another number of outputs than asked');
      found.push(...outs);
    }
    return found;
  }

  async getOutputDistribution(): Promise<OutputDistribution> {
    const request: TypedSection = {
      amounts: { type: 'list', items: [{ type: 'u64', value: 0n }] },
      from_height: { type: 'u64', value: 0n },
      to_height: { type: 'u64', value: 0n },
      cumulative: { type: 'bool', value: true },
      binary: { type: 'bool', value: true },
      compress: { type: 'bool', value: false },
    };
    return this.#binary('/get_output_distribution.bin', request, { limit: POOL_LIMIT }, (r) => {
      const [entry] = r.sections('distributions');
      if (entry === undefined) throw new CodecError('no distribution');
      const packed = entry.bytes('distribution', new Uint8Array());
      if (packed.length % 8 !== 0) throw new CodecError('distribution: not a multiple of 8 bytes');
      const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
      const cumulative = Array.from({ length: packed.length / 8 }, (_, i) =>
        toIndex(view.getBigUint64(8 * i, true)),
      );
      if (cumulative.some((count, i) => count < (cumulative[i - 1] ?? 0)))
        throw new CodecError('distribution: falls');
      return { startHeight: entry.number('start_height'), base: entry.number('base', 0), cumulative };
    });
  }

  async getPoolHashes({ signal }: CallOptions = {}): Promise<readonly Hash[]> {
    return this.#json('/get_transaction_pool_hashes', {}, { limit: POOL_LIMIT, signal }, (r) =>
      r.list('tx_hashes').map((item) => r.asHash(item, 'tx_hashes')),
    );
  }

  async getTransactions(
    hashes: readonly Hash[],
    { prune, signal }: { readonly prune: boolean } & CallOptions,
  ): Promise<{ readonly transactions: readonly DaemonTransaction[] }> {
    const transactions: DaemonTransaction[] = [];
    for (let start = 0; start < hashes.length; start += MAX_TRANSACTIONS_AT_ONCE) {
      const asked = hashes.slice(start, start + MAX_TRANSACTIONS_AT_ONCE);
      transactions.push(...(await this.#transactions(asked, prune, signal)));
    }
    return { transactions };
  }

  #transactions(
    hashes: readonly Hash[],
    prune: boolean,
    signal: AbortSignal | undefined,
  ): Promise<DaemonTransaction[]> {
    const body = { txs_hashes: hashes.map(toHex), decode_as_json: false, prune, split: false };
    return this.#json('/gettransactions', body, { limit: POOL_LIMIT, signal }, (r) =>
      r.objects('txs').map((tx) => toTransaction(tx, prune)),
    );
  }

  async sendRawTransaction(blob: Uint8Array): Promise<RelayOutcome> {
    const body = { tx_as_hex: toHex(blob), do_not_relay: false };
    return this.#json(
      '/sendrawtransaction',
      body,
      { limit: SMALL_LIMIT, timeout: RELAY_TIMEOUT_MS },
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

  async isKeyImageSpent(keyImages: readonly KeyImage[]): Promise<readonly KeyImageStatus[]> {
    const statuses: KeyImageStatus[] = [];
    for (let start = 0; start < keyImages.length; start += MAX_KEY_IMAGES_AT_ONCE)
      statuses.push(...(await this.#spentStatuses(keyImages.slice(start, start + MAX_KEY_IMAGES_AT_ONCE))));
    return statuses;
  }

  #spentStatuses(keyImages: readonly KeyImage[]): Promise<KeyImageStatus[]> {
    return this.#json(
      '/is_key_image_spent',
      { key_images: keyImages.map(toHex) },
      { limit: SMALL_LIMIT },
      (r) => {
        const statuses = r.list('spent_status').map((status) => Number(r.asUint(status, 'spent_status')));
        if (statuses.length !== keyImages.length)
          throw new CodecError('another number of key images than asked');
        return statuses.map((status) => {
          if (status !== 0 && status !== 1 && status !== 2) throw new CodecError('unknown key image status');
          return status;
        });
      },
    );
  }

  async getBlockHeader(height: number, options: CallOptions = {}): Promise<DaemonBlockHeader> {
    return this.#rpc('get_block_header_by_height', { height }, options, (r) =>
      toHeader(r.object('block_header')),
    );
  }

  async getLastBlockHeader(): Promise<DaemonBlockHeader> {
    return this.#rpc('get_last_block_header', undefined, {}, (r) => toHeader(r.object('block_header')));
  }

  async getBlockHeaders(start: number, count: number): Promise<readonly DaemonBlockHeader[]> {
    const range = { start_height: start, end_height: start + count - 1 };
    return this.#rpc('get_block_headers_range', range, {}, (r) => {
      const headers = r.objects('headers').map(toHeader);
      if (headers.length !== count || headers.some(({ height }, i) => height !== start + i))
        throw new CodecError('other blocks than asked');
      return headers;
    });
  }

  async getPoolBacklog(): Promise<readonly BacklogEntry[]> {
    const read = (r: JsonReader): BacklogEntry[] => {
      // Records of weight, fee and seconds in the pool, 8 bytes each.
      const packed = Buffer.from(r.text('backlog', ''), 'latin1');
      if (packed.length % BACKLOG_RECORD_BYTES !== 0) throw new CodecError('backlog: a record is cut off');
      return Array.from({ length: packed.length / BACKLOG_RECORD_BYTES }, (_, i) => ({
        weight: toIndex(packed.readBigUInt64LE(i * BACKLOG_RECORD_BYTES)),
        fee: packed.readBigUInt64LE(i * BACKLOG_RECORD_BYTES + 8),
      }));
    };
    return this.#rpc('get_txpool_backlog', undefined, {}, read, true);
  }

  async startMining(
    address: string,
    threads: number,
    background: boolean,
    ignoreBattery: boolean,
  ): Promise<void> {
    const body = {
      miner_address: address,
      threads_count: threads,
      do_background_mining: background,
      ignore_battery: ignoreBattery,
    };
    await this.#json('/start_mining', body, { limit: SMALL_LIMIT }, () => undefined);
  }

  async stopMining(): Promise<void> {
    const options = { limit: SMALL_LIMIT, timeout: STOP_MINING_TIMEOUT_MS };
    await this.#json('/stop_mining', {}, options, () => undefined);
  }

  async miningStatus(): Promise<MiningStatus> {
    return this.#json('/mining_status', {}, { limit: SMALL_LIMIT }, (r) => ({
      active: r.bool('active'),
      threads: r.number('threads_count', 0),
    }));
  }

  async #binary<T>(
    path: string,
    request: TypedSection,
    options: { readonly limit: number } & CallOptions,
    read: (r: SectionReader) => T,
  ): Promise<T> {
    const body = await this.#transport.post(path, writeStorage(request), {
      ...options,
      contentType: 'application/octet-stream',
    });
    return decoding(path, () => {
      const r = new SectionReader(readStorage(body));
      checkStatus(path, r.text('status'));
      return read(r);
    });
  }

  async #json<T>(
    path: string,
    request: { readonly [key: string]: Json },
    options: { readonly limit: number; readonly timeout?: number } & CallOptions,
    read: (r: JsonReader) => T,
    anyStatus = false,
  ): Promise<T> {
    const body = await this.#transport.post(path, writeJson(request), {
      ...options,
      contentType: 'application/json',
    });
    return decoding(path, () => {
      const r = new JsonReader(parseJson(body.toString('utf8')));
      if (!anyStatus) checkStatus(path, r.text('status'));
      return read(r);
    });
  }

  async #rpc<T>(
    method: string,
    params: { readonly [key: string]: number | string } | undefined,
    { signal }: CallOptions,
    read: (r: JsonReader) => T,
    rawStrings = false,
  ): Promise<T> {
    const request = writeJson({ jsonrpc: '2.0', id: '0', method, params });
    const body = await this.#transport.post('/json_rpc', request, {
      limit: SMALL_LIMIT,
      signal,
      contentType: 'application/json',
    });
    return decoding(method, () => {
      const text = body.toString(rawStrings ? 'latin1' : 'utf8');
      const envelope = new JsonReader(parseJson(text, { rawStrings }));
      if (envelope.has('error')) throw new DaemonError('rejected', `the daemon refused ${method}`);
      const r = envelope.object('result');
      checkStatus(method, r.text('status'));
      return read(r);
    });
  }
}

/** Source: core_rpc_server_commands_defs.h `COMMAND_RPC_SEND_RAW_TX`. */
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

function checkStatus(what: string, status: string): void {
  if (status === 'BUSY') throw new DaemonError('busy', 'the daemon is syncing');
  if (status !== 'OK') throw new DaemonError('rejected', `the daemon refused ${what}`);
}

/** Whatever goes wrong while an answer is read is the daemon's doing. */
function decoding<T>(what: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof CodecError || error instanceof RangeError || error instanceof JsonError)
      throw new DaemonError('malformed', `the daemon's answer to ${what} cannot be read`, { cause: error });
    throw error;
  }
}

const asSection = (value: unknown): SectionReader => {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array || Array.isArray(value))
    throw new CodecError('expected an object');
  return new SectionReader(value as ConstructorParameters<typeof SectionReader>[0]);
};

function toIndex(value: unknown): number {
  if (typeof value !== 'bigint' || value < 0n || value > BigInt(Number.MAX_SAFE_INTEGER))
    throw new CodecError('index out of range');
  return Number(value);
}

/** The parts that a daemon sends, put together again as far as it has them. */
function toTransaction(r: JsonReader, prune: boolean): DaemonTransaction {
  const whole = r.text('as_hex', '');
  const prunable = prune ? '' : r.text('prunable_as_hex', '');
  const pruned = whole === '' && prunable === '' && r.text('prunable_hash', '') !== '';
  const inPool = r.bool('in_pool');
  return {
    hash: r.hash('tx_hash'),
    blob: fromHex(whole === '' ? r.text('pruned_as_hex', '') + prunable : whole),
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

const toHeader = (r: JsonReader): DaemonBlockHeader => ({
  height: r.number('height'),
  hash: r.hash('hash'),
  timestamp: r.number('timestamp'),
  reward: r.uint('reward'),
  weight: r.number('block_weight', r.number('block_size', 0)),
});
