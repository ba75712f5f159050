/** Whether a quorum of the databases of the cluster still confirms that this process is a member. */
export interface Quorum {
  /**
   * Time since the last commit was sent that a quorum has confirmed while this process was a member, or, before the first
   * one, since this process has joined [ms]; 0 where one machine is meant.
   */
  readonly silentMs: number;
  /**
   * True if that is so long ago that another process may have taken over the wallets of this one, in a standby that was
   * promoted: this process must not even read them for a client. Also true before the first confirmation.
   */
  readonly isLost: boolean;
  /** Adds a listener that is called whenever `isLost` has changed. */
  onChange(listener: () => void): void;
}
