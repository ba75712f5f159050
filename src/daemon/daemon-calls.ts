import { readStorage, SectionReader } from '../monero/epee/portable-storage.js';
import { writeStorage, type TypedSection } from '../monero/epee/storage-writer.js';
import { CodecError } from '../util/codec.js';
import { JsonError, parseJson, type Json } from '../util/json.js';
import { writeJson } from '../util/json-writer.js';
import { observed, type ObserveDaemonCall } from './call-report.js';
import type { CallOptions } from './daemon.js';
import { DaemonError } from './errors.js';
import { JsonReader } from './wire-values.js';
import type { ObserveNode } from './node-identity.js';
import type { PostOptions, Transport } from './transport.js';

const MIB = 1 << 20;

/** Largest size of an answer by kind of call [bytes]. The reference limits a page of blocks to 100 MB. */
export const LIMIT = { blocks: 160 * MIB, pool: 64 * MIB, small: 8 * MIB } as const;

type Options = CallOptions & Omit<PostOptions, 'signals' | 'contentType' | 'onNode'>;

/** Calls a daemon with portable storage, JSON or JSON-RPC, and parses its answers. */
export class DaemonCalls {
  readonly #transport: Transport;
  readonly #observe: ObserveDaemonCall | undefined;
  readonly #signal: AbortSignal | undefined;

  /**
   * @param observe is called at the end of each call.
   * @param signal ends every call with its reason when it is aborted.
   */
  constructor(transport: Transport, observe?: ObserveDaemonCall, signal?: AbortSignal) {
    this.#transport = transport;
    this.#observe = observe;
    this.#signal = signal;
  }

  /**
   * Opens a connection before the first call.
   * @returns a promise that resolves when the connection is open or has failed.
   */
  connect(): Promise<void> {
    return this.#transport.connect();
  }

  /** Address of the daemon, as configured. */
  get address(): string {
    return this.#transport.address;
  }

  close(): void {
    this.#transport.close();
  }

  /** Returns a caller over the same connections whose calls `signal` ends with its reason. */
  until(signal: AbortSignal): DaemonCalls {
    return new DaemonCalls(this.#transport, this.#observe, signal);
  }

  #post(
    path: string,
    body: Uint8Array | string,
    contentType: string,
    { signal, ...options }: Options,
    onNode: ObserveNode,
  ): Promise<Buffer> {
    const signals = [this.#signal, signal].filter((source) => source !== undefined);
    return this.#transport.post(path, body, { ...options, signals, contentType, onNode });
  }

  /** Calls a path with portable storage and reads the answer as a value. @throws DaemonError */
  async binary<T>(
    path: string,
    request: TypedSection,
    options: Options,
    read: (r: SectionReader) => T,
  ): Promise<T> {
    return observed(path, this.#observe, async (onNode) => {
      const body = await this.#postBinary(path, request, options, onNode);
      return decode(path, () => {
        const r = new SectionReader(readStorage(body));
        checkStatus(path, r.text('status'));
        return read(r);
      });
    });
  }

  /**
   * Calls a path with portable storage whose answer is too large to be read as a value.
   * @param read parses the bytes of the answer.
   * @param flawOf returns the error in an answer of which a part can be used.
   * @throws DaemonError
   */
  async binaryBytes<T extends { readonly status: string }>(
    path: string,
    request: TypedSection,
    options: Options,
    read: (answer: Uint8Array) => T,
    flawOf: (answer: T) => DaemonError | undefined,
  ): Promise<T> {
    const task = async (onNode: ObserveNode): Promise<T> => {
      const body = await this.#postBinary(path, request, options, onNode);
      return decode(path, () => {
        const answer = read(body);
        checkStatus(path, answer.status);
        return answer;
      });
    };
    return observed(path, this.#observe, task, flawOf);
  }

  #postBinary(path: string, request: TypedSection, options: Options, onNode: ObserveNode): Promise<Buffer> {
    return this.#post(path, writeStorage(request), 'application/octet-stream', options, onNode);
  }

  /**
   * Calls a path with JSON.
   * @param anyStatus true: an answer whose status is not `OK` is passed to `read` too.
   * @throws DaemonError
   */
  async json<T>(
    path: string,
    request: { readonly [key: string]: Json },
    options: Options,
    read: (r: JsonReader) => T,
    anyStatus = false,
  ): Promise<T> {
    return observed(path, this.#observe, async (onNode) => {
      const body = await this.#post(path, writeJson(request), 'application/json', options, onNode);
      return decode(path, () => {
        const r = new JsonReader(parseJson(body.toString('utf8')));
        if (!anyStatus) checkStatus(path, r.text('status'));
        return read(r);
      });
    });
  }

  /** Calls a JSON-RPC method. @param rawStrings true: strings keep their bytes, as Latin-1. @throws DaemonError */
  async rpc<T>(
    method: string,
    params: { readonly [key: string]: number | string } | undefined,
    options: CallOptions,
    read: (r: JsonReader) => T,
    rawStrings = false,
  ): Promise<T> {
    const request = writeJson({ jsonrpc: '2.0', id: '0', method, params });
    return observed(method, this.#observe, async (onNode) => {
      const limits = { ...options, limit: LIMIT.small };
      const body = await this.#post('/json_rpc', request, 'application/json', limits, onNode);
      return decode(method, () => {
        const text = body.toString(rawStrings ? 'latin1' : 'utf8');
        const envelope = new JsonReader(parseJson(text, { rawStrings }));
        if (envelope.has('error')) throw new DaemonError('rejected', `the daemon refused ${method}`);
        const r = envelope.object('result');
        checkStatus(method, r.text('status'));
        return read(r);
      });
    });
  }
}

function checkStatus(call: string, status: string): void {
  if (status === 'BUSY') throw new DaemonError('busy', 'the daemon is syncing');
  if (status !== 'OK') throw new DaemonError('rejected', `the daemon refused ${call}`);
}

/** Parses an answer with `read`. @throws DaemonError `malformed` if the answer does not follow its format. */
function decode<T>(call: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof CodecError || error instanceof RangeError || error instanceof JsonError)
      throw new DaemonError('malformed', `the daemon's answer to ${call} cannot be read`, {
        cause: error,
        isForeign: true,
      });
    throw error;
  }
}
