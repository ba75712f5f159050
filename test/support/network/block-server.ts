import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Hash } from '../../../src/monero/crypto/types.js';
import type { Block } from '../../../src/monero/cryptonote/types.js';
import { readStorage } from '../../../src/monero/epee/portable-storage.js';
import { chunks, toHex } from '../../../src/util/bytes.js';
import { blocksAnswer } from '../chain/blocks-answer.js';
import { pageOf } from '../chain/fake-chain.js';

/** The calls of a refresh over HTTP, from a chain that can be replaced. */
export class BlockServer {
  blocks: readonly Block[];
  /** Blobs of pool transactions by hash in hex. */
  readonly pool = new Map<string, Uint8Array>();
  /** Paths of all requests. */
  readonly asked: string[] = [];
  /** Answers with an error while true. */
  isBroken = false;
  readonly #server = createServer((req, res) => {
    void bodyOf(req).then((body) => {
      const path = req.url ?? '';
      this.asked.push(path);
      const answer = this.isBroken ? undefined : this.#answer(path, body);
      if (answer === undefined) res.writeHead(500).end();
      else res.writeHead(200).end(answer);
    });
  });

  constructor(blocks: readonly Block[]) {
    this.blocks = blocks;
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', () => resolve()));
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }

  /** Number of open connections. */
  connections(): Promise<number> {
    return new Promise((resolve, reject) =>
      this.#server.getConnections((error, count) => (error === null ? resolve(count) : reject(error))),
    );
  }

  countOf(path: string): number {
    return this.asked.filter((asked) => asked === path).length;
  }

  #answer(path: string, body: Buffer): Uint8Array | string | undefined {
    switch (path) {
      case '/getblocks.bin': {
        const { block_ids: ids, start_height: start } = readStorage(body);
        const startHeight = Number(start ?? 0);
        return blocksAnswer(
          pageOf(this.blocks, {
            shortHistory: ids instanceof Uint8Array ? (chunks(ids, 32) as Hash[]) : [],
            ...(startHeight === 0 ? {} : { startHeight }),
          }),
        );
      }
      case '/json_rpc':
        return JSON.stringify({
          id: '0',
          jsonrpc: '2.0',
          result: {
            status: 'OK',
            height: this.blocks.length,
            target_height: 0,
            top_block_hash: toHex(new Uint8Array(32)),
          },
        });
      case '/get_transaction_pool_hashes':
        return JSON.stringify({ status: 'OK', tx_hashes: [...this.pool.keys()] });
      case '/gettransactions': {
        const { txs_hashes: hashes } = JSON.parse(body.toString('utf8')) as { txs_hashes: string[] };
        const txs = hashes.flatMap((hash) => {
          const blob = this.pool.get(hash);
          return blob === undefined
            ? []
            : [{ tx_hash: hash, as_hex: '', pruned_as_hex: toHex(blob), in_pool: true }];
        });
        return JSON.stringify({ status: 'OK', txs });
      }
      default:
        return undefined;
    }
  }
}

async function bodyOf(req: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of req) parts.push(part as Buffer);
  return Buffer.concat(parts);
}
