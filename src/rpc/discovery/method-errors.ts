import * as z from 'zod';
import { INVALID_PARAMS } from '../../http/errors.js';
import type { Fault } from '../../monero/wallet/model/wallet-error.js';
import { CODE, DENIED } from '../error-map.js';
import { TEXTS } from '../error-texts.js';
import type { Gates, WalletMethod } from '../method.js';
import { FAULTS } from './faults.js';

/** An error that a method may return. */
export interface MethodError {
  readonly code: number;
  readonly message: string;
}

type Kind = Fault['kind'];

/** Faults of the conditions of a method. */
function gateFaults({
  needs,
  spendKey,
  multisig,
  multisigEnabled,
  foreground,
  trustedDaemon,
}: Gates): Kind[] {
  return [
    ...(needs === 'directory' ? (['no_wallet_dir'] as const) : []),
    ...(needs === 'wallet' ? (['no_wallet'] as const) : []),
    ...(spendKey ? (['view_only'] as const) : []),
    ...(multisig === 'absent' || multisig === 'unready' ? (['already_multisig'] as const) : []),
    ...(multisig === 'begun' || multisig === 'ready' ? (['not_multisig'] as const) : []),
    ...(multisig === 'ready' ? (['multisig_not_ready'] as const) : []),
    ...(multisigEnabled ? (['multisig_disabled'] as const) : []),
    ...(foreground ? (['background_wallet', 'background_syncing'] as const) : []),
    ...(trustedDaemon ? (['daemon_untrusted'] as const) : []),
  ];
}

/** Message of a fault if it is always the same one; its name otherwise. */
function messageOf(kind: Kind, { texts }: Gates): string {
  const text = texts?.[kind] ?? TEXTS[kind];
  return typeof text === 'string' ? text : kind.replaceAll('_', ' ');
}

/** Lists the errors of a method by code, in descending order. Messages of faults that share a code are joined. */
export function errorsOf({ name, meta, params }: WalletMethod): MethodError[] {
  const own = FAULTS[name] ?? [];
  const messages = new Map<number, Set<string>>();
  const add = (code: number, message: string): void => {
    messages.set(code, (messages.get(code) ?? new Set()).add(message));
  };
  for (const kind of [...gateFaults(meta), ...own, 'credential_denied' as const])
    add(meta.codes?.[kind] ?? CODE[kind], messageOf(kind, meta));
  if (meta.restricted) add(DENIED, 'Command unavailable in restricted mode.');
  if (!(params instanceof z.ZodObject) || Object.keys(params.shape).length > 0)
    add(INVALID_PARAMS, 'Invalid params');
  return [...messages]
    .sort(([a], [b]) => b - a)
    .map(([code, texts]) => ({ code, message: [...texts].join('; ') }));
}
