import { WalletStore } from '../../../src/store/wallet-store.js';
import { StoreDeliveryLog } from '../../../src/store/webhook-log.js';
import { directConnect } from '../../../src/net/webhooks/target.js';
import type { QueuedEvent } from '../../../src/net/webhooks/delivery-log.js';
import { Dispatcher } from '../../../src/net/webhooks/dispatcher.js';
import { activeSecrets } from '../../../src/net/webhooks/signature.js';
import { HttpSender } from '../../../src/net/webhooks/sender.js';

// Delivers the events 1 to <count> to the endpoint `a` of a store, until it is killed.
const [path = '', count = ''] = process.argv.slice(2);
const last = Number(count);
const store = WalletStore.open(path, new Uint8Array(32));
const dispatcher = new Dispatcher({
  createSender: (url) =>
    new HttpSender({ url, allowPrivate: true, connect: directConnect(true), userAgent: 'wallet-rpc/0.1.0' }),
  onError: (_, error) => {
    throw error;
  },
});
const eventOf = (id: number): QueuedEvent => ({ id, body: `{"id":${id}}` });
const webhook = store.read((r) => r.webhooks.byId('a'));
if (webhook === undefined) throw new Error('the store has no endpoint');
dispatcher.add({
  id: webhook.id,
  url: webhook.url,
  secrets: (now) =>
    activeSecrets(
      store.read((r) => r.webhooks.secrets('a')),
      now,
    ),
  log: new StoreDeliveryLog(store, 'a'),
  events: {
    next: (after) => (after < last ? { event: eventOf(after + 1) } : { upTo: last }),
    byId: eventOf,
  },
});
// Ends by itself if the test that started it was ended.
// Timer: nothing else ends a process whose test is gone.
setTimeout(() => process.exit(1), 120_000);
