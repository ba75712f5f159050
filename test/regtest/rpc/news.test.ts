import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { News } from '../../../src/regtest/rpc/news.js';
import { toHex } from '../../../src/util/bytes.js';
import { testNode, type TestNode } from '../../support/regtest-node.js';

describe('news of a node', () => {
  let test: TestNode;
  let published: string[];
  let wanted: string[];

  beforeEach(() => {
    test = testNode();
    published = [];
    wanted = ['json-minimal-chain_main'];
    const news = new News(
      test.node,
      { publish: (text) => void published.push(text), isWanted: (name) => wanted.includes(name) },
      (error) => {
        throw error;
      },
    );
    test.node.onChange(() => news.note());
  });

  afterEach(() => test.node.close());

  it('that cannot be told does not undo what it is about', async () => {
    const bugs: unknown[] = [];
    const full = new Error('no room');
    const news = new News(
      test.node,
      {
        isWanted: () => true,
        publish() {
          throw full;
        },
      },
      (error) => void bugs.push(error),
    );
    test.node.onChange(() => news.note());
    expect((await test.mine(1)).place).toBe('main');
    expect(bugs.slice(0, 2)).toEqual([full, full]);
  });

  const nameAt = (height: number): string =>
    toHex(test.node.store.blocks.at(height)?.hash ?? new Uint8Array());

  const block = (first: number, ids: readonly string[]): string =>
    `json-minimal-chain_main:${JSON.stringify({ first_height: first, first_prev_id: nameAt(first - 1), ids })}`;

  it('tells of every block of the main chain', async () => {
    await test.mine(2);
    expect(published).toEqual([block(1, [nameAt(1)]), block(2, [nameAt(2)])]);
  });

  it('tells of all blocks of a reorganisation at once, from where it leaves the old chain', async () => {
    await test.mine(3);
    published.length = 0;
    const split = test.node.store.blocks.at(1);
    await test.mine(2, split?.hash);
    expect(published).toEqual([]);
    const left = [nameAt(2), nameAt(3)];
    const [side] = test.node.store.alternatives.all().slice(-1);
    await test.mine(1, side?.hash);
    expect(published).toEqual([block(2, [nameAt(2), nameAt(3), nameAt(4)])]);
    expect([nameAt(2), nameAt(3)]).not.toEqual(left);
  });

  it('tells nothing of blocks that are taken off, and of those after them again', async () => {
    await test.mine(3);
    published.length = 0;
    await test.node.popBlocks(2);
    expect(published).toEqual([]);
    await test.mine(1);
    expect(published).toEqual([block(2, [nameAt(2)])]);
  });
});
