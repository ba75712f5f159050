import type * as z from 'zod';
import type { JsonRows, LongText, PagedResult } from '../http/calls/json-rows.js';
import type { Method } from '../http/methods/method.js';
import type { OtherParams } from '../http/methods/unknown-params.js';
import type { Json } from '../util/json.js';
import type { EncodedJson, JsonText } from '../util/json-writer.js';
import type { WalletManager } from '../services/manager/wallet-manager.js';
import type { WalletScope } from '../services/manager/wallet-scope.js';
import type { OpenWallet } from '../services/open-wallet.js';
import type { PayoutClient } from '../model/payout.js';
import type { Spender } from '../model/spender.js';
import { once } from '../util/concurrency.js';
import type { Credential, Family } from './access/credential.js';
import type { ApiVersion } from './api-version.js';
import type { OwnErrors } from './faults/client-error.js';
import type { Kind, Text } from './faults/fault-entry.js';

/** Server, scope and wallet of one request. */
export interface Context {
  readonly server: WalletManager;
  /** Wallets that the path of the request reaches. */
  readonly scope: WalletScope;
  /**
   * Wallet of the request, which was bound when the request arrived. @throws WalletError `no_wallet`, or
   * `wallet_not_open` at the path of one wallet, if no wallet was open when the request arrived.
   */
  readonly wallet: OpenWallet;
  readonly version: ApiVersion;
  /** Returns the methods that the client may call. */
  readonly methods: () => readonly WalletMethod[];
  /** Credential of the client; undefined: a client with all rights. */
  readonly credential: Credential | undefined;
  /** Client of the call, as records name it. */
  readonly client: PayoutClient;
  /** Limits for payments of the client; undefined: no limits, for a client with all rights. */
  readonly spender: Spender | undefined;
}

/** Schema of a result: an object without unknown members, made of the schemas in `http/methods/wire.ts`. */
export type ResultSchema = z.ZodObject;

type Members = { readonly [member: string]: Json };

/** A call with its result, both as exact JSON. */
export interface Example<Params = Members, Result = Members> {
  readonly name: string;
  readonly params: Params;
  readonly result: Result;
}

/** Text in place of the source in the reference, for a method that the reference does not have. */
export const ADDITION = 'an addition of this server';

/**
 * Objects that a method acts on: the server, the wallet directory, the wallet of the path, all wallets that the path
 * reaches, or the open wallet that a parameter names.
 */
export type Scope = 'server' | 'directory' | 'wallet' | 'wallets' | 'named';

/** True if a method reads or changes wallets, or lists their names. */
export const usesWallets = ({ meta, actsOn }: Pick<WalletMethod, 'meta' | 'actsOn'>): boolean =>
  meta.needs !== 'nothing' || (actsOn !== undefined && actsOn !== 'server');

/** A method of the wallet server. */
export interface WalletMethod extends Method<Context, Conditions, PagedResult>, OwnErrors {
  /** Kinds of faults that the handler can raise, in addition to the faults of the conditions. */
  readonly faults: readonly Kind[];
  /**
   * Returns the schema of the handler's result. Created on each call, since no request needs it. `resultSchema` of
   * `api-version.ts` adapts it to a version.
   */
  readonly result: () => ResultSchema;
  /**
   * Objects that the method acts on; absent: the wallet or the directory that the method needs, or the server if it
   * needs neither.
   */
  readonly actsOn?: Scope;
  /**
   * Parameters of other methods that this method refuses, by the name of the other method: ignoring them would have
   * another effect than the client asks for.
   */
  readonly others?: OtherParams;
  /** Returns examples for discovery and documentation. Their results are the same under all API versions. */
  readonly examples?: () => readonly Example[];
}

type Immutable<T> = T extends readonly (infer Item)[]
  ? readonly Immutable<Item>[]
  : T extends object
    ? { readonly [K in keyof T]: Immutable<T[K]> } | (string extends keyof T ? JsonText : never)
    : T;

type Member<T> =
  | Immutable<T>
  | (NonNullable<T> extends readonly unknown[] ? JsonRows | EncodedJson | undefined : never)
  | (NonNullable<T> extends string ? LongText : never);

/**
 * Result of a handler, with the types of its schema. A list may also be streamed, encoded already, or absent if it is
 * empty; a text may be streamed; an object with any members may be JSON text already.
 */
export type Answer<Schema extends ResultSchema> = {
  readonly [K in keyof z.output<Schema>]: Member<z.output<Schema>[K]>;
};

/** Kinds of faults that a method can raise, and for which it may therefore have its own codes and messages. */
type Raised<Faults extends readonly Kind[], Meta> = Faults[number] | ConditionKind<Meta>;

interface Definition<
  Params extends z.ZodType,
  Schema extends ResultSchema,
  Faults extends readonly Kind[],
  Meta extends Conditions,
