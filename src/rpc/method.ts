import type * as z from 'zod';
import type { JsonRows, PagedResult } from '../http/json-rows.js';
import type { Method } from '../http/method.js';
import type { EncodedJson } from '../util/json-writer.js';
import type { WalletManager } from '../services/manager/wallet-manager.js';
import type { WalletScope } from '../services/manager/wallet-scope.js';
import type { OpenWallet } from '../services/open-wallet.js';
import type { Spender } from '../monero/wallet/model/spender.js';
import type { Fault } from '../monero/wallet/model/wallet-error.js';
import type { Credential } from './access/credential.js';
import type { Family } from './access/family.js';
import type { ApiVersion } from './api-version.js';
import type { ErrorTexts } from './error-texts.js';

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

/**
 * Conditions of a method, enforced by `rpc/gate.ts` (error codes in brackets), and its own error codes and messages.
 */
export interface Gates {
  /** Group of methods that a credential allows or denies together (-60). */
  readonly family: Family;
  /** Nothing, a wallet directory (-23) or an open wallet (-13). */
  readonly needs: 'nothing' | 'directory' | 'wallet';
  /** Refused in restricted mode (-7). */
  readonly restricted: boolean;
  /** Refused on a view-only wallet (-29). */
  readonly spendKey?: true;
  /**
   * absent: not a multisig wallet (-28). begun: a multisig wallet (-31). ready: a multisig wallet with a complete key
   * exchange (-31). unready: not such a wallet (-28).
   */
  readonly multisig?: 'absent' | 'begun' | 'ready' | 'unready';
  /** Refused by 1.32 on a multisig wallet without the setting that enables multisig (-48). */
  readonly multisigEnabled?: true;
  /** Refused during background sync (-52), and on a background wallet (-51). */
  readonly foreground?: true;
  /** Refused unless the daemon is trusted (-1). */
  readonly trustedDaemon?: true;
  /** Error codes of this method that differ from the table of codes. */
  readonly codes?: Partial<Record<Fault['kind'], number>>;
  /** Messages of this method that differ from the table of messages. */
  readonly texts?: Partial<ErrorTexts>;
}

/** Schema of a result: an object without other members, of the schemas in `http/wire.ts`. */
export type ResultSchema = z.ZodObject;

export interface WalletMethod extends Method<Context, Gates, PagedResult> {
  /**
   * Schema of the handler's result, made on each call: nothing needs it while requests are served. `resultSchema` of
   * `api-version.ts` adapts it to a version.
   */
  readonly result: () => ResultSchema;
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

interface Definition<Params extends z.ZodType, Schema extends ResultSchema> extends Method<
  Context,
  Gates,
  Answer<Schema>,
  Params
> {
  readonly result: () => Schema;
}

/** Defines a method; its handler gets and returns values with the types of the schemas. */
export const defineMethod = <Params extends z.ZodType, Schema extends ResultSchema>(
  method: Definition<Params, Schema>,
): WalletMethod => method as unknown as WalletMethod;
