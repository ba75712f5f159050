import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createWallet } from '../support/wallets/create-wallet.js';
import type { Reply } from '../support/network/json-rpc.js';
import { startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';
import { someRows } from '../support/jest/lanes.js';

const ID = 'ab'.repeat(32);

let wallet: WalletRpc;
let address: string;

beforeAll(async () => {
  wallet = await startWalletRpc();
  await createWallet(wallet, 'w');
  ({ address } = await wallet.rpc('get_address'));
});

afterAll(() => wallet.stop());

/** Makes a call, and counts the answers to other calls meanwhile, which are sent one after the other. */
async function beside(method: string, params: unknown): Promise<{ others: number; reply: Reply }> {
  let others = 0;
  let running = true;
  const asking = (async () => {
    while (running) {
      await wallet.call('get_version');
      if (running) others += 1;
      // Timer: leaves the processors to the call.
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  })();
  const reply = await wallet.call(method, params);
  running = false;
  await asking;
  return { others, reply };
}

const CALLS: readonly (readonly [method: string, params: () => unknown, error: number | undefined])[] = [
  ['transfer_split', () => ({ destinations: Array(6_000).fill({ amount: 1, address }) }), -4],
  ['get_bulk_payments', () => ({ payment_ids: Array(45_000).fill(ID) }), undefined],
  [
    'import_key_images',
    () => ({ signed_key_images: Array(100_000).fill({ key_image: ID, signature: ID + ID }) }),
    -1,
  ],
];

describe('other requests are answered', () => {
  test.each(someRows(CALLS))('while %s handles a list of thousands', async (method, params, error) => {
    await wallet.rpc('get_version');
    const { others, reply } = await beside(method, params());
    expect(reply.error?.code).toBe(error);
    // A call that holds the main thread to its end lets one answer through, of the call sent before it.
    expect(others).toBeGreaterThan(1);
  });
});
