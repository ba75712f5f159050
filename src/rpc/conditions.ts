import type { Family } from './access/family.js';
import type { Kind } from './faults/fault-entry.js';

/** Conditions of a method, checked by `rpc/gate.ts`. Error codes are in brackets. */
export interface Conditions {
  /** Group of methods that a credential allows or denies together (-60). */
  readonly family: Family;
  /** Required state of the server: nothing, a wallet directory (-23) or an open wallet (-13). */
  readonly needs: 'nothing' | 'directory' | 'wallet';
  /** True: the method is refused in restricted mode (-7). */
  readonly restricted: boolean;
  /** True: the method is refused on a view-only wallet (-29). */
  readonly spendKey?: true;
  /**
   * Required multisig state. absent: not a multisig wallet (-28). begun: a multisig wallet (-31). ready: a multisig
   * wallet with a complete key exchange (-31). unready: no multisig wallet with a complete key exchange (-28).
   */
  readonly multisig?: 'absent' | 'begun' | 'ready' | 'unready';
  /** True: version 1.32 refuses the method on a multisig wallet whose setting does not enable multisig (-48). */
  readonly multisigEnabled?: true;
  /** True: the method is refused during background sync (-52), and on a background wallet (-51). */
  readonly foreground?: true;
  /** True: the method is refused unless the daemon is trusted (-1). */
  readonly trustedDaemon?: true;
}

/** Conditions whose faults are in the table of faults. Family and restricted mode have separate error codes. */
type Tested = Exclude<keyof Conditions, 'family' | 'restricted'>;

/** Kinds of the faults that a condition can raise, by condition and its value. */
const CONDITION_FAULTS = {
  needs: { nothing: [], directory: ['no_wallet_dir'], wallet: ['no_wallet', 'wallet_not_open'] },
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
export type ConditionKind<C> = {
  [N in keyof Table & keyof C]: {
    [V in keyof Table[N]]: `${C[N] & (string | boolean)}` extends V
      ? Table[N][V] extends readonly (infer K)[]
        ? K
        : never
      : never;
  }[keyof Table[N]];
}[keyof Table & keyof C];

/** Lists the kinds of the faults that conditions can raise. */
export function conditionKinds(conditions: Conditions): readonly Kind[] {
  const table: Readonly<Record<string, Readonly<Record<string, readonly Kind[]>>>> = CONDITION_FAULTS;
  const given: Readonly<Record<string, unknown>> = { ...conditions };
  return Object.entries(table).flatMap(([name, kinds]) => kinds[String(given[name])] ?? []);
}
