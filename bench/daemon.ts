import { readStorage, SectionReader } from '../src/monero/epee/portable-storage.js';
import { writeStorage } from '../src/monero/epee/storage-writer.js';
import { fromHex } from '../src/util/bytes.js';
import { unpackBenchChain } from '../test/support/chain/bench-chain.js';
import { submitBlock, submitTransactions, readBlock } from '../test/support/chain/chain-copy.js';
import { startMonerod, type Monerod } from '../test/support/processes/monerod.js';
import { startRegtestDaemon } from '../test/support/processes/regtest-daemon.js';
import { median, printTable } from './table.js';

/*
 * Submits the bench chain block by block to our daemon and to the real one, which must verify every transaction and
 * accept every block. Then fetches the chain from both as wallets do. The real one already has the blocks before the
 * first payment, because checking the proof of work takes it a third of a second per block.
 */

/** Maximum number of submitted blocks with payments. */
const BUSY_BLOCKS = Number(process.argv[2] ?? Number.POSITIVE_INFINITY);
/** Height of the first payment. */
const FIRST_PAYMENT = 4201;
const ROUNDS = 9;

/** Measures the duration of work [s]. */
async function timed(work: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1000;
}

/**
 * Fetches the chain from its first block on, page by page, as wallets do.
 * @returns total time until the last byte of each page arrived, without parsing [s].
 */
async function fetchAll({ port }: Monerod, genesis: string, prune: boolean, blocks: number): Promise<number> {
  let height = 0;
  let seconds = 0;
  while (height < blocks) {
    const body = Buffer.from(
      writeStorage({
        block_ids: { type: 'string', value: fromHex(genesis) },
        start_height: { type: 'u64', value: BigInt(height) },
        prune: { type: 'bool', value: prune },
      }),
    );
    let answer = new Uint8Array();
    seconds += await timed(async () => {
      const reply = await fetch(`http://127.0.0.1:${port}/getblocks.bin`, { method: 'POST', body });
      answer = new Uint8Array(await reply.arrayBuffer());
    });
    const page = new SectionReader(readStorage(answer));
    const count = page.sections('blocks').length;
    if (count === 0 || page.number('start_height') !== height) throw new Error('blocks are missing');
    height += count;
  }
  return seconds;
}

const [chain, copy] = [unpackBenchChain(), unpackBenchChain()];
const [source, ours, theirs] = await Promise.all([
  startMonerod({ dataDir: chain.dataDir }),
  startRegtestDaemon(),
  startMonerod({ dataDir: copy.dataDir }),
]);
const daemons = [ours, theirs] as const;
try {
  const height = Math.min(chain.meta.height, FIRST_PAYMENT + BUSY_BLOCKS);
  await theirs.popBlocks(chain.meta.height - FIRST_PAYMENT);
  await theirs.rpc('flush_txpool');
  for (let at = 1; at < FIRST_PAYMENT; at++) await submitBlock(ours, await readBlock(source, at));

  const seconds = { transactions: [0, 0], blocks: [0, 0] };
  let transactions = 0;
  for (let at = FIRST_PAYMENT; at < height; at++) {
    const block = await readBlock(source, at);
    transactions += block.txs.length;
    for (const [i, daemon] of daemons.entries()) {
      seconds.transactions[i] =
        (seconds.transactions[i] ?? 0) + (await timed(() => submitTransactions(daemon, block.txs)));
      seconds.blocks[i] = (seconds.blocks[i] ?? 0) + (await timed(() => submitBlock(daemon, block)));
    }
  }
  const [tip, theirTip] = await Promise.all(daemons.map((daemon) => daemon.rpc('get_last_block_header')));
  if (tip.block_header.hash !== theirTip.block_header.hash) throw new Error('the chains differ');
  const { block_header: first } = await source.rpc('get_block_header_by_height', { height: 0 });
  /** Median times, ours first [s]. */
  const fetching = async (prune: boolean): Promise<number[]> => {
    const samples: [number[], number[]] = [[], []];
    for (let round = 0; round < ROUNDS; round++)
      for (const [i, daemon] of daemons.entries())
        samples[i as 0 | 1].push(await fetchAll(daemon, first.hash as string, prune, height));
    return samples.map(median);
  };

  const row = (
    what: string,
    count: number,
    [mine = 0, reference = 0]: readonly number[],
    bar = '',
  ): string[] => [
    what,
    `${(count / mine).toFixed(1)} /s`,
    `${(count / reference).toFixed(1)} /s`,
    (reference / mine).toFixed(2),
    bar,
  ];
  process.stdout.write(
    `${height} blocks with ${transactions} transactions, accepted by both; the higher the ratio the better\n`,
  );
  printTable(
    ['', 'ours', 'monerod', 'ratio', 'bar'],
    [
      row('transactions verified', transactions, seconds.transactions),
      row('blocks taken', height - FIRST_PAYMENT, seconds.blocks),
      row(`blocks served as wallets ask, median of ${ROUNDS}`, height, await fetching(true), '1'),
      row(`blocks served whole, median of ${ROUNDS}`, height, await fetching(false), '1'),
    ],
  );
} finally {
  await Promise.all([source, ours, theirs].map((daemon) => daemon.stop()));
  chain.remove();
  copy.remove();
}
