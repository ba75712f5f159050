import { Webhook } from 'standardwebhooks';
import { createClient, type Client } from '../../src/client/client.js';
import { ask } from '../crash/wallet-client.js';
import type { WalletLoad } from '../crash/wallet-load.js';
import type { Loose } from '../support/network/json-rpc.js';
import { until } from '../support/fakes/until.js';
import { patiently } from './patience.js';
import { WebhookReceiver } from '../support/network/webhook-receiver.js';
import { compareDeliveries, compareStream } from './comparisons.js';
import type { SoakProcess } from './soak-process.js';

/** Longest wait until a stream, or a webhook, has sent everything [ms]. */
const SENDING_MS = 300_000;

const idsOf = ({ eventTexts }: WalletLoad): number[] =>
  eventTexts.map((text) => Number((JSON.parse(text) as Loose).id));

/** Reader of the stream of one wallet, with the published client. */
export class StreamWatcher {
  readonly #load: WalletLoad;
  readonly #client: Client;
  readonly #ids: number[] = [];
  readonly #abort = new AbortController();
  readonly #onFault: (fault: string) => void;
  readonly #reading: Promise<void>;

  constructor(load: WalletLoad, { url, token }: SoakProcess, onFault: (fault: string) => void) {
    this.#load = load;
    this.#onFault = onFault;
    this.#client = createClient({ url, auth: { token } });
    this.#reading = this.#read();
  }

  /** Number of events that the stream has sent. */
  get count(): number {
    return this.#ids.length;
  }

  async #read(): Promise<void> {
    const { signal } = this.#abort;
    try {
      for await (const { id } of this.#client.wallet(this.#load.wallet).events({ signal }))
        this.#ids.push(Number(id));
    } catch (error) {
      if (!signal.aborted) this.#onFault(`${this.#load.wallet}: the stream ended: ${String(error)}`);
    }
  }

  /** Compares the stream with the events that the wallet lists. */
  async check(): Promise<void> {
    const listed = idsOf(this.#load);
    const last = listed.at(-1) ?? 0;
    await until('the stream', () => (this.#ids.at(-1) ?? 0) >= last, SENDING_MS).catch(() => undefined);
    for (const fault of compareStream(this.#ids, listed)) this.#onFault(`${this.#load.wallet}: ${fault}`);
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    this.#client.close();
    await this.#reading;
  }
}

/** Receiver of the webhook of one wallet. */
export class WebhookWatcher {
  readonly #load: WalletLoad;
  readonly #receiver: WebhookReceiver;
  readonly #onFault: (fault: string) => void;
  readonly #delivered = new Set<number>();
  readonly #id: string;
  /** Id of the last event before the webhook. */
  readonly #after: number;

  private constructor(
    load: WalletLoad,
    receiver: WebhookReceiver,
    { id, secret }: { readonly id: string; readonly secret: string },
    after: number,
    onFault: (fault: string) => void,
  ) {
    this.#load = load;
    this.#receiver = receiver;
    this.#onFault = onFault;
    this.#id = id;
    this.#after = after;
    const webhook = new Webhook(secret);
    receiver.answer = (response, { body, headers }) => {
      const event = Number(headers['webhook-id']);
      try {
        webhook.verify(body, headers as Record<string, string>);
      } catch (error) {
        // The clocks of the processes may be stepped: only the signature counts.
        if (!/timestamp too/.test(String(error))) onFault(`${load.wallet}: ${String(error)}`);
      }
      this.#delivered.add(event);
      response.writeHead(204).end();
    };
  }

  static async start(load: WalletLoad, onFault: (fault: string) => void): Promise<WebhookWatcher> {
    const receiver = await WebhookReceiver.start();
    const { id, secret } = await patiently('a webhook', async () => {
      // A lost answer leaves a webhook with an unknown secret.
      const { webhooks = [] } = await ask(load.patient, 'list_webhooks');
      for (const left of webhooks as Loose[]) await ask(load.patient, 'remove_webhook', { id: left.id });
      return ask(load.any, 'add_webhook', { url: receiver.url });
    });
    await load.catchUp();
    return new WebhookWatcher(
      load,
      receiver,
      { id: String(id), secret: String(secret) },
      idsOf(load).at(-1) ?? 0,
      onFault,
    );
  }

  /** Number of events that were delivered. */
  get count(): number {
    return this.#delivered.size;
  }

  /** Compares the deliveries with the events that the wallet lists. Those that failed before wait to be sent again. */
  async check(): Promise<void> {
    const listed = idsOf(this.#load).filter((id) => id > this.#after);
    const isSent = (): boolean => listed.every((id) => this.#delivered.has(id));
    let waiting = new Set<number>();
    const isIdle = async (): Promise<boolean> => {
      if (isSent()) return true;
      const { webhooks = [] } = await ask(this.#load.patient, 'list_webhooks');
      const state = (webhooks as Loose[]).find(({ id }) => id === this.#id);
      if (state === undefined) throw new Error('the webhook is lost');
      const { deliveries = [] } = await ask(this.#load.patient, 'list_deliveries', {
        ...{ id: this.#id, state: 'pending', limit: 1000 },
      });
      waiting = new Set((deliveries as Loose[]).map(({ event_id }) => Number(event_id)));
      return state.backlog === 0;
    };
    await until('the deliveries', isIdle, SENDING_MS).catch((error: unknown) =>
      this.#onFault(`${this.#load.wallet}: ${String(error)}: ${String((error as Error).cause ?? '')}`),
    );
    for (const fault of compareDeliveries(this.#delivered, listed, waiting))
      this.#onFault(`${this.#load.wallet}: ${fault}`);
  }

  async stop(): Promise<void> {
    await this.#receiver.stop();
  }
}
