import { join } from 'node:path';
import { defineConfig } from '@medusajs/framework/utils';
import { options } from '../wallets.js';

module.exports = defineConfig({
  projectConfig: {
    http: { storeCors: '*', adminCors: '*', authCors: '*', jwtSecret: 'test', cookieSecret: 'test' },
  },
  admin: { disable: true },
  modules: [
    {
      resolve: '@medusajs/medusa/payment',
      options: {
        // For the test alone: Medusa waits five seconds before it looks at a webhook.
        webhook_delay: 1,
        providers: [
          {
            resolve: join(__dirname, '../../..'),
            id: 'monero',
            options: { ...options, webhookSecret: process.env['WEBHOOK_SECRET'] },
          },
        ],
      },
    },
  ],
});
