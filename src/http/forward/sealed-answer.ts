import { createHmac } from 'node:crypto';
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { equalBytes, utf8 } from '../../util/bytes.js';
import { setHeaders } from '../message/handler.js';
import { OUTCOME, type Signer } from './signature.js';

/*
 * Protocol by which two processes of a cluster prove their identity to each other in one request, from A to B. `tag` is
 * HMAC-SHA256 under a key that is made from the secret of the cluster, another key for each purpose.
 *
 * 1. A sends the head of the request with a signature S (`signature.ts`), which occurs once, and keeps the body back.
 * 2. B checks S, and answers `103` with the header `Cluster-Proof: tag('proof', S)`, then `100 Continue`. A sends the
 *    body only after this proof: it needs the secret, and proves nothing for another request.
 * 3. B answers with status 200 and `Cluster-Answer: sealed`. The real answer is in the body, as records 0, 1, 2…:
 *    length of the content (4 bytes), content (at most 64 KiB), and HMAC-SHA256(K, number of the record (8 bytes) ‖
 *    length ‖ content) (32 bytes), where K = tag('answer', S). The content of record 0 is JSON: outcome, status, reason
 *    and the listed headers. The contents of the next records are the body; an empty record is the end.
 *
 * So an answer that was changed, replayed, put in another order, cut or lengthened on its way is noticed at the first
 * changed record, also in a stream, and no changed byte reaches a client. Status and headers outside of the records are
 * ignored.
 */

/** Error of an answer that was not sent by a process of the cluster, or belongs to another request. */
export class FalseAnswer extends Error {
  override readonly name = 'FalseAnswer';
}

/** Header of the proof that the receiver of a request has the secret. */
const PROOF = 'Cluster-Proof';

/** Value of the header {@link OUTCOME} of an answer whose content is in records. */
const SEALED = 'sealed';

/**
 * Headers of an answer that reach the client, in lower case. The process that faces the client adds the headers of its
 * own connection.
 */
const LISTED: ReadonlySet<string> = new Set([
  'allow',
  'cache-control',
  'content-length',
  'content-type',
  'retry-after',
  'x-accel-buffering',
]);

const MOST_CONTENT_BYTES = 1 << 16;
const LENGTH_BYTES = 4;
const TAG_BYTES = 32;

/** Returns the proof of the receiver of a request. @param signature value of its signature. */
const proofOf = (signer: Signer, signature: string): string =>
  Buffer.from(signer.tag('proof', utf8(signature))).toString('hex');

/** Asks for the body of a request, with the proof that this process has the secret. */
export function askForBody(res: ServerResponse, signer: Signer, signature: string): void {
  // Node.js writes no head of status 103 without a link.
  res.writeEarlyHints({ link: '</>; rel=self', [PROOF]: proofOf(signer, signature) });
  res.writeContinue();
}

/** True if the head of a preliminary answer proves that the receiver of a request has the secret. */
export function isProof(
  { statusCode, headers }: Pick<IncomingMessage, 'statusCode' | 'headers'>,
  signer: Signer,
  signature: string,
): boolean {
  const given = headers[PROOF.toLowerCase()];
  return (
    statusCode === 103 &&
    typeof given === 'string' &&
    equalBytes(utf8(given), utf8(proofOf(signer, signature)))
  );
}

/** Computes the tags of the records of one answer, in their order. */
class RecordTags {
  readonly #key: Uint8Array;
  #number = 0n;

  constructor(signer: Signer, signature: string) {
    this.#key = signer.tag('answer', utf8(signature));
  }

