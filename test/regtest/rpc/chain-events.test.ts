import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ChainEvents } from '../../../src/regtest/rpc/chain-events.js';
import { toHex } from '../../../src/util/bytes.js';
import { testNode, type TestNode } from '../../support/processes/regtest-node.js';

describe('published events of a node', () => {
  let test: TestNode;
  let published: string[];
  let wanted: string[];

  beforeEach(() => {
    test = testNode();
    published = [];
    wanted = ['json-minimal-chain_main'];
    const events = new ChainEvents(
      test.node,
      { publish: (text) => void published.push(text), hasSubscriber: (name) => wanted.includes(name) },
      (error) => {
        throw error;
      },
    );
    test.node.onChange(() => events.publishChanges());
  });

  afterEach(() => test.node.close());

  it('do not undo a change when publishing fails', async () => {
    const bugs: unknown[] = [];
    const full = new Error('no room');
    const events = new ChainEvents(
      test.node,
      {
        hasSubscriber: () => true,
        publish() {
          throw full;
        },
      },
      (error) => void bugs.push(error),
    );
    test.node.onChange(() => events.publishChanges());
    expect((await test.mine(1)).place).toBe('main');
    expect(bugs.slice(0, 2)).toEqual([full, full]);
  });

  const hashAt = (height: number): string =>
    toHex(test.node.store.blocks.at(height)?.hash ?? new Uint8Array());

  const block = (first: number, ids: readonly string[]): string =>
    `json-minimal-chain_main:${JSON.stringify({ first_height: first, first_prev_id: hashAt(first - 1), ids })}`;

  it('include every block of the main chain', async () => {
    await test.mine(2);
    expect(published).toEqual([block(1, [hashAt(1)]), block(2, [hashAt(2)])]);
  });

  it('list all blocks of a reorganisation in one message, from the fork on', async () => {
    await test.mine(3);
    published.length = 0;
    const split = test.node.store.blocks.at(1);
    await test.mine(2, split?.hash);
    expect(published).toEqual([]);
    const left = [hashAt(2), hashAt(3)];
    const [side] = test.node.store.alternatives.all().slice(-1);
    await test.mine(1, side?.hash);
    expect(published).toEqual([block(2, [hashAt(2), hashAt(3), hashAt(4)])]);
    expect([hashAt(2), hashAt(3)]).not.toEqual(left);
  });

  it('omit popped blocks, and include later blocks at the same heights', async () => {
    await test.mine(3);
    published.length = 0;
    await test.node.popBlocks(2);
    expect(published).toEqual([]);
    await test.mine(1);
    expect(published).toEqual([block(2, [hashAt(2)])]);
  });
});
