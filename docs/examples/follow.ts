/*
 * Follows the payments of a wallet across restarts of this program and of the server, and prints each once:
 *
 *   WALLET_RPC_URL=http://127.0.0.1:18083 node follow.ts shop cursor.txt
 *
 * Node.js 22.18 or later runs TypeScript as it is. The server runs on this machine without a login, or behind a proxy
 * that logs in.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

const server = process.env['WALLET_RPC_URL'] ?? 'http://127.0.0.1:18083';
const [wallet = 'shop', cursorFile = 'cursor.txt'] = process.argv.slice(2);

interface PaymentEvent {
  readonly id: number;
  readonly type: string;
  readonly data: { readonly tx_hash: string; readonly address: string; readonly amount: number };
}

/** Stores the cursor so that a crash leaves the old or the new one. */
function keep(cursor: string): void {
  writeFileSync(`${cursorFile}.new`, cursor);
  renameSync(`${cursorFile}.new`, cursorFile);
}

/** Reads server-sent events until the connection ends. */
async function follow(): Promise<void> {
  const after = existsSync(cursorFile) ? readFileSync(cursorFile, 'utf8') : '0';
  const types = 'payment.mined,payment.confirmed,payment.reversed';
  const url = `${server}/wallet/${encodeURIComponent(wallet)}/events?after=${after}&types=${types}`;
  const { status, body } = await fetch(url);
  if (status !== 200 || body === null) throw new Error(`${url} answers ${status}`);
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true });
    const messages = text.split('\n\n');
    text = messages.pop() ?? '';
    for (const message of messages) {
      const id = /^id: ?(\d+)$/m.exec(message)?.[1];
      const data = /^data: ?(.*)$/m.exec(message)?.[1];
      // A comment keeps the connection alive.
      if (id === undefined || data === undefined) continue;
      const event = JSON.parse(data) as PaymentEvent;
      // Process the event here. It comes again if this program ends before the next line: let the id decide.
      console.log(`${event.type} ${event.data.amount} to ${event.data.address} in ${event.data.tx_hash}`);
      keep(id);
    }
  }
}

for (;;) {
  await follow().catch((error: unknown) => console.error(String(error)));
  await new Promise((resolve) => setTimeout(resolve, 1_000));
}
