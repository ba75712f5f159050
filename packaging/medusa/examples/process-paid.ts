import type { MedusaContainer } from '@medusajs/framework/types';
import { Modules, PaymentActions } from '@medusajs/framework/utils';
import { processPaymentWorkflow } from '@medusajs/medusa/core-flows';
import { createClient } from 'wallet-rpc-client';

/*
 * Scheduled job (src/jobs/process-paid.ts): processes payments whose webhook Medusa has lost. Medusa answers a webhook before it
 * processes it, so that the server does not send it again.
 */

const DAYS = 14;

export default async function processPaid(container: MedusaContainer): Promise<void> {
  const { WALLET_RPC_URL: url = '', WALLET_RPC_TOKEN: token = '' } = process.env;
  const client = createClient({ url, wallet: 'shop', auth: { token } });
  try {
    const sessions = await container.resolve(Modules.PAYMENT).listPaymentSessions(
      {
        provider_id: 'pp_wallet-rpc_monero',
        created_at: { $gt: new Date(Date.now() - DAYS * 86_400_000).toISOString() },
      },
      { relations: ['payment'], take: null },
    );
    for (const session of sessions.filter(({ payment }) => !payment)) {
      const { state, price } = await client.get_payment_request({
        request_id: String(session.data['request_id']),
      });
      if (state !== 'paid') continue;
      const data = { session_id: session.id, amount: price?.amount ?? 0 };
      await processPaymentWorkflow(container).run({ input: { action: PaymentActions.SUCCESSFUL, data } });
    }
  } finally {
    client.close();
  }
}

export const config = { name: 'process-paid', schedule: '*/5 * * * *' };
