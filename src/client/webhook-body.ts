/** Request of `node:http`, and of Express, as far as a handler needs it. */
export interface NodeRequest {
  readonly method?: string | undefined;
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined };
  readonly readableDidRead?: boolean | undefined;
  readonly readableEnded?: boolean | undefined;
  on(event: 'data', listener: (part: Uint8Array | string) => void): unknown;
  on(event: 'end', listener: () => void): unknown;
  // oxlint-disable-next-line typescript/unified-signatures -- the types of node:http have no event of either name
  on(event: 'close', listener: () => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  pause(): unknown;
}

/** Answer of `node:http`, and of Express, as far as a handler needs it. */
export interface NodeResponse {
  writeHead(status: number, headers: { [name: string]: string }): unknown;
  end(text: string): unknown;
}

/** Request of Fetch, as far as a handler needs it. */
export interface FetchRequest {
  readonly method: string;
  readonly headers: { get(name: string): string | null };
  readonly bodyUsed: boolean;
  readonly body: { getReader(): BodyReader } | null;
}

/** Reader of the body of a request of Fetch. */
export interface BodyReader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
  cancel(): Promise<void>;
}

/** Longest body that a handler reads [bytes]; events have some hundred. */
const MAX_BYTES = 1 << 20;

/** Error of a request whose body another part of the program has read. The message says what to do about it. */
export class BodyTaken extends Error {
  override readonly name = 'BodyTaken';

  constructor() {
    super(
      "a parser has read the body, whose bytes the signature covers: mount the webhook before express.json(), or give its route express.raw({ type: 'application/json' })",
    );
  }
}

/** Error of a body that exceeds the limit. */
export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge';

  constructor() {
    super('the body is too large');
  }
}

/** Collects the parts of a body. */
class Parts {
  readonly #parts: Uint8Array[] = [];
  #length = 0;

  /** Adds the next part. @throws BodyTooLarge */
  add(part: Uint8Array): void {
    this.#length += part.length;
    if (this.#length > MAX_BYTES) throw new BodyTooLarge();
    this.#parts.push(part);
  }

  whole(): Uint8Array {
    return Buffer.concat(this.#parts);
  }
}

const isRaw = (value: unknown): value is string | Uint8Array =>
  typeof value === 'string' || value instanceof Uint8Array;

/**
 * Reads the body of a request of `node:http`. Takes the bytes that another part of the program has kept: `body` of
 * `express.raw` or `express.text`, or `rawBody`, which some platforms add.
 * @throws BodyTaken if a parser has read it, BodyTooLarge; the error of the connection.
 */
export async function readNodeBody(request: NodeRequest): Promise<string | Uint8Array> {
  const { rawBody, body } = request as { readonly rawBody?: unknown; readonly body?: unknown };
  for (const kept of [rawBody, body]) if (isRaw(kept)) return kept;
  if (request.readableDidRead === true || request.readableEnded === true) throw new BodyTaken();
  const parts = new Parts();
  await new Promise<void>((resolve, reject) => {
    request.on('data', (part: Uint8Array | string) => {
      try {
        parts.add(typeof part === 'string' ? Buffer.from(part) : part);
      } catch (error) {
        request.pause();
        reject(error as Error);
      }
    });
    request.on('end', resolve);
    request.on('error', reject);
    request.on('close', () => reject(new Error('the request broke off')));
  });
  const whole = parts.whole();
  // A platform that parses every body may leave an empty stream.
  if (whole.length === 0 && body !== undefined) throw new BodyTaken();
  return whole;
}

/** Reads the body of a request of Fetch. @throws BodyTaken, BodyTooLarge; the error of the connection. */
export async function readFetchBody({ bodyUsed, body }: FetchRequest): Promise<Uint8Array> {
  if (bodyUsed) throw new BodyTaken();
  const parts = new Parts();
  const reader = body?.getReader();
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
    if (done || value === undefined) return parts.whole();
    try {
      parts.add(value);
    } catch (error) {
      void reader?.cancel().catch(() => undefined);
      throw error;
    }
  }
}
