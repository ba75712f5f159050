import * as z from 'zod';
import type { JsonRows, PagedResult } from '../http/calls/json-rows.js';
import * as wire from '../http/methods/wire.js';
import type { Json } from '../util/json.js';
import { WalletError, type Fault } from '../model/wallet-error.js';

/** Version of the API. `1.3`: exactly as specified; `1.32`: as the current monero-wallet-rpc. */
export type ApiVersion = '1.3' | '1.32';

const packed = (major: number, minor: number): number => major * 0x10000 + minor;

/** Version that get_version returns, and that the results of handlers have. */
export const LATEST_API = packed(1, 32);

type Params = Readonly<Record<string, unknown>>;

/**
 * Difference between the two API versions. Handlers accept the parameters of both versions, and return results of 1.32.
 */
interface Difference {
  /** Name of the row in the table of decisions. */
  readonly row: string;
  readonly methods: readonly string[];
  /** Converts parsed parameters for the handler, or throws if the version does not allow them. */
  readonly request?: Partial<Record<ApiVersion, (params: Params) => Params>>;
  /** Converts the handler's result to the result of the version. */
  readonly reply?: Partial<Record<ApiVersion, (result: PagedResult) => PagedResult>>;
  /** Converts the schema of the handler's result to the schema of the version's result. */
  readonly result?: Partial<Record<ApiVersion, (schema: z.ZodObject) => z.ZodObject>>;
  /** Converts a fault to a result, if the version does not treat it as an error; undefined otherwise. */
  readonly fault?: Partial<Record<ApiVersion, (fault: Fault) => PagedResult | undefined>>;
}

const HASH_DIGITS = 64;

/** Highest priority that has a fee level. */
const HIGHEST_PRIORITY = 4;

const obsoletePaymentId = (text: string): WalletError =>
  new WalletError({
    kind: 'bad_uri',
    reason: 'standalone payment ids are obsolete: use an integrated address',
    text,
  });

const minorIndex = (item: Json): Json => {
  const { subaddr_index: index, ...rest } = item as { readonly subaddr_index: { readonly minor: number } };
  return { ...rest, subaddr_index: index.minor };
};

/** Removes the size of a transaction: clients of the reference reject unknown fields. */
const withoutSize = (item: Json): Json => ({ ...(item as Params), tx_size: undefined }) as Json;

const withoutPaymentId = (entry: Json): Json => ({ ...(entry as Params), payment_id: undefined }) as Json;

/** Changes the schema of the rows of a list. @throws Error if the schema has no such list. */
function withRows(schema: z.ZodObject, name: string, change: (row: z.ZodObject) => z.ZodObject): z.ZodObject {
  const list = schema.shape[name];
  const rows = list instanceof z.ZodDefault ? list.def.innerType : undefined;
  const row = rows instanceof z.ZodArray ? rows.element : undefined;
  if (!(list instanceof z.ZodDefault) || !(row instanceof z.ZodObject))
    throw new Error(`no list of objects: ${name}`);
  return schema.extend({ [name]: wire.list(change(row), list.description ?? '') });
}

/** Returns a result in place of the error for an unreadable proof. */
const badProofAs =
  (answer: PagedResult) =>
  (fault: Fault): PagedResult | undefined =>
    fault.kind === 'bad_proof' ? answer : undefined;

