import type { Request, RequestHandler, Response } from 'express';
import { utf8 } from '../../util/bytes.js';
import { isObject, parseJson, type Json } from '../../util/json.js';
import { writeWholeJson } from '../../util/json-writer.js';
import { decodePercent } from '../../util/address.js';
import { RpcError } from '../calls/errors.js';
import { bodyOf, isLost } from '../message/request-body.js';
import { attempt, type AttemptParts } from './attempt.js';
import { hashOf, loginText, originOf } from './signature.js';

/** Function that the other processes of a cluster may call. @throws RpcError, which the caller receives */
export type MemberAction = (body: Json) => Promise<Json>;

/** Error of a call to another process that has no result. */
export class MemberCallError extends Error {
  override readonly name = 'MemberCallError';
  /** False if the action has certainly not run. */
  readonly mayHaveRun: boolean;

  constructor(message: string, mayHaveRun: boolean, options?: ErrorOptions) {
    super(message, options);
    this.mayHaveRun = mayHaveRun;
  }
}

/** Longest body of a call and of its answer [bytes]. */
const MOST_BYTES = 1 << 20;
const TIMEOUT_MS = 10_000;
const PATH = '/cluster/';

/** Calls the actions of the other processes of a cluster. */
export class MemberCalls {
  readonly #parts: AttemptParts;

  constructor(parts: AttemptParts) {
    this.#parts = parts;
  }

  /**
   * Calls an action of another process. @param url address of the process. @param action name of the action.
   * @param timeoutMs longest time for the whole call [ms].
   * @returns the result of the action. @throws RpcError of the action; MemberCallError.
   */
  async post(url: string, action: string, body: Json, timeoutMs = TIMEOUT_MS): Promise<Json> {
    const bytes = utf8(writeWholeJson(body));
    const signal = AbortSignal.timeout(timeoutMs);
    const result = await attempt(
      this.#parts,
      url,
      {
        ...{ method: 'POST', url: `${PATH}${encodeURIComponent(action)}` },
        headers: { 'content-type': 'application/json' },
        ...{ login: loginText({ kind: 'member' }), client: '' },
        body: {
          chunks: [bytes],
          length: bytes.length,
          hash: hashOf([bytes]),
        },
      },
      signal,
    );
    const from = `${originOf(url)} ${action}`;
    if (result.kind === 'refused') throw new MemberCallError(`${from}: refused (${result.refusal})`, false);
    if (result.kind !== 'answered')
      throw new MemberCallError(`${from}: ${result.cause.message}`, result.kind === 'lost', result);
    try {
      const text = await readWhole(result.answer.body);
      return resultIn(parseJson(text.toString()));
    } catch (cause) {
      if (cause instanceof RpcError) throw cause;
      throw new MemberCallError(`${from}: ${(cause as Error).message}`, true, { cause });
    } finally {
      result.end();
    }
  }
}

function resultIn(answer: Json): Json {
  if (!isObject(answer)) throw new Error('the answer is no object');
  const { error, result } = answer as { readonly error?: Json; readonly result?: Json };
  if (!isObject(error)) return result ?? null;
  throw new RpcError(Number(error['code']), String(error['message']));
}

/** Reads a body to its end. @throws Error if it is too long. */
async function readWhole(chunks: AsyncIterable<unknown>): Promise<Buffer> {
  const read: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    if (length > MOST_BYTES) throw new Error(`longer than ${MOST_BYTES} bytes`);
    read.push(chunk);
  }
  return Buffer.concat(read);
}

export interface MemberActionsOptions {
  readonly actions: { readonly [name: string]: MemberAction };
  /** True for a call that another process has signed. */
  readonly isOfMember: (req: Request) => boolean;
  readonly onBug: (error: unknown) => void;
}

/** Creates the handler of calls that other processes make themselves; it ignores all other requests. */
export function memberActions({ actions, isOfMember, onBug }: MemberActionsOptions): RequestHandler {
  const known = new Map(Object.entries(actions));
  const send = (res: Response, status: number, answer: { readonly [key: string]: Json }): void => {
    const body = Buffer.from(writeWholeJson(answer));
    res.set('Content-Length', String(body.length));
    res.status(status).type('application/json').end(body);
  };
  const errorOf = (code: number, message: string): { readonly [key: string]: Json } => ({
    error: { code: BigInt(code), message },
  });
  const answer = async (req: Request, res: Response, action: MemberAction | undefined): Promise<void> => {
    try {
      const body = parseJson((await readWhole(bodyOf(req))).toString());
      if (action === undefined) return send(res, 404, errorOf(-32601, 'no such action'));
      return send(res, 200, { result: await action(body) });
    } catch (error) {
      if (error instanceof RpcError) return send(res, 200, errorOf(error.code, error.message));
      if ((error as { readonly status?: unknown }).status === 401) return void res.status(401).end();
      if (!isLost(req)) onBug(error);
      return send(res, 500, errorOf(-32603, 'Internal error'));
    }
  };
  return (req, res, next) => {
    if (!isOfMember(req)) return next();
    if (req.method !== 'POST' || !req.path.startsWith(PATH)) return void res.status(404).end();
    const name = decodePercent(req.path.slice(PATH.length));
    answer(req, res, name === undefined ? undefined : known.get(name)).catch(onBug);
    return undefined;
  };
}
