/** Client that makes a payment under a credential. */
export interface Spender {
  /** Name of the credential, under which the amounts are added up. */
  readonly name: string;
  /** Addresses that it may pay, beside those of the wallet; undefined: any. */
  readonly addresses: ReadonlySet<string> | undefined;
  /** Absent: it may lock no money, neither by an unlock time nor by freezing outputs. */
  readonly mayLock?: true;
  readonly limits: {
    /** Most for one transaction, with its fee [atomic units]. */
    readonly transaction?: bigint;
    /** Most within any hour. */
    readonly hour?: bigint;
    /** Most within any 24 hours. */
    readonly day?: bigint;
  };
}
