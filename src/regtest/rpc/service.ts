import { readStorage, SectionReader } from '../../monero/epee/portable-storage.js';
import { writeStorage, type TypedSection } from '../../monero/epee/storage-writer.js';
import { Dispatcher, methodNotFound, type Call } from '../../http/calls/dispatcher.js';
import { RpcError } from '../../http/calls/errors.js';
import type { Answer } from '../../http/calls/answer.js';
import type { Handler } from '../../http/message/handler.js';
import { type Endpoint, createHttpApp } from '../../http/http-app.js';
import type { LoginDeadline } from '../../http/server/connection-limits.js';
import { readParams } from '../../http/methods/params.js';
import { CodecError } from '../../util/codec.js';
import { isObject, JsonError, parseJson } from '../../util/json.js';
import { writeJson } from '../../util/json-writer.js';
import type { BinaryEndpoint, Context, DaemonMethod } from './method.js';
import { Registry, type Result } from '../../http/methods/method.js';
import type { Params } from '../lies/fault.js';
import { blockEndpoints } from './binary/blocks.js';
import { outputEndpoints } from './binary/outputs.js';
import { blockMethods } from './blocks.js';
import { carrotPaymentMethods } from './carrot-payments.js';
import { chainStateMethods } from './chain-state.js';
import { miningMethods, miningPaths } from './mining.js';
import { networkMethods } from './network.js';
import { poolMethods, poolPaths } from './pool.js';
import { proofOfWorkMethods } from './proof-of-work.js';
import { misbehavePaths } from './misbehave.js';
import { servicePaths } from './node-state.js';
import { transactionPaths } from './transactions.js';

export interface ServiceOptions {
  /** Handler that checks the login; absent: no login is required. */
  readonly auth?: Handler;
  readonly loginDeadline?: LoginDeadline;
  readonly origins: readonly string[];
  readonly onBug: (error: unknown, method?: string) => void;
}

/**
 * Encodes a text as Latin-1 if each of its characters fits into a byte, because such a text may contain raw bytes;
 * otherwise as UTF-8.
 */
const encodeText = (text: string): Uint8Array =>
  Buffer.from(text, /^[\u0000-\u00ff]*$/.test(text) ? 'latin1' : 'utf8');

const json = (text: string): Answer => ({
  status: 200,
  type: 'application/json',
  body: [encodeText(text)],
});

const empty = (status: number): Answer => ({ status, type: 'text/plain', body: [] });

const isOpen = (method: DaemonMethod, { restricted }: Context): boolean =>
  !(restricted && method.meta.unrestricted === true);

/** Names of the methods that a server answers. */
const openNames = (context: Context): readonly string[] =>
  methods.methods.filter((method) => isOpen(method, context)).map(({ name }) => name);

/** Answers a request as the injected faults have it. */
export function answerOf(
  method: DaemonMethod,
  { daemon, restricted }: Context,
  given: unknown,
): Promise<Result> {
  const seen = { daemon: daemon.seenIn(method.name), restricted };
  return daemon.faults.answer(method.name, given as Params, daemon.node, (params) =>
    method.handle(seen, params as never),
  );
}

function createCall(context: Context): Call {
  return async (name, given) => {
    const method = methods.find(name);
    if (method === undefined || !isOpen(method, context)) throw methodNotFound(name, openNames(context));
    const { positional, bare } = method.meta;
    const parsed: unknown = await readParams(
      method.params,
      // Parameters that are not an array count as an empty array. Source: core_rpc_server.cpp `on_getblockhash`.
      positional ? { list: Array.isArray(given) ? (given as unknown) : [] } : given,
    );
    const result = await answerOf(method, context, parsed);
    return bare === undefined ? result : (result[bare] ?? null);
  };
}

/** Returns the endpoint of a JSON path. An empty request body stands for no parameters. */
const jsonEndpoint = (
  path: string,
  method: DaemonMethod,
  context: Context,
  onBug: (error: unknown) => void,
): Endpoint => ({
  path,
  async answer(body) {
    if (!isOpen(method, context)) return empty(404);
    try {
      const given = body.length === 0 ? {} : parseJson(body.toString('utf8'));
      if (!isObject(given)) return empty(400);
      const result = await answerOf(method, context, await readParams(method.params, given));
      return json(writeJson(result));
    } catch (error) {
      if (error instanceof JsonError || error instanceof RpcError) return empty(400);
      onBug(error);
      return empty(500);
    }
  },
});

/** Answers a request in portable storage as the injected faults have it. */
export function sectionOf(
  { paths: [name = ''], handle }: BinaryEndpoint,
  { daemon, restricted }: Context,
  given: SectionReader,
): Promise<TypedSection> {
  const seen = { daemon: daemon.seenIn(name), restricted };
  return daemon.faults.section(name, given, daemon.node, async (request) => handle(seen, request));
}

const binaryPath = (
  path: string,
  endpoint: BinaryEndpoint,
  context: Context,
  onBug: (error: unknown) => void,
): Endpoint => ({
  path,
  async answer(body) {
    try {
      const request = new SectionReader(body.length === 0 ? {} : readStorage(body));
      const section = await sectionOf(endpoint, context, request);
      return {
        status: 200,
        type: 'application/octet-stream',
        body: [context.daemon.faults.binary(writeStorage(section))],
      };
    } catch (error) {
      if (error instanceof CodecError) return empty(400);
      onBug(error);
      return empty(500);
    }
  },
});

/** Creates the HTTP application of a daemon, with its JSON-RPC methods, JSON paths and binary paths. */
export function createDaemonApp(context: Context, { auth, loginDeadline, origins, onBug }: ServiceOptions) {
  const pathsOf = ({ name, aliases = [] }: DaemonMethod): string[] => [name, ...aliases];
  const endpoints = [
    ...paths.methods.flatMap((method) =>
      pathsOf(method).map((path) => jsonEndpoint(path, method, context, (error) => onBug(error, path))),
    ),
    ...binaryEndpoints.flatMap((endpoint) =>
      endpoint.paths.map((path) => binaryPath(path, endpoint, context, (error) => onBug(error, path))),
    ),
  ];
  return createHttpApp({
    dispatcher: new Dispatcher({
      call: createCall(context),
      onBug: (method, error) => onBug(error, method),
      encode: encodeText,
    }),
    ...(auth === undefined ? {} : { auth }),
    ...(loginDeadline === undefined ? {} : { loginDeadline }),
    origins,
    hosts: [],
    onBug,
    endpoints,
    anyClient: true,
  });
}

/** All JSON-RPC methods of the daemon. */
export const methods = new Registry<DaemonMethod>([
  ...blockMethods,
  ...carrotPaymentMethods,
  ...chainStateMethods,
  ...miningMethods,
  ...networkMethods,
  ...poolMethods,
  ...proofOfWorkMethods,
]);

/** All paths whose requests and answers are JSON. */
export const paths = new Registry<DaemonMethod>([
  ...servicePaths,
  ...transactionPaths,
  ...poolPaths,
  ...miningPaths,
  ...misbehavePaths,
]);

/** All paths whose requests and answers are portable storage. */
export const binaryEndpoints: readonly BinaryEndpoint[] = [...blockEndpoints, ...outputEndpoints];
