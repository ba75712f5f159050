/*
 * Follows the payments of a wallet across restarts of this program and of the server, and prints each once:
 *
 *   npm install wallet-rpc
 *   WALLET_RPC_URL=http://127.0.0.1:18083 node follow.ts shop cursor.txt
 *
 * Node.js 22.18 or later runs TypeScript as it is. WALLET_RPC_TOKEN is the token of a credential, if the server wants one.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createClient } from 'wallet-rpc/client';

const { WALLET_RPC_URL: url = 'http://127.0.0.1:18083', WALLET_RPC_TOKEN: token } = process.env;
const [wallet = 'shop', cursorFile = 'cursor.txt'] = process.argv.slice(2);

/** Stores the cursor so that a crash leaves the old or the new one. */
function keep(cursor: number): void {
  writeFileSync(`${cursorFile}.new`, String(cursor));
  renameSync(`${cursorFile}.new`, cursorFile);
}

const client = createClient({ url, wallet, auth: token === undefined ? undefined : { token } });
const after = existsSync(cursorFile) ? Number(readFileSync(cursorFile, 'utf8')) : 0;
const types = ['payment.mined', 'payment.confirmed', 'payment.reversed'] as const;
const onRetry = (error: Error): void => console.error(error.message);

for await (const event of client.events({ after, types, onRetry })) {
  // Narrows the type of the data to that of payments.
  if (!('tx_timestamp' in event.data)) continue;
  const { amount, address, tx_hash } = event.data;
  // Process the event here. It comes again if this program ends before the next line: let its id decide.
  console.log(`${event.type} ${amount} to ${address} in ${tx_hash}`);
  keep(event.id);
}
