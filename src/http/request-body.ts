import { TextDecoder } from 'node:util';
import { JsonError, JsonParser, TooManyValues, type Json } from '../util/json.js';
import { workSlices } from '../util/work-slices.js';

/** A request exceeds a limit on its size. The message names the limit. */
export class RequestTooLarge extends Error {
  override readonly name = 'RequestTooLarge';
  /** HTTP status: 413, or 503 if the same request may be accepted later. */
  readonly status: 413 | 503;

  constructor(message: string, status: 413 | 503 = 413) {
    super(message);
    this.status = status;
  }
}

/** Size class of a method's requests; the long ones contain a text or a list that grows with the wallet. */
export type RequestSize = 'ordinary' | 'long-text' | 'long-list';

export type SizeOf = (method: string) => RequestSize;

interface SizeLimit {
  readonly bytes: number;
  /** JSON values: time and memory of a request depend on their number more than on its length. */
  readonly values: number;
}

const MIB = 1024 * 1024;

/**
 * Limits by size class: within them a handler takes a fraction of a second at most. Key images and outputs of 100,000
 * payments take about 25 MiB.
 */
const LIMITS: Readonly<Record<RequestSize, SizeLimit>> = {
  ordinary: { bytes: MIB, values: 20_000 },
  'long-text': { bytes: 32 * MIB, values: 50_000 },
  'long-list': { bytes: 32 * MIB, values: 400_000 },
};
const ORDINARY = LIMITS.ordinary;
const LARGEST = LIMITS['long-list'];
const MAX_DEPTH = 100;

/** Memory of all requests over the ordinary limit that are read or answered at one time [bytes]. */
const MAX_TOTAL_BYTES = 256 * MIB;
/** Part of it that the requests of one client with limited rights may take [bytes]: one of any kind fits. */
const MAX_SHARE_BYTES = 96 * MIB;
/** Approximate memory of one parsed value [bytes]. */
const VALUE_BYTES = 100;
/** Bytes that are parsed without a pause: a few milliseconds of work at worst. */
const PART_BYTES = 32 * 1024;

let totalBytes = 0;
/** Memory by client. */
const shares = new Map<string, number>();

/** Rules for requests of one client. */
export interface RequestRules {
  readonly sizeOf: SizeOf;
  /** Client with limited rights, which may take a part of the memory for large requests; absent: all of it. */
  readonly client?: string;
  /** Refuses a large request as soon as possible. @param method undefined until it was read. @throws any error */
  readonly admit?: (method: string | undefined) => void;
}

/** Changes the memory that a client takes. */
function take(client: string | undefined, bytes: number): void {
  totalBytes += bytes;
  if (client === undefined) return;
  const share = (shares.get(client) ?? 0) + bytes;
  if (share > 0) shares.set(client, share);
  else shares.delete(client);
}

/** A parsed request. The memory of a large one counts against the server's limit until `release` is called. */
export interface ReadRequest {
  readonly request: Json;
  readonly release: () => void;
}

/**
 * Parses a request while it arrives, in slices that leave the event loop free.
 * @throws JsonError, on bytes that are not UTF-8 too. RequestTooLarge as soon as a limit is exceeded. The errors of
 * `admit` before a large request takes memory, and again once its method was read.
 */
export async function readRequest(
  chunks: AsyncIterable<Uint8Array>,
  { sizeOf, client, admit = () => undefined }: RequestRules,
): Promise<ReadRequest> {
  const parser = new JsonParser({ maxDepth: MAX_DEPTH, maxValues: LARGEST.values });
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let bytes = 0;
  let counted = 0;
  let isAdmitted = false;
  let admitted: string | undefined;
  const release = (): void => {
    take(client, -counted);
    counted = 0;
  };
  const parse = (part: Uint8Array): void => {
    bytes += part.length;
    parser.write(decode(decoder, part));
    assertSize(bytes, parser, sizeOf);
    if (bytes <= ORDINARY.bytes && parser.values <= ORDINARY.values) return;
    const method = methodIn(parser);
    if (!isAdmitted || method !== admitted) admit(method);
    isAdmitted = true;
    admitted = method;
    const cost = bytes + VALUE_BYTES * parser.values;
    const share = client === undefined ? 0 : (shares.get(client) ?? 0) - counted + cost;
    // A refused request frees its memory at once: it must not cause the refusal of another.
    if (totalBytes - counted + cost > MAX_TOTAL_BYTES || share > MAX_SHARE_BYTES) {
      release();
      throw new RequestTooLarge('other large requests are being processed: send this one again later', 503);
    }
    take(client, cost - counted);
    counted = cost;
  };
  try {
    for await (const part of inParts(chunks)) {
      // A short request, the usual one, needs no pause.
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

/** Divides a body into parts of bounded length; joins shorter chunks. */
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

/** Decodes the next bytes; without `part`, the end of the text. @throws JsonError */
function decode(decoder: TextDecoder, part?: Uint8Array): string {
  try {
    return part === undefined ? decoder.decode() : decoder.decode(part, { stream: true });
  } catch (cause) {
    throw new JsonError('not UTF-8', { cause });
  }
}

/** Method of a request so far as it was read. */
function methodIn({ root }: JsonParser): string | undefined {
  const method = (root as { readonly method?: Json } | null | undefined)?.method;
  return typeof method === 'string' ? method : undefined;
}

/**
 * Checks a request against the limit of its method. Until the method was read, which may be the last member, the
 * largest limit applies. A batch is an ordinary request.
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