const DIFFERENCES: readonly Difference[] = [
  {
    row: 'W1',
    methods: ['incoming_transfers'],
    reply: {
      '1.3': (result) => ({
        ...result,
        transfers: (result['transfers'] as JsonRows).map(minorIndex),
      }),
    },
    result: {
      '1.3': (schema) =>
        withRows(schema, 'transfers', (row) =>
          row.extend({ subaddr_index: wire.u32('Index of the receiving address in its account') }),
        ),
    },
  },
  {
    row: 'W2',
    methods: ['incoming_transfers'],
    reply: {
      '1.32': (result) => ({
        ...result,
        transfers: (result['transfers'] as JsonRows).map(withoutSize),
      }),
    },
    result: { '1.32': (schema) => withRows(schema, 'transfers', (row) => row.omit({ tx_size: true })) },
  },
  {
    row: 'W5',
    methods: ['get_languages'],
    reply: { '1.3': (result) => ({ ...result, languages: result['languages_local'] }) },
  },
  {
    row: 'W6',
    methods: ['get_version'],
    reply: { '1.3': (result) => ({ ...result, version: packed(1, 3) }) },
  },
  {
    row: 'W8',
    methods: ['validate_address'],
    reply: { '1.3': (result) => ({ ...result, openalias_address: result['openalias_address'] !== '' }) },
    result: {
      '1.3': (schema) =>
        schema.extend({ openalias_address: wire.flag('The address was found under an OpenAlias name') }),
    },
  },
  {
    row: 'W9',
    methods: ['get_address_book'],
    // Removes the payment id: the integrated address contains it, and clients would take the field for a second payment
    // id.
    reply: {
      '1.32': (result) => ({ ...result, entries: (result['entries'] as Json[]).map(withoutPaymentId) }),
    },
    result: { '1.32': (schema) => withRows(schema, 'entries', (row) => row.omit({ payment_id: true })) },
  },
  {
    row: 'W10',
    methods: ['make_uri'],
    // The payment id is checked in the result, so that an invalid address is refused first.
    reply: {
      '1.32': (result) => {
        if (/[?&]tx_payment_id=/.test(String(result['uri'])))
          throw obsoletePaymentId(
            'Cannot make URI from supplied parameters: Standalone payment id deprecated, use integrated address instead',
          );
        return result;
      },
    },
  },
  {
    row: 'W10',
    methods: ['parse_uri'],
    reply: {
      '1.32': (result) => {
        const { payment_id: id } = result['uri'] as { readonly payment_id: string };
        if (id.length === 16) throw obsoletePaymentId(`Error parsing URI: Invalid payment id: ${id}`);
        return result;
      },
    },
  },
  {
    row: 'W11',
    methods: ['transfer', 'transfer_split', 'sweep_all', 'sweep_single'],
    request: {
      '1.32': (params) => {
        if (params['unlock_time'] !== 0n) throw new WalletError({ kind: 'nonzero_unlock_time' });
        return params;
      },
    },
  },
  {
    row: 'W13',
    methods: ['transfer', 'transfer_split', 'sweep_all', 'sweep_single'],
    request: {
      '1.3': (params) => ({ ...params, priority: Math.min(Number(params['priority']), HIGHEST_PRIORITY) }),
      '1.32': (params) => {
        const priority = Number(params['priority']);
        if (priority > HIGHEST_PRIORITY) throw new WalletError({ kind: 'bad_priority', priority });
        return params;
      },
    },
  },
  {
    row: 'W16',
    methods: ['prepare_multisig'],
    request: { '1.3': (params) => ({ ...params, enable_multisig_experimental: true }) },
  },
  {
    row: 'W18',
    methods: ['check_reserve_proof'],
    reply: { '1.3': (result) => (result['good'] === true ? result : { good: false }) },
    result: { '1.3': (schema) => schema.partial({ spent: true, total: true }) },
  },
  {
    row: 'W19',
    methods: ['check_tx_proof'],
    fault: {
      '1.3': badProofAs({ good: false, confirmations: 0, in_pool: false, received: 0 }),
    },
  },
  {
    row: 'W19',
    methods: ['check_spend_proof', 'check_reserve_proof'],
    fault: { '1.3': badProofAs({ good: false }) },
  },
  {
    row: 'view-only payments',
    methods: ['get_tx_key'],
    // The view-only wallet of the reference stores the scalar 1, which a signed set of the reference has in place of
    // the key.
    fault: {
      '1.32': (fault) =>
        fault.kind === 'no_tx_key' && fault.withSigner === true
          ? { tx_key: '1'.padStart(2, '0').padEnd(HASH_DIGITS, '0') }
          : undefined,
    },
  },
  {
    row: 'view-only payments',
    methods: ['transfer', 'sweep_single'],
    // Placeholder of zeros for the hash: clients of the reference check its length.
    reply: {
      '1.32': (result) =>
        result['tx_hash'] === '' && result['unsigned_txset'] !== ''
          ? { ...result, tx_hash: '0'.repeat(HASH_DIGITS) }
          : result,
    },
  },
  {
    row: 'view-only payments',
    methods: ['transfer_split', 'sweep_all'],
    reply: {
      '1.32': (result) => {
        const { tx_hash_list: hashes, fee_list: fees } = result;
        const unsigned = Array.isArray(hashes) && hashes.length === 0 && result['unsigned_txset'] !== '';
        return unsigned && Array.isArray(fees)
          ? { ...result, tx_hash_list: fees.map(() => '0'.repeat(HASH_DIGITS)) }
          : result;
      },
    },
  },
];

const applying = (method: string): readonly Difference[] =>
  DIFFERENCES.filter(({ methods }) => methods.includes(method));

/**
 * Converts parameters of a version for the handler. @throws WalletError for parameters that only the other version
 * allows.
 */
export const adaptRequest = (version: ApiVersion, method: string, params: Params): Params =>
  applying(method).reduce((adapted, { request }) => request?.[version]?.(adapted) ?? adapted, params);

/** Converts the result of a handler to the result of a version. */
export const adaptReply = (version: ApiVersion, method: string, result: PagedResult): PagedResult =>
  applying(method).reduce((adapted, { reply }) => reply?.[version]?.(adapted) ?? adapted, result);

/** Returns the schema of a method's result in a version. */
export const resultSchema = (
  version: ApiVersion,
  { name, result }: { readonly name: string; readonly result: () => z.ZodObject },
): z.ZodObject =>
  applying(name).reduce((schema, difference) => difference.result?.[version]?.(schema) ?? schema, result());

/** Returns the result that a version has in place of an error; undefined if the version has the error. */
export const adaptFault = (version: ApiVersion, method: string, fault: Fault): PagedResult | undefined =>
  applying(method)
    .map((difference) => difference.fault?.[version]?.(fault))
    .find((answer) => answer !== undefined);
