import { TextDecoder } from 'node:util';
import { JsonError, JsonParser, parseJson, TooManyValues, type Json } from '../../util/json.js';
import { workSlices } from '../../util/event-loop.js';
import type { IncomingMessage } from 'node:http';
import { joinBytes } from '../../util/bytes.js';

/** Error of a request that exceeds a limit on its size. The message names the limit. */
export class RequestTooLarge extends Error {
  override readonly name = 'RequestTooLarge';
  /** HTTP status of the answer: 413, or 503 if the same request may be accepted later. */
  readonly status: 413 | 503;

  constructor(message: string, status: 413 | 503 = 413) {
    super(message);
    this.status = status;
  }
}

/** Size class of a method's requests; a long request contains a text or a list that grows with the wallet. */
export type RequestSize = 'ordinary' | 'long-text' | 'long-list';

/** Returns the size class of a method's requests. */
export type SizeOf = (method: string) => RequestSize;

interface SizeLimit {
  readonly bytes: number;
  /** Number of JSON values, which determines time and memory of a request more than its length. */
  readonly values: number;
}

const MIB = 1024 * 1024;

/**
 * Limits of requests by size class; for a request within the limits, a handler takes a fraction of a second at most.
 * The key images and outputs of 100,000 payments take about 25 MiB.
 */
const LIMITS: Readonly<Record<RequestSize, SizeLimit>> = {
  ordinary: { bytes: MIB, values: 20_000 },
  'long-text': { bytes: 32 * MIB, values: 50_000 },
  'long-list': { bytes: 32 * MIB, values: 400_000 },
};
const ORDINARY = LIMITS.ordinary;
const LARGEST = LIMITS['long-list'];

/** Length of a request up to which its memory is not counted [bytes]. */
export const ORDINARY_BYTES = ORDINARY.bytes;

/** Length above which every request is refused [bytes]. */
export const LARGEST_BYTES = LARGEST.bytes;

const MAX_DEPTH = 100;

/** Memory for all requests above the ordinary limit that are read or answered at one time [bytes]. */
const MAX_TOTAL_BYTES = 256 * MIB;
/**
 * Part of {@link MAX_TOTAL_BYTES} that the requests of one client with limited rights may take [bytes]; enough for one
 * request of any kind.
 */
const MAX_SHARE_BYTES = 96 * MIB;
/** Approximate memory of one parsed value [bytes]. */
const VALUE_BYTES = 100;
/** Number of bytes that are parsed without a pause: a few milliseconds of work at most. */
const PART_BYTES = 32 * 1024;

/** Length of a body that is read and parsed at once [bytes]. It cannot exceed a limit on bytes or values. */
export const SHORT_BYTES = PART_BYTES;

let totalBytes = 0;
/** Memory taken by large requests [bytes], by client. */
const shares = new Map<string, number>();

/** Rules for the requests of one client. */
export interface RequestRules {
  readonly sizeOf: SizeOf;
  /**
   * Name of a client with limited rights, which may take only a part of the memory for large requests; absent: the
   * client may take all of the memory.
   */
  readonly client?: string;
  /**
   * Refuses a large request as soon as possible.
   * @param method undefined until the name of the method was read.
   * @throws any error
   */
  readonly admit?: (method: string | undefined) => void;
}

/** Changes the memory that the large requests of a client take. */
function take(client: string | undefined, bytes: number): void {
  totalBytes += bytes;
  if (client === undefined) return;
  const share = (shares.get(client) ?? 0) + bytes;
  if (share > 0) shares.set(client, share);
  else shares.delete(client);
}

/** Memory of one large request. It counts against the limits of the server and of the client until it is released. */
export class RequestMemory {
  readonly #client: string | undefined;
  #counted = 0;

  /**
   * @param client name of a client with limited rights, which may take only a part of the memory; absent: the client
   * may take all of the memory.
   */
  constructor(client?: string) {
    this.#client = client;
  }