  /** Returns the tag of the next record. @param record length and content. */
  next(record: Uint8Array): Uint8Array {
    const number = Buffer.alloc(8);
    number.writeBigUInt64BE(this.#number++);
    return createHmac('sha256', this.#key).update(number).update(record).digest();
  }
}

/** Content of the first record. */
interface Head {
  /** `served`, or a refusal. */
  readonly outcome: string;
  readonly status: number;
  /** Reason phrase of the status; absent: the usual phrase. */
  readonly reason?: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** Writes the records of one answer. */
class Sealer {
  readonly #tags: RecordTags;

  constructor(signer: Signer, signature: string) {
    this.#tags = new RecordTags(signer, signature);
  }

  head(head: Head): Buffer {
    return this.#record(utf8(JSON.stringify(head)));
  }

  /** Returns the records of a piece of the body; no records for an empty piece. */
  *body(piece: Uint8Array): Generator<{ readonly record: Buffer; readonly isLast: boolean }> {
    for (let at = 0; at < piece.length; at += MOST_CONTENT_BYTES) {
      const content = piece.subarray(at, at + MOST_CONTENT_BYTES);
      yield { record: this.#record(content), isLast: at + content.length === piece.length };
    }
  }

  end(): Buffer {
    return this.#record(new Uint8Array());
  }

  #record(content: Uint8Array): Buffer {
    const record = Buffer.allocUnsafe(LENGTH_BYTES + content.length + TAG_BYTES);
    record.writeUInt32BE(content.length);
    record.set(content, LENGTH_BYTES);
    const tagged = LENGTH_BYTES + content.length;
    record.set(this.#tags.next(record.subarray(0, tagged)), tagged);
    return record;
  }
}

type Written = (error?: Error | null) => void;

/** Arguments of `write` and `end`, whose encoding may be left out. */
const argumentsOf = (
  chunk: string | Uint8Array | undefined,
  encoding: BufferEncoding | Written | undefined,
  written: Written | undefined,
): readonly [Uint8Array, Written | undefined] =>
  typeof encoding === 'function' ? [bytesOf(chunk), encoding] : [bytesOf(chunk, encoding), written];

const bytesOf = (chunk: string | Uint8Array | undefined, encoding?: BufferEncoding): Uint8Array =>
  chunk === undefined ? new Uint8Array() : typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk;

/** Writes the answer of the handlers of a request in records. To be called before the handlers run. */
export function sealAnswer(res: ServerResponse, signer: Signer, signature: string): void {
  const sealer = new Sealer(signer, signature);
  const writeHead = res.writeHead.bind(res);
  const write: (chunk: Uint8Array, written?: Written) => boolean = res.write.bind(res);
  const end: (chunk: Uint8Array, written?: Written) => ServerResponse = res.end.bind(res);
  const begin = (): void => {
    if (!res.headersSent) res.writeHead(res.statusCode);
  };
  Object.assign(res, {
    writeHead(status: number, reason?: string | OutgoingHttpHeaders, more?: OutgoingHttpHeaders) {
      setHeaders(res, (typeof reason === 'string' ? more : reason) ?? {});
      const text = typeof reason === 'string' ? reason : res.statusMessage;
      // The types of Node.js lack this member.
      const names = (res as ServerResponse & { getRawHeaderNames(): string[] }).getRawHeaderNames();
      const head = {
        outcome: String(res.getHeader(OUTCOME)),
        status,
        ...(text === undefined ? {} : { reason: text }),
        headers: names
          .filter((name) => LISTED.has(name.toLowerCase()))
          .map((name) => [name, String(res.getHeader(name))] as const),
      };
      for (const name of names) if (name.toLowerCase() !== 'connection') res.removeHeader(name);
      writeHead(200, 'OK', { [OUTCOME]: SEALED, 'Content-Type': 'application/octet-stream' });
      // The status is set for handlers that count answers by their status.
      res.statusCode = status;
      write(sealer.head(head));
      return res;
    },
    write(chunk: string | Uint8Array, encoding?: BufferEncoding | Written, written?: Written) {
      begin();
      const [bytes, done] = argumentsOf(chunk, encoding, written);
      if (bytes.length === 0 && done !== undefined) process.nextTick(done);
      let isTaken = true;
      for (const { record, isLast } of sealer.body(bytes)) isTaken = write(record, isLast ? done : undefined);
      return isTaken;
    },
    end(chunk?: string | Uint8Array, encoding?: BufferEncoding | Written, written?: Written) {
      begin();
      const [bytes, done] = argumentsOf(chunk, encoding, written);
      for (const { record } of sealer.body(bytes)) write(record);
      return end(sealer.end(), done);
    },
  });
}

/** An answer that another process has sealed. */
export interface OpenedAnswer extends Head {
  /** The body, of which every chunk is checked. @throws FalseAnswer; Error for an answer that breaks off. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** True for an answer whose content is in records. */
export const isSealed = ({ headers }: IncomingMessage): boolean => headers[OUTCOME.toLowerCase()] === SEALED;

/**
 * Reads the head of a sealed answer, and checks it. @param signature signature of the answered request.
 * @throws FalseAnswer; Error for an answer that breaks off; the errors of the connection.
 */
export async function openAnswer(
  answer: AsyncIterable<unknown>,
  signer: Signer,
  signature: string,
): Promise<OpenedAnswer> {
  const records = contentsOf(answer as AsyncIterable<Uint8Array>, new RecordTags(signer, signature));
  const first = await records.next();
  if (first.done === true) throw new Error('the answer is empty');
  const { outcome, status, reason, headers } = JSON.parse(Buffer.from(first.value).toString()) as Head;
  const listed = headers.filter(([name]) => LISTED.has(name.toLowerCase()));
  return { outcome, status, ...(reason === undefined ? {} : { reason }), headers: listed, body: records };
}

/** Checks the records of an answer, and yields their contents without the end. */
async function* contentsOf(
  chunks: AsyncIterable<Uint8Array>,
  tags: RecordTags,
): AsyncGenerator<Uint8Array, void> {
  let read: Buffer = Buffer.alloc(0);
  let hasEnded = false;
  for await (const chunk of chunks) {
    read = read.length === 0 ? Buffer.from(chunk) : Buffer.concat([read, chunk]);
    while (read.length >= LENGTH_BYTES) {
      const length = read.readUInt32BE();
      if (hasEnded || length > MOST_CONTENT_BYTES)
        throw new FalseAnswer('the answer has bytes that are no record');
      const tagged = LENGTH_BYTES + length;
      if (read.length < tagged + TAG_BYTES) break;
      const given = read.subarray(tagged, tagged + TAG_BYTES);
      if (!equalBytes(given, tags.next(read.subarray(0, tagged))))
        throw new FalseAnswer('the answer is not that of a process of the cluster to this request');
      if (length === 0) hasEnded = true;
      else yield read.subarray(LENGTH_BYTES, tagged);
      read = read.subarray(tagged + TAG_BYTES);
    }
  }
  if (!hasEnded || read.length > 0) throw new Error('the answer ends in the middle');
}
