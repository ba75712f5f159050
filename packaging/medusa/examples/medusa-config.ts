import { defineConfig } from '@medusajs/framework/utils';
import type { RateQuote } from 'wallet-rpc-medusa';

const { env } = process;

/** Asks the shop's own source for the present price of one XMR. @param currency lower-case code, such as eur. */
async function rate(currency: string): Promise<RateQuote> {
  const answer = await fetch(`${env['RATES_URL']}?currency=${currency}`);
  const { rate, time } = (await answer.json()) as { readonly rate: string; readonly time: number };
  return { rate, time, source: 'rates of the shop' };
}

module.exports = defineConfig({
  projectConfig: {
    databaseUrl: env['DATABASE_URL'] ?? '',
    http: {
      storeCors: env['STORE_CORS'] ?? '',
      adminCors: env['ADMIN_CORS'] ?? '',
      authCors: env['AUTH_CORS'] ?? '',
      jwtSecret: env['JWT_SECRET'] ?? '',
      cookieSecret: env['COOKIE_SECRET'] ?? '',
    },
  },
  modules: [
    {
      resolve: '@medusajs/medusa/payment',
      options: {
        providers: [
          {
            resolve: 'wallet-rpc-medusa',
            id: 'monero',
            options: {
              url: env['WALLET_RPC_URL'],
              auth: { token: env['WALLET_RPC_TOKEN'] },
              wallet: 'shop',
              webhookSecret: env['WALLET_RPC_WEBHOOK_SECRET'],
              rate,
            },
          },
        ],
      },
    },
  ],
});
