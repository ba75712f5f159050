import { WalletStore } from '../../../src/store/wallet-store.js';
import { bytes, output, page, received } from '../../store/fixtures.js';

// Adds pages with one payment each to a store, from its height on, until it is killed. Prints the id of the latest event
// and the height whenever events were reported.
const [path = '', last = ''] = process.argv.slice(2);
const store = WalletStore.open(path, new Uint8Array(32));
const start = store.height() === 1 && store.read((r) => r.chain.tip()) === undefined ? 0 : store.height();
store.watchEvents(() => {
  process.stdout.write(`${store.read((r) => r.events.last())} ${store.height()}\n`);
});
for (let height = start; height < Number(last); height++) {
  const n = 1000 + height;
  store.addPage(
    page(height, 1, {
      received: [received(n, height)],
      outputs: [{ ...output(n, height, 5n), publicKey: bytes(n + 500_000), keyImage: bytes(n + 900_000) }],
    }),
    { isFollowed: height % 50 !== 49 },
  );
  if (height % 7 === 0) await new Promise((resolve) => setImmediate(resolve));
  if (height % 11 === 0) store.writeRecoverable((w) => w.attributes.set('height', String(height)));
}
store.close();
