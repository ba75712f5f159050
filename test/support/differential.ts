import { parseJson, type Json } from '../../src/util/json.js';
import { writeJson } from '../../src/util/json-writer.js';
import { post, type Loose } from './json-rpc.js';
import type { WalletRpc } from './wallet-rpc.js';

/** A field in which the two servers may differ, and why. */
export interface Exception {
  readonly methods: readonly string[];
  /** Names of fields, wherever in the reply they stand. */
  readonly fields: readonly string[];
  /** `random`: of one type and length. `clock`: a few seconds apart. `differs`: of one type. */
  readonly how: 'ours alone' | 'random' | 'clock' | 'differs';
  /** Only once this method was called. */
  readonly after?: string;
  /** Most often the two agree all the same. */
  readonly seldom?: true;
  readonly reason: string;
}

/** Lists that the reference keeps in hash tables: their order says nothing. */
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

/** @throws Error when the server is silent for too long: a test must not wait for one that hangs. */
async function answerInTime(port: number, body: unknown): Promise<string> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
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
  /** One line a difference; empty where the two agree. */
  readonly differences: readonly string[];
}

/** Two servers that are asked the same, one answer held against the other. */
export class Pair {
  readonly ours: WalletRpc;
  readonly theirs: WalletRpc;
  /** Exceptions that were needed. */
  readonly used = new Set<Exception>();
  /** Methods that both answered with a result. */
  readonly answered = new Set<string>();
  readonly #exceptions: readonly Exception[];

  constructor(ours: WalletRpc, theirs: WalletRpc, exceptions: readonly Exception[]) {
    this.ours = ours;
    this.theirs = theirs;
    this.#exceptions = exceptions;
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
    return {
      mine: (JSON.parse(mine ?? '') as Loose).result,
      theirs: (JSON.parse(theirs ?? '') as Loose).result,
      differences: this.#compareReplies(method, parseJson(mine ?? ''), parseJson(theirs ?? '')),
    };
  }

  /** As `ask`, for steps that everything after them builds on. @throws Error where the two differ or refuse. */
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
    if (isObject(ourError) && isObject(theirError))
      return [...differences, ...compareErrors(ourError, theirError)];
    if (ourError !== undefined || theirError !== undefined)
      return [...differences, `error: ours ${show(ourError)}, theirs ${show(theirError)}`];
    this.answered.add(method);
    return [...differences, ...this.#compare(method, '', ourResult, theirResult)];
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

function compareErrors(ours: JsonObject, theirs: JsonObject): string[] {
  const keys = [ours, theirs].map((error) => Object.keys(error).sort().join());
  if (keys[0] !== keys[1]) return [`error: ours has ${keys[0]}, theirs ${keys[1]}`];
  if (typeof ours['message'] !== 'string' || ours['message'] === '') return ['error: ours has no message'];
  if (ours['code'] === theirs['code']) return [];
  return [`error code: ours ${show(ours['code'])}, theirs ${show(theirs)}`];
}

function mayDiffer(how: Exception['how'], mine: Json | undefined, theirs: Json | undefined): boolean {
  if (how === 'ours alone') return mine !== undefined && theirs === undefined;
  if (mine === undefined || theirs === undefined || !sameKind(mine, theirs)) return false;
  if (how === 'differs') return true;
  if (how === 'random') return String(mine).length === String(theirs).length;
  if (typeof mine !== 'bigint' || typeof theirs !== 'bigint') return false;
  return mine - theirs <= CLOCK_SECONDS && theirs - mine <= CLOCK_SECONDS;
}
