import { createHash } from 'node:crypto';
import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Worker } from 'node:worker_threads';
import Database from 'better-sqlite3';
import { wasm } from '../src/monero/crypto/curve/kernel-relaxed.wasm.js';
import { SERVER_FLAGS, setV8Flags } from '../src/util/v8-heap.js';
import { NODE_FLAGS } from '../test/support/processes/wallet-rpc.js';

/*
 * A program with the parts of Node.js that a wallet server uses, and nothing else: one request to an HTTP server, a hash, a
 * database in memory, the kernel compiled, a function that V8 optimises, and one empty thread. Prints `up`, and stays.
 */

function sumOf(count: number): number {
  let sum = 0;
  for (let i = 0; i < count; i++) sum = (31 * sum + i) | 0;
  return sum;
}

if (!NODE_FLAGS.every((flag) => process.execArgv.includes(flag)))
  throw new Error('other flags than a server');
setV8Flags(SERVER_FLAGS);
const kernel = new WebAssembly.Module(Buffer.from(wasm(), 'base64'));
let sum = 0;
for (let i = 0; i < 200; i++) sum += sumOf(100_000);
const database = new Database(':memory:');
database.exec('CREATE TABLE part (name TEXT)');
const digest = createHash('sha256')
  .update(`${String(kernel)} ${sum}`)
  .digest('hex');
const server = createServer((_, res) => res.end(digest));
server.listen(0, '127.0.0.1', () =>
  get({ port: (server.address() as AddressInfo).port }, (res) => {
    res.resume();
    res.on('end', () =>
      new Worker('setInterval(() => 0, 1e6)', { eval: true }).on('online', () => process.stdout.write('up')),
    );
  }),
);
