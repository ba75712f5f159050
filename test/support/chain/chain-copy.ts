import { parseBlock } from '../../../src/monero/cryptonote/block.js';
import { fromHex, toHex } from '../../../src/util/bytes.js';
import type { Loose } from '../network/json-rpc.js';
import type { Monerod } from '../processes/monerod.js';

type Daemon = Pick<Monerod, 'rpc' | 'plain'>;

/** Block and its transactions, in hex. */
export interface SerializedBlock {
  readonly blob: string;
  /** Payments in block order. */
  readonly txs: readonly string[];
}

export async function readBlock(daemon: Daemon, height: number): Promise<SerializedBlock> {
  const { blob } = (await daemon.rpc('get_block', { height })) as { blob: string };
  const txs_hashes = parseBlock(fromHex(blob)).txHashes.map(toHex);
  if (txs_hashes.length === 0) return { blob, txs: [] };
  const { txs } = await daemon.plain('/get_transactions', { txs_hashes });
  return { blob, txs: (txs as Loose[]).map(({ as_hex }) => as_hex as string) };
}

/** Submits transactions to the pool of a daemon. @throws Error when the daemon refuses a transaction. */
export async function submitTransactions(daemon: Daemon, txs: readonly string[]): Promise<void> {
  const replies: Loose[] = await Promise.all(
    txs.map((tx_as_hex) => daemon.plain('/send_raw_transaction', { tx_as_hex, do_sanity_checks: false })),
  );
  const refused = replies.find(({ status }) => status !== 'OK');
  if (refused !== undefined) throw new Error(`a transaction was refused: ${JSON.stringify(refused)}`);
}

/** Submits a block to a daemon. @throws Error when the daemon refuses it. */
export async function submitBlock(daemon: Daemon, { blob }: SerializedBlock): Promise<void> {
  await daemon.rpc('submit_block', [blob]);
}

/** Copies the blocks that a daemon lacks, and their transactions, from another one. @throws Error when it refuses one. */
export async function copyBlocks(from: Daemon, to: Daemon): Promise<void> {
  const heights = await Promise.all([from, to].map(async (daemon) => (await daemon.rpc('get_info')).height));
  const [end, start] = heights as [number, number];
  for (let height = start; height < end; height++) {
    const block = await readBlock(from, height);
    await submitTransactions(to, block.txs);
    await submitBlock(to, block);
  }
}
