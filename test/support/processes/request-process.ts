import type { RecordAddresses } from '../../../src/services/accounts/accounts.js';
import { PaymentRequests } from '../../../src/services/requests/payment-requests.js';
import { keccak } from '../../../src/monero/crypto/keccak.js';
import { WalletStore } from '../../../src/store/wallet-store.js';
import { amount, ZERO } from '../../../src/util/amount.js';
import { utf8 } from '../../../src/util/bytes.js';
import { systemRng } from '../../../src/util/random.js';
import { bytes, output, page, received } from '../../store/fixtures.js';

// Creates requests in a store, pays two of three, and lets every third one expire, until there are as many as asked for
// or it is killed. Prints a line when a request was acknowledged, and a line with the id of the latest event after each
// commit with events. All requests show one address.
const [path = '', address = '', count = ''] = process.argv.slice(2);
const say = (line: string): void => void process.stdout.write(`${line}\n`);

const store = WalletStore.open(path, new Uint8Array(32));
const accounts = {
  address: () => address,
  labelsOf: () => [],
  prepare: () => undefined,
  assertAccount: () => undefined,
  createAddresses: async (_: number, __: number, ___: string, record: RecordAddresses) => {
    store.writeRecoverable((w) => record(w, { major: 0, minor: w.accounts.addAddresses(0, 1) }, 0));
    await store.flushToDisk();
  },
};
const requests = new PaymentRequests(
  {
    ...{ store, rng: systemRng, name: 'w', events: {}, daemon: {}, clock: { now: () => Date.now() } },
    keystore: { keys: { network: 'mainnet' } },
    log: { error: (fields: unknown) => say(`error ${String(fields)}`) },
    requestSettings: { scale: [{ from: ZERO, confirmations: 1 }] },
  } as never,
  { accounts, sync: { isSynced: true, daemonHeight: 0 } } as never,
);
store.watchEvents(() => {
  requests.onEvents();
  say(`event ${store.read((r) => r.events.last())}`);
});
requests.start();

/** Adds a block, which pays the request with a number unless that is undefined. */
function mine(number: number | undefined): void {
  const height = (store.read((r) => r.chain.tip()?.height) ?? -1) + 1;
  const found = number === undefined ? undefined : requests.get({ reference: `r${number}` }).request;
  const tx = 1000 + height;
  store.addPage(
    page(height, 1, {
      received: found === undefined ? [] : [{ ...received(tx, height), timestamp: found.created }],
      outputs:
        found === undefined
          ? []
          : [
              output(tx, height, 100n, {
                ...{ publicKey: bytes(tx + 500_000), keyImage: bytes(tx + 900_000) },
                subaddress: found.subaddress,
              }),
            ],
    }),
    { isFollowed: height % 3 === 0 },
  );
}

const latest = (): number => store.read((r) => r.requests.last());
/** Number of the first request that is to be paid and is not. */
const unpaid = (): number | undefined => {
  // States are recorded when the pages are committed.
  store.commitPages();
  return store
    .read((r) => r.requests.inStates(['waiting'], 1e9, 1000))
    .map(({ reference }) => Number(reference?.slice(1)))
    .filter((number) => number % 3 !== 0)
    .at(-1);
};

if (store.read((r) => r.chain.tip()) === undefined) mine(undefined);
while (latest() < Number(count)) {
  const number = latest() + 1;
  const create = () =>
    requests.create({
      ...{ amount: amount(100n), account: 0, confirmations: 1, tolerance: ZERO, label: `l${number}` },
      ...(number % 3 === 0 ? { expires: Math.floor(Date.now() / 1000) + 1 } : {}),
      ...{
        reference: `r${number}`,
        call: {
          ...{ key: `k${number}`, method: 'create_payment_request' },
          requestHash: keccak(utf8(`${number}`)),
        },
      },
    });
  const [one, two] = await Promise.all([create(), create()]);
  say(`created ${one.request.requestId} ${two.request.requestId} r${number}`);
  if (number % 2 === 0) mine(unpaid());
  if (number % 5 === 0) mine(undefined);
}
for (let number = unpaid(); number !== undefined; number = unpaid()) mine(number);
mine(undefined);
while (store.read((r) => r.requests.nextExpiry()) !== undefined)
  // Timer: the expiries pass by the time of day.
  await new Promise((resolve) => setTimeout(resolve, 20));
requests.close();
store.close();
