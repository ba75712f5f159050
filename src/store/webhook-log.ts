import type { AttemptRecord, DeliveryLog, PendingDelivery } from '../net/webhooks/delivery-log.js';
import type { WalletStore } from './wallet-store.js';

/** Delivery log of one endpoint, kept in the wallet's store. Every method throws after the store was closed. */
export class StoreDeliveryLog implements DeliveryLog {
  readonly #store: WalletStore;
  readonly #webhook: string;

  /** @param webhook id of an endpoint in the store. */
  constructor(store: WalletStore, webhook: string) {
    this.#store = store;
    this.#webhook = webhook;
  }

  /** Returns the id of the last event with a recorded attempt. @throws Error if the endpoint was removed. */
  position(): number {
    const webhook = this.#store.read((r) => r.webhooks.byId(this.#webhook));
    if (webhook === undefined) throw new Error('the webhook was removed');
    return webhook.position;
  }

  /** Returns true if the endpoint is disabled or was removed. */
  isDisabled(): boolean {
    const webhook = this.#store.read((r) => r.webhooks.byId(this.#webhook));
    return webhook === undefined || webhook.disabled !== undefined;
  }

  earliest(): PendingDelivery | undefined {
    return this.#store.read((r) => r.webhookDeliveries.earliest(this.#webhook));
  }

  record(attempt: AttemptRecord): void {
    this.#store.writeRecoverable((w) => {
      // The endpoint may have been removed during the attempt.
      if (w.webhooks.byId(this.#webhook) !== undefined) w.webhookDeliveries.record(this.#webhook, attempt);
    });
  }

  rebase(now: number): void {
    if (!this.#store.read((r) => r.webhookDeliveries.isAheadOf(this.#webhook, now))) return;
    this.#store.writeRecoverable((w) => w.webhookDeliveries.rebase(this.#webhook, now));
  }

  flush(): Promise<void> {
    return this.#store.flushToDisk();
  }
}
