import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { WalletStore } from '../../../src/store/wallet-store.js';
import { Secret } from '../../../src/util/secret.js';
import { activeSecrets } from '../../../src/net/webhooks/signature.js';

const HOUR = 3_600_000;
const T0 = 1_700_000_000_000;
const secret = (fill: number): Secret => new Secret(new Uint8Array(32).fill(fill));
const shop = {
  id: 'shop',
  url: 'https://shop.example.org/hook',
  types: ['payment.mined', 'payment.reversed'],
  position: 7,
  created: T0,
};

let store: WalletStore;

beforeEach(() => {
  store = WalletStore.create(':memory:', new Uint8Array(32));
  store.write((w) => w.webhooks.add(shop, secret(1)));
});

afterEach(() => store.close());

/** First bytes of the secrets that sign at a time. */
const signing = (now: number): (number | undefined)[] =>
  activeSecrets(
    store.read((r) => r.webhooks.secrets('shop')),
    now,
  ).map((one) => one.expose()[0]);

describe('webhooks of a wallet', () => {
  it('are stored with their types, position and time', () => {
    store.write((w) => w.webhooks.add({ ...shop, id: 'all', types: [], created: T0 - 1 }, secret(2)));
    expect(store.read((r) => r.webhooks.list())).toEqual([
      { ...shop, id: 'all', types: [], created: T0 - 1 },
      shop,
    ]);
    expect(store.read((r) => r.webhooks.byId('shop'))).toEqual(shop);
    expect(store.read((r) => r.webhooks.byId('none'))).toBeUndefined();
  });

  it('have unique ids', () => {
    expect(() => store.write((w) => w.webhooks.add(shop, secret(2)))).toThrow('UNIQUE');
    expect(signing(T0)).toEqual([1]);
  });

  it('are disabled with a reason, and enabled again', () => {
    store.write((w) => w.webhooks.setDisabled('shop', 'gone'));
    expect(store.read((r) => r.webhooks.byId('shop'))).toEqual({ ...shop, disabled: 'gone' });
    expect(store.write((w) => w.webhooks.setDisabled('shop', undefined))).toBe(true);
    expect(store.read((r) => r.webhooks.byId('shop'))).toEqual(shop);
    expect(store.write((w) => w.webhooks.setDisabled('none', 'gone'))).toBe(false);
  });

  it('are removed with their secrets and deliveries', () => {
    store.write((w) =>
      w.webhookDeliveries.record('shop', { eventId: 8, attempts: 1, time: T0, state: 'delivered' }),
    );
    expect(store.write((w) => w.webhooks.remove('shop'))).toBe(true);
    expect(store.write((w) => w.webhooks.remove('shop'))).toBe(false);
    expect(store.read((r) => r.webhooks.secrets('shop'))).toEqual([]);
    expect(store.read((r) => r.webhookDeliveries.list('shop', { limit: 9 }))).toEqual([]);
  });
});

describe('secrets of a webhook', () => {
  const rotate = (fill: number, now: number): boolean =>
    store.write((w) => w.webhooks.rotateSecret('shop', secret(fill), now, HOUR));

  it('sign for the overlap after a rotation, newest first', () => {
    expect(signing(T0)).toEqual([1]);
    expect(rotate(2, T0)).toBe(true);
    expect(rotate(3, T0 + 1000)).toBe(true);
    expect(signing(T0 + 1000)).toEqual([3, 2, 1]);
    expect(signing(T0 + HOUR)).toEqual([3, 2]);
    expect(signing(T0 + HOUR + 1000)).toEqual([3]);
  });

  it('are deleted at the next rotation once they expired', () => {
    rotate(2, T0);
    rotate(3, T0 + 2 * HOUR);
    expect(store.read((r) => r.webhooks.secrets('shop')).map(({ secret: one }) => one.expose()[0])).toEqual([
      3, 2,
    ]);
  });

  it('are at most five', () => {
    for (let fill = 2; fill <= 9; fill++) rotate(fill, T0);
    expect(signing(T0)).toEqual([9, 8, 7, 6, 5]);
  });

  it('of an unknown webhook are not rotated', () => {
    expect(store.write((w) => w.webhooks.rotateSecret('none', secret(2), T0, HOUR))).toBe(false);
  });
});
