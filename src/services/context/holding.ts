/** Holding of an open wallet by this process of a cluster. */
export interface Holding {
  /**
   * Resolves once all changes that were made so far are stored by a quorum of the cluster's databases. To be awaited
   * before anything that depends on these changes leaves the process: an answer, a payment, an event.
   * @throws WalletError `not_replicated` if they may not be stored, `wallet_elsewhere` after the loss of the wallet.
   */
  settled(): Promise<void>;
  /**
   * Checks that this process still holds the wallet. @throws WalletError `wallet_elsewhere`; `not_replicated` if it cannot
   * know that, for lack of a quorum.
   */
  assertHeld(): void;
  /** Id up to which the events of the wallet are stored by a quorum: later ones are not shown yet. */
  readonly eventsUpTo: number;
}