  /**
   * Sets the memory of the request. @param cost all memory that it takes now [bytes].
   * @throws RequestTooLarge if large requests take too much memory; the memory of this request is free then.
   */
  claim(cost: number): void {
    const share = this.#client === undefined ? 0 : (shares.get(this.#client) ?? 0) - this.#counted + cost;
    // Frees the memory of a refused request at once, so that it does not cause the refusal of another request.
    if (totalBytes - this.#counted + cost > MAX_TOTAL_BYTES || share > MAX_SHARE_BYTES) {
      this.release();
      throw new RequestTooLarge('other large requests are being processed: send this one again later', 503);
    }
    take(this.#client, cost - this.#counted);
    this.#counted = cost;
  }

  release(): void {
    take(this.#client, -this.#counted);
    this.#counted = 0;
  }
}

/** A parsed request. The memory of a large request counts against the server's limit until `release` is called. */
export interface ReadRequest {
  readonly request: Json;
  readonly release: () => void;
}

const shortDecoder = new TextDecoder('utf-8', { fatal: true });
const nothingToRelease = (): void => undefined;

/**
 * Parses a request: a short request at once, any other request while it arrives, in parts between which the event loop
 * runs.
 * @param body the complete bytes of a request of at most {@link SHORT_BYTES}, or the chunks of any request.
 * @throws JsonError, also for bytes that are not UTF-8; RequestTooLarge as soon as a limit is exceeded; the errors of
 * `admit`, which is called before a large request takes memory, and again when its method is known.
 */
export async function readRequest(
  body: Promise<Uint8Array> | AsyncIterable<Uint8Array>,
  rules: RequestRules,
): Promise<ReadRequest> {
  if (!(body instanceof Promise)) return readChunks(body, rules);
  const request = parseJson(decode(shortDecoder, await body, false), { maxDepth: MAX_DEPTH });
  return { request, release: nothingToRelease };
}

async function readChunks(
  chunks: AsyncIterable<Uint8Array>,
  { sizeOf, client, admit = () => undefined }: RequestRules,
): Promise<ReadRequest> {
  const parser = new JsonParser({ maxDepth: MAX_DEPTH, maxValues: LARGEST.values });
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let bytes = 0;
  let isAdmitted = false;
  let admitted: string | undefined;
  const memory = new RequestMemory(client);
  const release = (): void => memory.release();
  const parse = (part: Uint8Array): void => {
    bytes += part.length;
    parser.write(decode(decoder, part));
    assertSize(bytes, parser, sizeOf);
    if (bytes <= ORDINARY.bytes && parser.values <= ORDINARY.values) return;
    const method = methodIn(parser);
    if (!isAdmitted || method !== admitted) admit(method);
    isAdmitted = true;
    admitted = method;
    memory.claim(bytes + VALUE_BYTES * parser.values);
  };
  try {
    for await (const part of inParts(chunks)) {
      // Parses a short request, the usual case, without a pause.
      if (bytes === 0) parse(part);
      else await workSlices.run(() => parse(part));
    }
    parser.write(decode(decoder));
    const request = parser.end();
    assertSize(bytes, parser, sizeOf, true);
    return { request, release };
  } catch (error) {
    release();
    throw error instanceof TooManyValues ? tooManyValues(LARGEST) : error;
  }
}

/** Splits a body into parts of limited length, and joins short chunks. */
async function* inParts(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  let short: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    short.push(chunk);
    length += chunk.length;
    if (length < PART_BYTES) continue;
    const joined = short.length === 1 ? chunk : Buffer.concat(short);
    for (let at = 0; at < joined.length; at += PART_BYTES) yield joined.subarray(at, at + PART_BYTES);
    short = [];
    length = 0;
  }
  if (length > 0) yield Buffer.concat(short);
}

/**
 * Decodes the next bytes. @param part absent: ends the text. @param stream whether further bytes follow.
 * @throws JsonError for bytes that are not UTF-8.
 */
function decode(decoder: TextDecoder, part?: Uint8Array, stream = part !== undefined): string {
  try {
    return stream ? decoder.decode(part, { stream }) : decoder.decode(part);
  } catch (cause) {
    throw new JsonError('not UTF-8', { cause });
  }
}

/** Returns the method of a partly parsed request; undefined until it was read. */
function methodIn({ root }: JsonParser): string | undefined {
  const method = (root as { readonly method?: Json } | null | undefined)?.method;
  return typeof method === 'string' ? method : undefined;
}

/**
 * Checks a request against the size limit of its method. The largest limit applies until the method was read, which may
 * be the last member. A batch is an ordinary request.
 * @throws RequestTooLarge
 */
function assertSize(bytes: number, parser: JsonParser, sizeOf: SizeOf, complete = false): void {
  if (bytes <= ORDINARY.bytes && parser.values <= ORDINARY.values) return;
  const method = methodIn(parser);
  const known = complete || Array.isArray(parser.root) || method !== undefined;
  const limit = known ? LIMITS[method === undefined ? 'ordinary' : sizeOf(method)] : LARGEST;
  if (bytes > limit.bytes) throw tooManyBytes(limit);
  if (parser.values > limit.values) throw tooManyValues(limit);
}

const tooManyBytes = ({ bytes }: SizeLimit): RequestTooLarge =>
  new RequestTooLarge(`a request of this kind has at most ${bytes} bytes`);

const tooManyValues = ({ values }: SizeLimit): RequestTooLarge =>
  new RequestTooLarge(`a request of this kind has at most ${values} JSON values`);

const given = new WeakMap<IncomingMessage, AsyncIterable<Uint8Array>>();

/**
 * Replaces the body that the handlers of a request read, because a part of the body was read before, or because the
 * body is checked while it is read.
 */
export const giveBody = (req: IncomingMessage, body: AsyncIterable<Uint8Array>): void =>
  void given.set(req, body);

/** Returns the body of a request in chunks, as they arrive. Keeps the connection open if it is not read to the end. */
export const bodyOf = (req: IncomingMessage): AsyncIterable<Uint8Array> =>
  given.get(req) ?? req.iterator({ destroyOnReturn: false });

/**
 * Reads a body whose declared length is short, the usual case, in half the time of {@link bodyOf}.
 * @returns undefined for any other body, and for a request that is lost. Rejects if the connection ends before the body.
 */
export function shortBodyOf(req: IncomingMessage): Promise<Uint8Array> | undefined {
  const length = Number(req.headers['content-length'] ?? NaN);
  if (!(length <= SHORT_BYTES) || given.has(req) || req.destroyed) return undefined;
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    req.on('data', (chunk: Uint8Array) => chunks.push(chunk));
    req.on('end', () => resolve(joinBytes(chunks)));
    req.on('error', reject);
    req.on('close', () => isLost(req) && reject(new Error('the connection ended before the body')));
  });
}

/**
 * True if the connection of a request ended before the request was read to its end. The request may have arrived
 * completely: bytes that a handler has not read yet are lost with the connection.
 */
export const isLost = (req: IncomingMessage): boolean => req.destroyed && !req.readableEnded;
