import type { Credential } from './access/credential.js';
import type { WalletEventLog } from '../services/events/wallet-event-log.js';
import type { EventFeed } from '../services/manager/event-feed.js';
import type { WalletManager } from '../services/manager/wallet-manager.js';
import type { WalletScope } from '../services/manager/wallet-scope.js';

/**
 * Returns the event logs that a path reaches: that of the named wallet; for a path without a name, those of all open
 * wallets that the client may know of.
 * @throws WalletError `wallet_not_open` if the named wallet is not open.
 */
export function eventLogsOf({
  server,
  scope,
}: {
  readonly server: WalletManager;
  readonly scope: WalletScope;
}): readonly WalletEventLog[] {
  if (scope.name === undefined)
    return server
      .openWallets()
      .filter(({ name }) => scope.mayKnow(name))
      .map(({ eventLog }) => eventLog);
  return [scope.require(scope.find()).eventLog];
}

/**
 * Waits for events. Ends at the latest when the credential is changed, removed or expires. @param ms longest wait [ms].
 */
export function waitForEvents(
  feed: Pick<EventFeed, 'wait'>,
  credential: Credential | undefined,
  ms: number,
  signal?: AbortSignal,
): Promise<void> {
  if (credential === undefined) return feed.wait(ms, signal);
  const ended = signal === undefined ? credential.ended : AbortSignal.any([signal, credential.ended]);
  return feed.wait(Math.min(ms, credential.timeLeft), ended);
}
