import type { WalletManager } from '../../services/manager/wallet-manager.js';
import type { WalletScope } from '../../services/manager/wallet-scope.js';
import type { Json } from '../../util/json.js';
import { ownKinds } from '../discovery/method-errors.js';
import type { WalletMethod } from '../method.js';
import * as z from 'zod';
import { walletNameOf } from '../../services/context/wallet-directory.js';

/**
 * Longest total time for which the calls of one request wait for wallets that are being opened [ms]. Of common clients,
 * monerophp has the shortest time limit: 8 seconds for a request and its digest login.
 */
export const HOLD_MS = 5_000;

/**
 * Returns the rest of the time for which the calls of a request may wait [ms].
 * @param arrived time at which the request arrived [ms].
 */
const leftOf = (arrived = performance.now()): number => HOLD_MS - (performance.now() - arrived);

/** Parts of a call that decide which wallets it waits for. */
interface HeldCall {
  readonly method: WalletMethod;
  readonly params: Json | undefined;
  /** Time at which the request of the call had arrived, on the clock of `performance.now` [ms]; absent: now. */
  readonly arrived: number | undefined;
}

/**
 * Waits while a wallet of a call is not open and this process is about to open it, or is opening it. While the server
 * starts, every call waits. A call for a wallet that could not be opened does not wait.
 * @returns true if the call has waited. @throws WalletError `wallet_opening` after {@link HOLD_MS}, before any part of
 * the call has run.
 */
export async function holdCall(
  { openings }: Pick<WalletManager, 'openings'>,
  scope: WalletScope,
  { method, params, arrived }: HeldCall,
): Promise<boolean> {
  if (!openings.isAny) return false;
  await scope.untilStarted(leftOf(arrived));
  const named = namedWallet(method, params, scope.name);
  if (method.name === 'open_wallet') await scope.whileOpening(named ?? '', leftOf(arrived));
  else if (method.actsOn === 'wallets' && scope.name === undefined)
    await scope.untilAllTried(leftOf(arrived));
  else if (ownKinds(method).includes('wallet_not_open')) await scope.untilOpened(named, leftOf(arrived));
  return true;
}

/** Returns the text of a parameter, if the method has this parameter. */
function textParam(
  method: WalletMethod | undefined,
  params: Json | undefined,
  name: string,
): string | undefined {
  if (!(method?.params instanceof z.ZodObject) || !(name in method.params.shape)) return undefined;
  if (typeof params !== 'object' || params === null || Array.isArray(params)) return undefined;
  const { [name]: value } = params as { readonly [name: string]: Json | undefined };
  return typeof value === 'string' ? value : undefined;
}

/** Returns the wallet that the parameter `filename` names, by its name or keys file. */
function fileIn(method: WalletMethod, params: Json | undefined): string | undefined {
  const given = textParam(method, params, 'filename');
  return given && walletNameOf(given);
}

/**
 * Returns the wallet that a call names: by a parameter, by its path, or by a file. @param target wallet of the path.
 * @returns undefined for the current wallet, and for a call that names no wallet.
 */
export const namedWallet = (
  method: WalletMethod | undefined,
  params: Json | undefined,
  target: string | undefined,
): string | undefined =>
  textParam(method, params, 'wallet') ??
  target ??
  (method?.meta.needs === 'directory' ? fileIn(method, params) : undefined);
