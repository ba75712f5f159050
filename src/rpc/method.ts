import type * as z from 'zod';
import type { JsonRows, PagedResult } from '../http/json-rows.js';
import type { Method } from '../http/method.js';
import type { Json } from '../util/json.js';
import type { EncodedJson } from '../util/json-writer.js';
import type { WalletManager } from '../services/manager/wallet-manager.js';
import type { WalletScope } from '../services/manager/wallet-scope.js';
import type { OpenWallet } from '../services/open-wallet.js';
import type { Spender } from '../monero/wallet/model/spender.js';
import type { Credential } from './access/credential.js';
import { once } from '../util/once.js';
import type { ApiVersion } from './api-version.js';
import type { ConditionKind, Conditions } from './conditions.js';
import type { OwnErrors } from './faults/client-error.js';
import type { Kind, Text } from './faults/fault-entry.js';

/** The server, scope and wallet of one request. */
export interface Context {
  readonly server: WalletManager;
  /** Wallets reachable by the path of the request. */
  readonly scope: WalletScope;
  /** Wallet of the request, resolved when it arrived. @throws WalletError `no_wallet` if none was open then. */
  readonly wallet: OpenWallet;
  readonly version: ApiVersion;
  /** Methods that the client may call. */
  readonly methods: () => readonly WalletMethod[];
  /** Credential of the client; undefined: it has all rights. */
  readonly credential: Credential | undefined;
  /** Limits of the client's payments; undefined: none, as it has all rights. */
  readonly spender: Spender | undefined;
}

/** Schema of a result: an object without other members, of the schemas in `http/wire.ts`. */
export type ResultSchema = z.ZodObject;

type Members = { readonly [member: string]: Json };

/** A call with its result, as exact JSON. */
export interface Example<Params = Members, Result = Members> {
  readonly name: string;
  readonly params: Params;
  readonly result: Result;
}

/** Source of a method that the reference does not have. */
export const ADDITION = 'an addition of this server';

/**
 * Object of a method: the server, the wallet directory, the wallet of the path, all wallets that the path reaches, or the
 * open wallet that a parameter names.
 */
export type Scope = 'server' | 'directory' | 'wallet' | 'wallets' | 'named';

export interface WalletMethod extends Method<Context, Conditions, PagedResult>, OwnErrors {
  /** Faults that the handler can raise, beside those of the conditions. */
  readonly faults: readonly Kind[];
  /**
   * Schema of the handler's result, made on each call: nothing needs it while requests are served. `resultSchema` of
   * `api-version.ts` adapts it to a version.
   */
  readonly result: () => ResultSchema;
  /** Default: the wallet or the directory that the method needs; the server if it needs none. */
  readonly actsOn?: Scope;
  /** Examples for discovery and documentation, made on each call. Results are the same under all API versions. */
  readonly examples?: () => readonly Example[];
}

type Immutable<T> = T extends readonly (infer Item)[]
  ? readonly Immutable<Item>[]
  : T extends object
    ? { readonly [K in keyof T]: Immutable<T[K]> }
    : T;

type Member<T> =
  | Immutable<T>
  | (NonNullable<T> extends readonly unknown[] ? JsonRows | EncodedJson | undefined : never);

/** Result of a handler by its schema; a list may be streamed, encoded already, or absent for an empty one. */
export type Answer<Schema extends ResultSchema> = {
  readonly [K in keyof z.output<Schema>]: Member<z.output<Schema>[K]>;
};

/** Kinds of fault that a method may give codes and messages of its own: those that it can raise. */
type Raised<Faults extends readonly Kind[], Meta> = Faults[number] | ConditionKind<Meta>;

interface Definition<
  Params extends z.ZodType,
  Schema extends ResultSchema,
  Faults extends readonly Kind[],
  Meta extends Conditions,
> extends Omit<Method<Context, Meta, Answer<Schema>, Params>, 'params'> {
  /** Schema of the parameters, made on the first call of the method: no start pays for it. */
  readonly params: () => Params;
  readonly faults: Faults;
  /** Error codes of this method that differ from those of the table of faults. */
  readonly codes?: { readonly [K in Kind]?: K extends Raised<Faults, Meta> ? number : never };
  /** Messages of this method that differ from those of the table of faults. */
  readonly texts?: { readonly [K in Kind]?: K extends Raised<Faults, Meta> ? Text<K> : never };
  readonly result: () => Schema;
  readonly actsOn?: Scope;
  readonly examples?: () => readonly Example<Immutable<z.input<Params>>, Immutable<z.input<Schema>>>[];
}

/** Defines a method; its handler gets and returns values with the types of the schemas. */
export const defineMethod = <
  Params extends z.ZodType,
  Schema extends ResultSchema,
  const Faults extends readonly Kind[],
  const Meta extends Conditions,
>(
  method: Definition<Params, Schema, Faults, Meta>,
): WalletMethod => {
  const params = once(method.params);
  return {
    ...method,
    get params() {
      return params();
    },
  } as unknown as WalletMethod;
};
