import { parseJson, type Json } from '../../../src/util/json.js';
import { writeJson } from '../../../src/util/json-writer.js';
import { post, type Loose } from '../network/json-rpc.js';
import type { WalletRpc } from '../processes/wallet-rpc.js';

/** Field in which the two servers may differ, and the reason. */
export interface Exception {
  readonly methods: readonly string[];
  /** Field names, at any depth of the reply. */
  readonly fields: readonly string[];
  /** `random`: same type and length. `clock`: a few seconds apart. `differs`: same type. */
  readonly how: 'ours alone' | 'random' | 'clock' | 'differs';
  /** Applies only after a call of this method. */
  readonly after?: string;
  /** The two usually agree, so the exception need not be used. */
  readonly seldom?: true;
  readonly reason: string;
}

/** Refusal in which the two servers may differ, and the reason. */
export interface RefusalException {
  readonly methods: readonly string[];
  /** Prefix of our error as `code message`; `answers`: no error. */
  readonly ours: string;
  /** Prefix of the reference's error. */
  readonly theirs: string;
  /** The two usually agree, so the exception need not be used. */
  readonly seldom?: true;
  readonly reason: string;
}

/** Lists that the reference reads from hash tables, in arbitrary order. */
const UNORDERED: Readonly<Record<string, readonly string[]>> = {
  get_transfers: ['in', 'out', 'pending', 'failed', 'pool'],
  get_transfer_by_txid: ['transfers'],
  get_payments: ['payments'],
  get_bulk_payments: ['payments'],
};

const CLOCK_SECONDS = 10n;

type JsonObject = { readonly [key: string]: Json | undefined };

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);

const show = (value: Json | undefined): string =>
  value === undefined ? 'nothing' : writeJson(value).slice(0, 200);

const sameKind = (a: Json, b: Json): boolean => typeof a === typeof b && isList(a) === isList(b);

const entryKey = (entry: Json): string => {
  if (!isObject(entry)) return show(entry);
  const { txid, tx_hash, type, subaddr_index } = entry;
  return [txid ?? tx_hash, type, subaddr_index].map(show).join();
};

const PATIENCE_MS = 90_000;

/**
 * Calls a server, and waits a limited time for its answer.
 * @throws Error when the server does not answer in time: a test must not wait for a hanging server.
 */
async function answerInTime(port: number, body: unknown): Promise<string> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    // Timer: a time limit, which ends no run that answers.
    timer = setTimeout(() => reject(new Error(`silent for ${PATIENCE_MS} ms`)), PATIENCE_MS);
  });
  try {
    return (await Promise.race([post(port, '/json_rpc', body), late])).text;
  } finally {
    clearTimeout(timer);
  }
}

export interface BothReplies {
  /** The results as untyped JSON; undefined after an error. */
  readonly mine: Loose;
  readonly theirs: Loose;
  /** One line per difference; empty when the two agree. */
  readonly differences: readonly string[];
}

/** Two servers that get the same calls; compares their answers. */
export class Pair {
  readonly ours: WalletRpc;
  readonly theirs: WalletRpc;
  /** Exceptions that were applied. */
  readonly used = new Set<Exception | RefusalException>();
  /** Methods that both answered with a result. */
  readonly answered = new Set<string>();
  readonly #exceptions: readonly Exception[];
  readonly #refusals: readonly RefusalException[];

  constructor(
    ours: WalletRpc,
    theirs: WalletRpc,
    exceptions: readonly Exception[],
    refusals: readonly RefusalException[] = [],
  ) {
    this.ours = ours;
    this.theirs = theirs;
    this.#exceptions = exceptions;
    this.#refusals = refusals;
  }

  async ask(method: string, params: unknown = {}): Promise<BothReplies> {
    const body = { jsonrpc: '2.0', id: 'same', method, params };
    const [mine, theirs] = await Promise.all(
      Object.entries({ us: this.ours, them: this.theirs }).map(async ([who, { port }]) => {
        try {
          return await answerInTime(port, body);
        } catch (cause) {
          throw new Error(`no answer from ${who} to ${method} ${JSON.stringify(params)}`, { cause });
        }
      }),
    );
    const again = await this.#onceMore(body, mine ?? '', theirs ?? '');
    return {
      mine: (JSON.parse(mine ?? '') as Loose).result,
      theirs: (JSON.parse(again) as Loose).result,
      differences: this.#compareReplies(method, parseJson(mine ?? ''), parseJson(again)),
    };
  }

