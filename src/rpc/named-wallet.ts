import * as z from 'zod';
import { walletNameOf } from '../services/context/wallet-directory.js';
import type { Json } from '../util/json.js';
import type { WalletMethod } from './method.js';

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
 * @returns undefined for the current wallet, or for none.
 */
export const namedWallet = (
  method: WalletMethod | undefined,
  params: Json | undefined,
  target: string | undefined,
): string | undefined =>
  textParam(method, params, 'wallet') ??
  target ??
  (method?.meta.needs === 'directory' ? fileIn(method, params) : undefined);
