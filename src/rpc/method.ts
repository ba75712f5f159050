import type { PagedResult } from '../jsonrpc/json-rows.js';
import { defineMethod as define, type Method } from '../jsonrpc/method.js';
import type { WalletManager } from '../services/manager/wallet-manager.js';
import type { WalletScope } from '../services/manager/wallet-scope.js';
import type { OpenWallet } from '../services/open-wallet.js';
import type { Fault } from '../wallet/model/wallet-error.js';
import type { ApiVersion } from './api-version.js';
import type { ErrorTexts } from './error-texts.js';

/** The server, scope and wallet of one request. */
export interface Context {
  readonly server: WalletManager;
  /** Wallets that the path of the request reaches. */
  readonly scope: WalletScope;
  /** Wallet that the request was bound to when it arrived. @throws WalletError `no_wallet` where the method needs none. */
  readonly wallet: OpenWallet;
  readonly version: ApiVersion;
}

/** What must hold before a method runs, and how its failures are numbered. `rpc/gate.ts` enforces all of it. */
export interface Gates {
  /** nothing; a wallet directory (-23); an open wallet (-13). */
  readonly needs: 'nothing' | 'directory' | 'wallet';
  /** Refused in restricted mode (-7). */
  readonly restricted: boolean;
  /** Refused on a view-only wallet (-29). */
  readonly spendKey?: true;
  /**
   * absent: refused on a multisig wallet (-28). begun: on any other (-31). ready: also before its key exchange
   * is complete (-31). unready: refused afterwards (-28).
   */
  readonly multisig?: 'absent' | 'begun' | 'ready' | 'unready';
  /** Refused by 1.32 on a multisig wallet that was not told to be one (-48). */
  readonly multisigEnabled?: true;
  /** Refused while the spend key is put away (-52), and on a background wallet (-51). */
  readonly foreground?: true;
  /** Refused unless the daemon is trusted (-1). */
  readonly trustedDaemon?: true;
  /** Codes that differ from the error table for this method. */
  readonly codes?: Partial<Record<Fault['kind'], number>>;
  /** Messages that differ from the table of messages for this method. */
  readonly texts?: Partial<ErrorTexts>;
}

export type WalletMethod = Method<Context, Gates, PagedResult>;

/** Defines a wallet method. */
export const defineMethod = define<Context, Gates, PagedResult>();
