/** Reasons that a pool reports to the sender. Source: verification_context.h `tx_verification_context`. */
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

/** Violation of a consensus or relay rule by a block or transaction; the message names the rule. */
export class Violation extends Error {
  override readonly name = 'Violation';
  readonly flags: readonly TxFlag[];

  constructor(message: string, flags: readonly TxFlag[] = [], options?: ErrorOptions) {
    super(message, options);
    this.flags = flags;
  }
}

/** @throws Violation unless the rule holds. */
export function demand(holds: boolean, rule: string, ...flags: readonly TxFlag[]): asserts holds {
  if (!holds) throw new Violation(rule, flags);
}
