import type { WalletEvent } from './methods.js';
import {
  BodyTaken,
  BodyTooLarge,
  readFetchBody,
  readNodeBody,
  type FetchRequest,
  type NodeRequest,
  type NodeResponse,
} from './webhook-body.js';
import {
  isWebhookTest,
  readKeys,
  verifyWebhook,
  WebhookError,
  type VerifyOptions,
  type WebhookHeaders,
} from './webhook.js';

/** Record of the events that were processed, by their ids: a table of the shop's database. */
export interface SeenEvents {
  /** True if the event was processed, so that it is only acknowledged. */
  seen(id: number, event: WalletEvent): boolean | Promise<boolean>;
  /**
   * Records an event once it was processed. Absent: `onEvent` records it, best in the transaction of its other changes, so
   * that a crash between the two repeats nothing.
   */
  add?(id: number, event: WalletEvent): unknown;
}

/** Options of a handler. */
export interface WebhookHandlerOptions extends Pick<VerifyOptions, 'tolerance'> {
  /** Secret of the webhook; a list for the webhooks of several wallets, or while a secret is rotated. */
  readonly secret: string | readonly string[];
  /** Processes an event. Once it has returned, or its promise has resolved, the server does not send the event again. */
  readonly onEvent: (event: WalletEvent) => unknown;
  /** Record of the processed events; absent: a bounded one in memory, which a restart empties. */
  readonly events?: SeenEvents | undefined;
  /** Called with errors of `onEvent` and of the record, and with refused requests; default: the former are printed. */
  readonly onError?: ((error: unknown, event: WalletEvent | undefined) => void) | undefined;
}

/** Handler of the requests of a webhook. Its functions can be passed on without the object. */
export interface WebhookHandler {
  /** Handles a request of Express, or of any server that has the requests of `node:http`. */
  readonly express: (request: NodeRequest, response: NodeResponse) => Promise<void>;
  /** Handles a request of Fetch: of Hono, Next.js, Deno, Bun. */
  readonly fetch: (request: FetchRequest) => Promise<Response>;
}

/** Number of ids that the record in memory keeps. */
const KEPT_IDS = 10_000;

/**
 * Creates a record in memory, for programs that a repeated event does no harm. It forgets everything when the program ends.
 * @param most number of ids that it keeps, the latest ones.
 */
export function seenInMemory(most = KEPT_IDS): SeenEvents {
  const ids = new Set<number>();
  return {
    seen: (id) => ids.has(id),
    add(id) {
      ids.add(id);
      const [oldest] = ids;
      if (ids.size > most && oldest !== undefined) ids.delete(oldest);
    },
  };
}

/** Answer to a request. */
interface Answer {
  readonly status: number;
  readonly text: string;
}

const TOO_LARGE = 413;
const DONE: Answer = { status: 204, text: '' };
const POST_ONLY: Answer = { status: 405, text: 'POST only\n' };
const FAILED: Answer = { status: 500, text: 'the event was not processed\n' };

/** Returns the answer to a request that was refused; undefined for an error of the program. */
function refusalOf(error: unknown): Answer | undefined {
  if (error instanceof WebhookError) {
    const status = error.reason === 'signature' || error.reason === 'timestamp' ? 401 : 400;
    return { status, text: `${error.message}\n` };
  }
  if (error instanceof BodyTooLarge) return { status: TOO_LARGE, text: `${error.message}\n` };
  // Only who set up the route can see to it: test_webhook shows the text.
  if (error instanceof BodyTaken) return { status: 500, text: `${error.message}\n` };
  return undefined;
}

function printError(error: unknown, event: WalletEvent | undefined): void {
  if (error instanceof WebhookError || error instanceof BodyTooLarge) return;
  console.error(event === undefined ? 'webhook:' : `webhook, event ${event.id}:`, error);
}

/**
 * Creates the handler of a webhook. It checks the signature of each request, calls `onEvent` once for each event, and
 * answers 204 when that has ended. Requests that the server did not sign are answered 400 or 401, errors of `onEvent` 500,
 * after which the server sends the event again. Deliveries of `test_webhook` are answered 204 and passed to nobody.
 * @throws RangeError for a malformed secret.
 */
export function webhookHandler(options: WebhookHandlerOptions): WebhookHandler {
  const { secret, onEvent, tolerance, events = seenInMemory(), onError = printError } = options;
  readKeys(secret);
  /** Events that are being processed: the server sends an event again that takes longer than its time limit. */
  const running = new Map<number, Promise<Answer>>();

  const report = (error: unknown, event?: WalletEvent): void => {
    try {
      onError(error, event);
    } catch {
      // The request is answered all the same.
    }
  };

  const run = async (event: WalletEvent): Promise<Answer> => {
    try {
      if (await events.seen(event.id, event)) return DONE;
      await onEvent(event);
      await events.add?.(event.id, event);
      return DONE;
    } catch (error) {
      report(error, event);
      return FAILED;
    } finally {
      running.delete(event.id);
    }
  };

  /** Processes an event, or waits for the end of the processing that another request began. */
  const runOnce = (event: WalletEvent): Promise<Answer> => {
    const begun = running.get(event.id);
    if (begun !== undefined) return begun;
    const answered = Promise.resolve(event).then(run);
    running.set(event.id, answered);
    return answered;
  };

  const answer = async (
    method: string | undefined,
    headers: WebhookHeaders,
    read: () => Promise<string | Uint8Array>,
  ): Promise<Answer> => {
    if (method !== 'POST') return POST_ONLY;
    try {
      const event = verifyWebhook(headers, await read(), secret, { tolerance });
      if (isWebhookTest(event)) return DONE;
      return await runOnce(event);
    } catch (error) {
      report(error);
      return refusalOf(error) ?? FAILED;
    }
  };

  return {
    async express(request, response) {
      const given = await answer(request.method, request.headers, () => readNodeBody(request));
      // The rest of a body that is too large is not read.
      const close = given.status === TOO_LARGE ? { connection: 'close' } : {};
      response.writeHead(given.status, { ...headersOf(given), ...close });
      response.end(given.text);
    },
    async fetch(request) {
      const given = await answer(request.method, request.headers, () => readFetchBody(request));
      return new Response(given.text === '' ? null : given.text, {
        ...{ status: given.status, headers: headersOf(given) },
      });
    },
  };
}

const headersOf = ({ status, text }: Answer): Record<string, string> => ({
  ...(text === '' ? {} : { 'content-type': 'text/plain; charset=utf-8' }),
  ...(status === POST_ONLY.status ? { allow: 'POST' } : {}),
});
