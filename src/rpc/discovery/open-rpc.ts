import * as z from 'zod';
import { EncodedJson, writeWholeJson } from '../../util/json-writer.js';
import { readOwnPackage } from '../../util/own-package.js';
import { resultSchema, type ApiVersion } from '../api-version.js';
import type { Example, WalletMethod } from '../method.js';
import { isOptional, jsonSchemaOf, type JsonSchema } from './json-schema.js';
import { errorsOf } from './method-errors.js';

/** Version of the OpenRPC specification. */
const OPEN_RPC = '1.4.1';

/** An OpenRPC document. */
export interface OpenRpc {
  readonly openrpc: string;
  readonly info: JsonSchema;
  /** List of method objects, encoded so that it contains empty lists. */
  readonly methods: EncodedJson;
}

const DESCRIPTION =
  'Calls are sent by POST to /json_rpc, or to /wallet/<name>/json_rpc for one wallet. Amounts are integers of 64 bits ' +
  'in atomic units: a client must not round them. Integer parameters may be quoted. Lists that are empty are left out ' +
  'of results, except those of methods that only this server has. Every method may also return -32603 (Internal error).';

function info(version: ApiVersion): JsonSchema {
  const about = readOwnPackage();
  return {
    title: 'wallet-rpc',
    description: DESCRIPTION,
    version: about.version,
    license: { name: about.license },
    'x-api-version': version,
  };
}

/** Describes the parameters of a method. @throws Error if the parameters are not an object. */
function paramsOf({ name, params }: WalletMethod): JsonSchema[] {
  if (!(params instanceof z.ZodObject)) throw new Error(`${name}: parameters are no object`);
  return Object.entries(params.shape as z.core.$ZodShape).map(([param, schema]) => {
    const { description, ...type } = jsonSchemaOf(schema);
    return { name: param, description, required: !isOptional(schema), schema: type };
  });
}

const pairing = ({ name, params, result }: Example): JsonSchema => ({
  name,
  params: Object.entries(params).map(([param, value]) => ({ name: param, value })),
  result: { name: 'result', value: result },
});

/** Describes a method as an OpenRPC method object. */
function describe(method: WalletMethod, version: ApiVersion): JsonSchema {
  const { name, aliases = [], summary, meta, examples = () => [] } = method;
  return {
    name,
    summary,
    tags: [{ name: meta.family }],
    paramStructure: 'by-name',
    params: paramsOf(method),
    result: { name: 'result', schema: jsonSchemaOf(resultSchema(version, method)) },
    errors: errorsOf(method).map((error) => ({ ...error })),
    examples: examples().map(pairing),
    'x-family': meta.family,
    'x-restricted': meta.restricted,
    'x-needs': meta.needs,
    ...(aliases.length === 0 ? {} : { 'x-aliases': aliases }),
  };
}

type Descriptions = WeakMap<WalletMethod, string>;

/** Encoded descriptions of methods, which never change, by method. */
const CACHES: Readonly<Record<ApiVersion, Descriptions>> = { '1.3': new WeakMap(), '1.32': new WeakMap() };

function descriptionOf(method: WalletMethod, version: ApiVersion): string {
  const cache = CACHES[version];
  const description = cache.get(method) ?? writeWholeJson(describe(method, version));
  cache.set(method, description);
  return description;
}

/** Creates the OpenRPC document of some methods, sorted by name. */
export function openRpcOf(methods: readonly WalletMethod[], version: ApiVersion): OpenRpc {
  const sorted = [...methods].sort((a, b) => (a.name < b.name ? -1 : 1));
  const descriptions = sorted.map((method) => descriptionOf(method, version));
  return {
    openrpc: OPEN_RPC,
    info: info(version),
    methods: new EncodedJson([Buffer.from(`[${descriptions.join(',')}]`)]),
  };
}
