import { describe, expect, it } from '@jest/globals';
import { blockHash } from '../../src/cryptonote/block.js';
import type { Block } from '../../src/cryptonote/types.js';
import type { BlocksRequest } from '../../src/daemon/daemon.js';
import { DaemonError } from '../../src/daemon/errors.js';
import { pagesFrom } from '../../src/refresh/page-source.js';
import { SharedBlocks, type BlockSource } from '../../src/refresh/shared-blocks.js';
import { chain, daemonOf, PAGE } from '../support/fake-chain.js';

const blocks = chain(8 * PAGE);
const genesis = blockHash(blocks[0] as Block);

/** A daemon that remembers what it was asked. */
function counted(): { readonly source: BlockSource; readonly asked: BlocksRequest[] } {
  const daemon = daemonOf(blocks);
  const asked: BlocksRequest[] = [];
  return {
    asked,
    source: {
      ...daemon,
      getBlocks: (request) => {
        asked.push(request);
        return daemon.getBlocks(request);
      },
    },
  };
}

/** The heights that one refresh is given. */
async function refresh(source: SharedBlocks, startHeight = 0, pause = 0): Promise<number[]> {
  const leave = source.join();
  const heights: number[] = [];
  const { signal } = new AbortController();
  for await (const page of pagesFrom(source, { history: [], startHeight }, { genesis }, signal)) {
    heights.push(...page.blocks.map(({ height }) => height));
    for (let i = 0; i < pause; i++) await new Promise((resolve) => setImmediate(resolve));
  }
  leave();
  return heights;
}

const all = blocks.map((_, height) => height);

describe('pages shared by refreshes', () => {
  it('are fetched once for all that go the same way', async () => {
    const { source, asked } = counted();
    const shared = new SharedBlocks(source);
    const alone = refresh(new SharedBlocks(source));
    expect(await alone).toEqual(all);
    const pages = asked.splice(0).length;
    const found = await Promise.all([refresh(shared, 0, 8), refresh(shared, 0, 8), refresh(shared, 0, 10)]);
    expect(found).toEqual([all, all, all]);
    // The first page was asked for before there was a second refresh.
    expect(asked.length).toBeLessThanOrEqual(pages + 1);
  });

  it('are not mixed up with those of a refresh that starts elsewhere', async () => {
    const shared = new SharedBlocks(counted().source);
    const found = await Promise.all([refresh(shared), refresh(shared, 3 * PAGE), refresh(shared, 0, 3)]);
    expect(found).toEqual([all, all.slice(3 * PAGE), all]);
  });

  it('are not mixed up with pages of another size', async () => {
    const shared = new SharedBlocks(counted().source);
    shared.join();
    shared.join();
    const sizes = [undefined, 3, 7, 3].map((maxBlocks) =>
      shared.getBlocks({ startHeight: 1, maxBlocks, prune: true }),
    );
    expect((await Promise.all(sizes)).map(({ blocks: page }) => page.length)).toEqual([PAGE, 3, 7, 3]);
  });

  it('are not kept for one that refreshes alone', async () => {
    const { source, asked } = counted();
    const shared = new SharedBlocks(source);
    await Promise.all([refresh(shared), refresh(shared)]);
    const before = asked.length;
    const leave = shared.join();
    const question = { startHeight: 5, prune: true };
    await shared.getBlocks(question);
    await shared.getBlocks(question);
    expect(asked.length).toBe(before + 2);
    leave();
  });

  it('reach the others when the one that asked first gives up', async () => {
    const shared = new SharedBlocks(counted().source);
    shared.join();
    shared.join();
    const first = new AbortController();
    const question = { startHeight: PAGE, prune: true };
    const given = shared.getBlocks({ ...question, signal: first.signal });
    const others = shared.getBlocks(question);
    first.abort(new Error('closed'));
    await expect(given).rejects.toThrow('closed');
    expect((await others).startHeight).toBe(PAGE);
    await expect(shared.getBlocks({ ...question, signal: first.signal })).rejects.toThrow('closed');
  });

  it('are asked for again when they failed to come', async () => {
    let failing = true;
    const { source } = counted();
    const shared = new SharedBlocks({
      ...source,
      getBlocks: (request) =>
        failing ? Promise.reject(new DaemonError('unreachable', 'gone')) : source.getBlocks(request),
    });
    shared.join();
    shared.join();
    const question = { startHeight: 1, prune: true };
    await expect(Promise.all([shared.getBlocks(question), shared.getBlocks(question)])).rejects.toThrow(
      'gone',
    );
    failing = false;
    expect((await shared.getBlocks(question)).startHeight).toBe(1);
  });
});
