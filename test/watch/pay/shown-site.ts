import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serveSite } from '../../../src/http/pages/public-site.js';
import { WalletError } from '../../../src/model/wallet-error.js';
import { toHex } from '../../../src/util/bytes.js';
import type { Merchant } from '../../../src/watch/pay/merchant.js';
import { PaySite } from '../../../src/watch/pay/pay-site.js';
import { PayStreams } from '../../../src/watch/pay/pay-streams.js';
import { TokenLookup, type PayWallet } from '../../../src/watch/pay/token-lookup.js';
import { ADDRESS, NOW, requestView, type RequestFixture } from './fixtures.js';

/** Pay pages of some requests, on a server of their own: no wallet and no chain are needed to show each state. */
export interface ShownSite {
  readonly origin: string;
  /** Returns the address of the page of a request. */
  url(name: string): string;
  /** Changes a request, whose open pages show it at once. */
  change(name: string, fixture: RequestFixture): void;
  close(): Promise<void>;
}

export interface ShownSiteOptions {
  readonly merchant?: Merchant;
  readonly embedOrigins?: readonly string[];
}

/** Serves HTTP on a free port of this machine. */
export async function serveHttp(handler: RequestListener) {
  const server = createServer(handler);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Serves the pages of requests by their names. */
export async function showSite(
  fixtures: Readonly<Record<string, RequestFixture>>,
  { merchant, embedOrigins = [] }: ShownSiteOptions = {},
): Promise<ShownSite> {
  const names = Object.keys(fixtures);
  const shown = new Map(Object.entries(fixtures));
  const tokenOf = (name: string): Uint8Array => new Uint8Array(16).fill(names.indexOf(name) + 1);
  const shop: PayWallet = {
    name: 'shop',
    paymentRequests: {
      byToken(token) {
        const minor = token[0] ?? 0;
        const fixture = shown.get(names[minor - 1] ?? '');
        return fixture && requestView({ token, minor, ...fixture });
      },
    },
    refunds: {
      giveAddress(token, text) {
        const name = names[(token[0] ?? 0) - 1] ?? '';
        if (text === ADDRESS) throw new WalletError({ kind: 'bad_payment_request', reason: 'own' });
        if (!text.startsWith('4')) throw new WalletError({ kind: 'wrong_address', reason: 'no address' });
        shown.set(name, { ...shown.get(name), refundAddress: text });
        return undefined;
      },
    },
    eventLog: { lastId: 0, after: () => [] },
  };
  const wallets = () => [shop];
  const clock = { now: () => NOW * 1000 };
  const isCutOff = () => false;
  const onBug = (error: unknown): void => {
    throw error;
  };
  const streams = new PayStreams({ wallets, network: 'mainnet', clock, isCutOff, onBug });
  const lookup = new TokenLookup(wallets, (length) => new Uint8Array(length));
  const site = new PaySite({
    ...{ lookup, streams, network: 'mainnet', clock, isCutOff, embedOrigins },
    isOpening: () => false,
    merchant: () => merchant,
  });
  const { port, close } = await serveHttp(serveSite(site, onBug));
  const origin = `http://127.0.0.1:${port}`;
  return {
    origin,
    url: (name) => `${origin}/pay/${toHex(tokenOf(name))}`,
    change(name, fixture) {
      shown.set(name, fixture);
      streams.onRequest('shop', tokenOf(name));
    },
    async close() {
      streams.close();
      await close();
    },
  };
}
