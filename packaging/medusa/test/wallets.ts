import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createClient } from 'wallet-rpc-client';

/* The wallets of shop and customer, and the node, which the environment names. */

const { env } = process;
const url = env['WALLET_RPC_URL'] ?? '';

/** Shop, with all rights. */
export const shop = createClient({ url, wallet: 'shop', auth: { token: env['ADMIN_TOKEN'] ?? '' } });
export const customer = createClient({ url: env['CUSTOMER_URL'] ?? '' });

/** Options of the provider, with the rights that a shop needs. */
export const options = {
  ...{ url, wallet: 'shop', auth: { token: env['WALLET_RPC_TOKEN'] ?? '' } },
  // 0.13 XMR and a rest for 19.90 EUR.
  rate: () => ({ rate: '151.20', time: Math.floor(Date.now() / 1000), source: 'test' }),
};

/** Address of the customer. */
export const home = async (): Promise<string> => (await customer.get_address()).address;

/** Mines blocks, and lets both wallets read them. */
export async function mine(blocks: number): Promise<void> {
  const params = { amount_of_blocks: blocks, wallet_address: await home() };
  await fetch(`${env['NODE_URL'] ?? ''}/json_rpc`, {
    method: 'POST',
    body: JSON.stringify({ jsonrpc: '2.0', id: '0', method: 'generateblocks', params }),
  });
  await Promise.all([shop.refresh(), customer.refresh()]);
}

/** Pays an amount of atomic units to a request, and lets the shop see it. */
export async function pay(
  data: Readonly<Record<string, unknown>> | undefined,
  amount?: bigint,
): Promise<void> {
  const destination = {
    amount: amount ?? BigInt(String(data?.['amount'])),
    address: String(data?.['address']),
  };
  await customer.transfer({ destinations: [destination] });
  await shop.refresh();
}

/** Request that a webhook has sent. */
export interface Delivery {
  readonly body: Buffer;
  readonly headers: IncomingHttpHeaders;
}

/** Receives the deliveries of a webhook of the shop. @returns its secret. */
export async function receiveWebhook(
  onDelivery: (delivery: Delivery) => void,
): Promise<{ readonly secret: string; readonly close: () => Promise<void> }> {
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      onDelivery({ body: Buffer.concat(parts), headers: request.headers });
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const { id, secret } = await shop.add_webhook({ url: `http://127.0.0.1:${port}/` });
  return {
    secret,
    async close() {
      await shop.remove_webhook({ id });
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Repeats a question until it has an answer. @throws Error after half a minute. */
export async function until<T>(title: string, ask: () => T | undefined | Promise<T | undefined>): Promise<T> {
  for (const end = Date.now() + 30_000; Date.now() < end;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${title} did not come`);
}