  /** Repeats a call when only the reference reports no daemon: it takes a slow daemon for a missing one. */
  async #onceMore(body: unknown, mine: string, theirs: string): Promise<string> {
    const ours = textOf(refusalIn(mine));
    let answer = theirs;
    for (let attempt = 1; attempt < ATTEMPTS; attempt++) {
      const text = textOf(refusalIn(answer));
      if (text === ours || !NO_DAEMON.includes(text)) break;
      answer = await answerInTime(this.theirs.port, body);
    }
    return answer;
  }

  /** Like `ask`, for steps that later ones build on. @throws Error when the two differ or refuse. */
  async step(method: string, params: unknown = {}): Promise<BothReplies> {
    const both = await this.ask(method, params);
    if (both.differences.length > 0) throw new Error(`${method}: ${both.differences.join('; ')}`);
    if (both.mine === undefined) throw new Error(`${method} was refused by both`);
    return both;
  }

  #compareReplies(method: string, mine: Json, theirs: Json): string[] {
    if (!isObject(mine) || !isObject(theirs)) return ['an answer is no object'];
    const { error: ourError, result: ourResult, ...ourEnvelope } = mine;
    const { error: theirError, result: theirResult, ...theirEnvelope } = theirs;
    const differences = this.#compare(method, 'envelope', ourEnvelope, theirEnvelope);
    if (ourError !== undefined || theirError !== undefined)
      return [...differences, ...shapeOf(ourError), ...this.#compareRefusals(method, ourError, theirError)];
    this.answered.add(method);
    return [...differences, ...this.#compare(method, '', ourResult, theirResult)];
  }

  /** Compares code and message, or reports which of the two answers. */
  #compareRefusals(method: string, mine: Json | undefined, theirs: Json | undefined): string[] {
    const [ours, other] = [textOf(mine), textOf(theirs)];
    if (ours === other) return [];
    const excused = this.#refusals.find(
      (exception) =>
        exception.methods.includes(method) &&
        ours.startsWith(exception.ours) &&
        other.startsWith(exception.theirs),
    );
    if (excused === undefined) return [`refusal: ours '${ours}', theirs '${other}'`];
    this.used.add(excused);
    return [];
  }

  #compare(method: string, path: string, mine: Json | undefined, theirs: Json | undefined): string[] {
    if (isList(mine) && isList(theirs)) {
      if (mine.length !== theirs.length)
        return [`${path} has ${mine.length} items with us, ${theirs.length} with them`];
      const [ourItems, theirItems] = UNORDERED[method]?.includes(path)
        ? [mine, theirs].map((items) => [...items].sort((a, b) => (entryKey(a) < entryKey(b) ? -1 : 1)))
        : [mine, theirs];
      return mine.flatMap((_, i) => this.#compare(method, `${path}[${i}]`, ourItems?.[i], theirItems?.[i]));
    }
    if (isObject(mine) && isObject(theirs)) {
      const keys = [...new Set([...Object.keys(mine), ...Object.keys(theirs)])];
      return keys.flatMap((key) =>
        this.#compareField(method, path === '' ? key : `${path}.${key}`, key, mine[key], theirs[key]),
      );
    }
    return mine === theirs ? [] : [`${path}: ours ${show(mine)}, theirs ${show(theirs)}`];
  }

  #compareField(
    method: string,
    path: string,
    key: string,
    mine: Json | undefined,
    theirs: Json | undefined,
  ): string[] {
    const differences = this.#compare(method, path, mine, theirs);
    if (differences.length === 0) return [];
    const excused = this.#exceptions.find(
      (exception) =>
        exception.methods.includes(method) &&
        exception.fields.includes(key) &&
        (exception.after === undefined || this.answered.has(exception.after)) &&
        mayDiffer(exception.how, mine, theirs),
    );
    if (excused === undefined) return differences;
    this.used.add(excused);
    return [];
  }
}

const ATTEMPTS = 5;
const NO_DAEMON = [
  '-38 no connection to daemon',
  '-4 Failed to get height',
  '-4 Failed to get earliest fork height',
];

function refusalIn(answer: string): Json | undefined {
  const parsed = parseJson(answer);
  return isObject(parsed) ? parsed['error'] : undefined;
}

const textOf = (error: Json | undefined): string =>
  isObject(error) ? `${String(error['code'])} ${String(error['message'])}` : 'answers';

/** Checks that an error has a code and a message, and nothing else. */
function shapeOf(error: Json | undefined): string[] {
  if (!isObject(error)) return [];
  const { code, message, ...others } = error;
  const fine = typeof code === 'bigint' && typeof message === 'string' && message !== '';
  return fine && Object.keys(others).length === 0 ? [] : [`error: ours is ${show(error)}`];
}

function mayDiffer(how: Exception['how'], mine: Json | undefined, theirs: Json | undefined): boolean {
  if (how === 'ours alone') return mine !== undefined && theirs === undefined;
  if (mine === undefined || theirs === undefined || !sameKind(mine, theirs)) return false;
  if (how === 'differs') return true;
  if (how === 'random') return String(mine).length === String(theirs).length;
  if (typeof mine !== 'bigint' || typeof theirs !== 'bigint') return false;
  return mine - theirs <= CLOCK_SECONDS && theirs - mine <= CLOCK_SECONDS;
}