> extends Omit<Method<Context, Meta, Answer<Schema>, Params>, 'params'> {
  /**
   * Returns the schema of the parameters. Called at the first call of the method, so that the start takes no longer.
   */
  readonly params: () => Params;
  readonly faults: Faults;
  /** Error codes of this method that differ from the table of faults. */
  readonly codes?: { readonly [K in Kind]?: K extends Raised<Faults, Meta> ? number : never };
  /** Messages of this method that differ from the table of faults. */
  readonly texts?: { readonly [K in Kind]?: K extends Raised<Faults, Meta> ? Text<K> : never };
  readonly result: () => Schema;
  readonly actsOn?: Scope;
  readonly others?: OtherParams;
  readonly examples?: () => readonly Example<Immutable<z.input<Params>>, Immutable<z.input<Schema>>>[];
}

/** Defines a method, whose handler receives and returns values with the types of the schemas. */
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

/** Conditions of a method, checked by `rpc/calls/gate.ts`. Error codes are in brackets. */
export interface Conditions {
  /** Group of methods that a credential allows or denies together (-60). */
  readonly family: Family;
  /** Required state of the server: nothing, a wallet directory (-23) or an open wallet (-13). */
  readonly needs: 'nothing' | 'directory' | 'wallet';
  /** True: the method is refused in restricted mode (-7). */
  readonly restricted: boolean;
  /**
   * Accounts with which the method works. legacy: those with the old keys (-74). any: all accounts. Absent: all but those that
   * make addresses alone (-75).
   */
  readonly account?: 'legacy' | 'any';
  /** True: the method is refused on a view-only wallet (-29). */
  readonly spendKey?: true;
  /**
   * Required multisig state. absent: not a multisig wallet (-28). begun: a multisig wallet (-31). ready: a multisig
   * wallet with a complete key exchange (-31). unready: not a multisig wallet with a complete key exchange (-28).
   */
  readonly multisig?: 'absent' | 'begun' | 'ready' | 'unready';
  /** True: version 1.32 refuses the method on a multisig wallet whose setting does not enable multisig (-48). */
  readonly multisigEnabled?: true;
  /** True: the method is refused during background sync (-52), and on a background wallet (-51). */
  readonly foreground?: true;
  /** True: the method is refused unless the daemon is trusted (-1). */
  readonly trustedDaemon?: true;
}

/** Conditions of the methods that make payments from an account, or from one of its outputs. */
export const MAKES_PAYMENTS = {
  family: 'spend',
  needs: 'wallet',
  account: 'legacy',
  restricted: true,
  foreground: true,
  multisigEnabled: true,
} as const satisfies Conditions;

/** Conditions whose faults are in the table of faults. Family and restricted mode have separate error codes. */
type Tested = Exclude<keyof Conditions, 'family' | 'restricted'>;

/** Kinds of the faults that a condition can raise, by condition and its value. */
const CONDITION_FAULTS = {
  needs: { nothing: [], directory: ['no_wallet_dir'], wallet: ['no_wallet', 'wallet_not_open'] },
  account: { legacy: ['legacy_account_needed'], any: [] },
  spendKey: { true: ['view_only'] },
  multisig: {
    absent: ['already_multisig'],
    unready: ['already_multisig'],
    begun: ['not_multisig'],
    ready: ['not_multisig', 'multisig_not_ready'],
  },
  multisigEnabled: { true: ['multisig_disabled'] },
  foreground: { true: ['background_wallet', 'background_syncing'] },
  trustedDaemon: { true: ['daemon_untrusted'] },
} as const satisfies {
  readonly [C in Tested]: { readonly [V in `${NonNullable<Conditions[C]>}`]: readonly Kind[] };
};

type Table = typeof CONDITION_FAULTS;

/** Kinds of the faults that conditions of a type can raise. */
type ConditionKind<C> = {
  [N in keyof Table & keyof C]: {
    [V in keyof Table[N]]: `${C[N] & (string | boolean)}` extends V
      ? Table[N][V] extends readonly (infer K)[]
        ? K
        : never
      : never;
  }[keyof Table[N]];
}[keyof Table & keyof C];

/** True if a method needs a wallet that sees payments. */
export const needsPayments = ({ needs, account }: Conditions): boolean =>
  needs === 'wallet' && account === undefined;

/** Lists the kinds of the faults that conditions can raise. */
export function conditionKinds(conditions: Conditions): readonly Kind[] {
  const table: Readonly<Record<string, Readonly<Record<string, readonly Kind[]>>>> = CONDITION_FAULTS;
  const given: Readonly<Record<string, unknown>> = { ...conditions };
  const kinds = Object.entries(table).flatMap(([name, byValue]) => byValue[String(given[name])] ?? []);
  return needsPayments(conditions) ? [...kinds, 'sees_no_payments'] : kinds;
}
