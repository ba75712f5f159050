import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { walletCalls, type Loose, type WalletCalls } from '../support/network/json-rpc.js';
import { startMonerod, type Monerod } from '../support/processes/monerod.js';
import { until } from '../support/fakes/until.js';
import { startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';
import { WebhookReceiver } from '../support/network/webhook-receiver.js';

/* Reorganisations of the real daemon at a webhook. */

let daemon: Monerod;
let server: WalletRpc;
let receiver: WebhookReceiver;
let shop: WalletCalls;
let shopAddress: string;
let otherAddress: string;

beforeAll(async () => {
  daemon = await startMonerod();
  receiver = await WebhookReceiver.start();
  server = await startWalletRpc({
    daemon: daemon.address,
    args: ['--webhook-allow-private', '--confirmations=1'],
  });
  shop = walletCalls(server.port, 'shop');
  const other = walletCalls(server.port, 'other');
  for (const wallet of [shop, other])
    await wallet.rpc('create_wallet', { password: '', language: 'English' });
  shopAddress = (await shop.rpc('get_address')).address as string;
  otherAddress = (await other.rpc('get_address')).address as string;
});

afterAll(async () => {
  await server?.stop();
  await receiver?.stop();
  await daemon?.stop();
});

/** Events at the receiver, in the order of their ids. */
const events = (): Loose[] =>
  receiver.received
    .map(
      ({ body, headers }) => ({ id: Number(headers['webhook-id']), ...(JSON.parse(body) as Loose) }) as Loose,
    )
    .sort((a, b) => (a.id as number) - (b.id as number));

/** Sum of the payments by their events. */
function sum(): number {
  const payments = new Map<string, number>();
  for (const { type, data } of events()) {
    const { tx_hash: txHash, amount } = data as { tx_hash: string; amount: number };
    if (type === 'payment.mined') payments.set(txHash, amount);
    if (type === 'payment.reversed') payments.delete(txHash);
  }
  return [...payments.values()].reduce((total, amount) => total + amount, 0);
}

/** Waits until the webhook got every event. */
async function delivered(): Promise<void> {
  await shop.rpc('refresh');
  await until('all deliveries', async () => {
    const [{ backlog, pending }] = (await shop.rpc('list_webhooks')).webhooks as [Loose];
    return backlog === 0 && pending === 0;
  });
}

it('reverses the payments of blocks that monerod pops, and reports those of the blocks in their place', async () => {
  await shop.rpc('add_webhook', { url: receiver.url });
  await daemon.generate(shopAddress, 3);
  await delivered();
  const mined = events().filter(({ type }) => type === 'payment.mined');
  expect(mined.map(({ data }) => data.height)).toEqual([1, 2, 3]);

  await daemon.popBlocks(2);
  await daemon.generate(otherAddress, 1);
  await daemon.generate(shopAddress, 3);
  await delivered();

  const after = events().filter(({ id }) => id > Number(mined.at(-1)?.id));
  expect(after.find(({ type }) => type === 'wallet.reorganised')?.data).toEqual({ from_height: 2, depth: 2 });
  const reversed = after.filter(({ type }) => type === 'payment.reversed');
  expect(reversed.map(({ data }) => data)).toMatchObject(
    mined.slice(1).map(({ id, data }) => ({
      ...{ tx_hash: data.tx_hash, height: data.height, amount: data.amount },
      ...{ reverses: id, reason: 'reorganised' },
    })),
  );
  const again = after.filter(({ type }) => type === 'payment.mined');
  expect(again.map(({ data }) => data.height)).toEqual([3, 4, 5]);
  const ids = [...reversed, ...again].map(({ id }) => id as number);
  expect(ids).toEqual([...ids].sort((a, b) => a - b));
  expect(sum()).toBe((await shop.rpc('get_balance')).balance);
});
