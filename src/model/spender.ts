/** A client that makes a payment under the limits of a credential. */
export interface Spender {
  /** Name of the credential, by which spent amounts are added up. */
  readonly name: string;
  /** Addresses that the client may pay, in addition to the addresses of the wallet; undefined: any address. */
  readonly addresses: ReadonlySet<string> | undefined;
  /** True: the client may lock money, by an unlock time or by freezing outputs. Absent: the client may not. */
  readonly mayLock?: true;
  readonly limits: {
    /** Largest amount of one transaction, fee included [atomic units]. */
    readonly transaction?: bigint;
    /** Largest amount within any hour [atomic units]. */
    readonly hour?: bigint;
    /** Largest amount within any 24 hours [atomic units]. */
    readonly day?: bigint;
  };
}
