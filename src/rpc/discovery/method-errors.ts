import * as z from 'zod';
import { INVALID_PARAMS } from '../../http/calls/errors.js';
import { conditionKinds, usesWallets, type WalletMethod } from '../method.js';
import { DENIED, type OwnErrors } from '../faults/client-error.js';
import type { Kind } from '../faults/fault-entry.js';
import { FAULTS } from '../faults/fault-table.js';

/** An error that a method may return. */
export interface MethodError {
  readonly code: number;
  readonly message: string;
}

/** Lists the kinds of the faults of a method's conditions, then the kinds of the faults of its handler. */
export const ownKinds = ({ meta, faults }: Pick<WalletMethod, 'meta' | 'faults'>): readonly Kind[] => [
  ...conditionKinds(meta),
  ...faults,
];

/** Kinds of the faults of every method: the refusal by a credential, and the start of the server or of a wallet. */
const ALL: readonly Kind[] = ['credential_denied', 'wallet_opening'];

/** Kinds of the faults of every method that uses the files of wallets; the last two kinds occur in a cluster only. */
const FILES: readonly Kind[] = ['wallet_io', 'wallet_corrupt', 'not_replicated', 'wallet_elsewhere'];

/**
 * Lists the kinds of all faults with which a call of a method can end: including faults that are possible for every
 * method (refusal by a credential, wait for an opening), and faults that are possible for every method of a wallet
 * (damaged store, full disk, cluster without quorum).
 */
export function kindsOf(method: Pick<WalletMethod, 'meta' | 'faults' | 'actsOn'>): readonly Kind[] {
  const own = ownKinds(method);
  const usesFiles = usesWallets(method) || own.includes('no_wallet') || own.includes('wallet_not_open');
  return [...own, ...ALL, ...(usesFiles ? FILES : [])];
}

/** Message of a fault if it is constant; otherwise the kind of the fault. */
function messageOf(kind: Kind, { texts }: OwnErrors): string {
  const text = texts?.[kind] ?? FAULTS[kind].text;
  return typeof text === 'string' ? text : kind.replaceAll('_', ' ');
}

/**
 * Lists the errors of a method by code, in descending order. Joins the messages of faults with the same code.
 * @param kinds kinds of the faults to list.
 */
export function errorsOf(method: WalletMethod, kinds = kindsOf(method)): MethodError[] {
  const { meta, params, codes } = method;
  const messages = new Map<number, Set<string>>();
  const add = (code: number, message: string): void => {
    messages.set(code, (messages.get(code) ?? new Set()).add(message));
  };
  for (const kind of kinds) add(codes?.[kind] ?? FAULTS[kind].code, messageOf(kind, method));
  if (meta.restricted) add(DENIED, 'Command unavailable in restricted mode.');
  if (!(params instanceof z.ZodObject) || Object.keys(params.shape).length > 0)
    add(INVALID_PARAMS, 'Invalid params');
  return [...messages]
    .sort(([a], [b]) => b - a)
    .map(([code, texts]) => ({ code, message: [...texts].join('; ') }));
}
