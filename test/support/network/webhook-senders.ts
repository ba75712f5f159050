import { afterEach, beforeEach } from '@jest/globals';
import { directConnect } from '../../../src/net/webhooks/target.js';
import { createSecret, signatureHeaders } from '../../../src/net/webhooks/signature.js';
import { HttpSender, type SenderOptions } from '../../../src/net/webhooks/sender.js';
import { WebhookReceiver } from './webhook-receiver.js';

/** A signed delivery of a body. */
export const deliveryOf = (body: string) => ({
  headers: signatureHeaders({ id: '17', timestamp: 1700000000, body }, [createSecret()]),
  body,
});

/** A receiver for each test of a file, and senders to it, which are closed after the test. */
export class WebhookSenders {
  #receiver: WebhookReceiver | undefined;
  readonly #closing: { close(): void }[] = [];

  constructor() {
    beforeEach(async () => {
      this.#receiver = await WebhookReceiver.start();
    });
    afterEach(async () => {
      for (const part of this.#closing.splice(0)) part.close();
      await this.#receiver?.stop();
    });
  }

  get receiver(): WebhookReceiver {
    if (this.#receiver === undefined) throw new Error('no test runs');
    return this.#receiver;
  }

  /** Closes something else after the test. */
  closeAfter(part: { close(): void }): void {
    this.#closing.push(part);
  }

  sender(more: Partial<SenderOptions> = {}): HttpSender {
    const sender = new HttpSender({
      url: this.receiver.url,
      allowPrivate: true,
      connect: directConnect(true),
      userAgent: 'wallet-rpc/0.1.0',
      timeoutMs: 1000,
      ...more,
    });
    this.#closing.push(sender);
    return sender;
  }
}
