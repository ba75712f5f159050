/**
 * Flags of the reasons that the pool reports to the sender of a transaction. Source: verification_context.h
 * `tx_verification_context`.
 */
export type TxFlag =
  | 'lowMixin'
  | 'doubleSpend'
  | 'invalidInput'
  | 'invalidOutput'
  | 'tooBig'
  | 'overspend'
  | 'feeTooLow'
  | 'tooFewOutputs'
  | 'extraTooBig'
  | 'nonzeroUnlockTime';

/** Thrown when a block or transaction violates a consensus rule or relay rule. The message names the rule. */
export class Violation extends Error {
  override readonly name = 'Violation';
  readonly flags: readonly TxFlag[];

  constructor(message: string, flags: readonly TxFlag[] = [], options?: ErrorOptions) {
    super(message, options);
    this.flags = flags;
  }
}

/** Checks a rule. @param rule name of the rule, for the message. @throws Violation if `holds` is false. */
export function demand(holds: boolean, rule: string, ...flags: readonly TxFlag[]): asserts holds {
  if (!holds) throw new Violation(rule, flags);
}
