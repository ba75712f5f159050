import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { SecretKey } from '../../../src/monero/crypto/types.js';
import { blockHash } from '../../../src/monero/cryptonote/block.js';
import type { Block } from '../../../src/monero/cryptonote/types.js';
import { ChainFeed } from '../../../src/refresh/feeds/chain-feed.js';
import { monotonicMs } from '../../../src/util/clock.js';
import { yieldToEventLoop } from '../../../src/util/event-loop.js';
import { toHex } from '../../../src/util/bytes.js';
import { turns } from '../../support/fakes/event-loop-turns.js';
import { echoKernel, SteeredDaemon, TestMember } from '../../support/fakes/feed-members.js';
import { chain, PAGE, refs } from '../../support/chain/fake-chain.js';
import { randomRuns } from '../../support/fakes/random-runs.js';

const LENGTH = 4 * PAGE;
const genesisChain = chain(LENGTH, { keys: 1 });
const genesis = blockHash(genesisChain[0] as Block);

/** Blocks that the daemon drops, and blocks that it then adds to the height before. */
const steps = fc.array(
  fc.record({ depth: fc.integer({ min: 0, max: 60 }), more: fc.integer({ min: 1, max: 30 }) }),
  { maxLength: 4 },
);

/** A chain, then others that each extend or reorganise the one before. */
function versionsOf(changes: readonly { readonly depth: number; readonly more: number }[]): Block[][] {
  const versions: Block[][] = [genesisChain];
  changes.forEach(({ depth, more }, i) => {
    const previous = versions.at(-1) ?? [];
    const kept = previous.slice(0, Math.max(2, previous.length - depth));
    versions.push(chain(previous.length + more, { after: kept, nonce: i + 1, keys: 1 }));
  });
  return versions;
}

const members = fc.array(
  fc.record({
    /** Blocks of the first chain that it holds; 0: none. */
    holds: fc.oneof(fc.constant(0), fc.constant(LENGTH), fc.nat(LENGTH)),
    startHeight: fc.oneof(fc.constant(0), fc.nat(LENGTH + 10)),
    /** Turns before it joins, and between its pages. */
    after: fc.nat(60),
    pace: fc.oneof(fc.constant(0), fc.nat(12)),
    /** Pages after which it is cancelled; 0: never. */
    cancelledAfter: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 4 })),
    /** Turns before it joins at which pages are fetched ahead for it; undefined: none. */
    aheadBy: fc.option(fc.nat(40), { nil: undefined }),
    /** Whether they are scanned for it. */
    isExpected: fc.boolean(),
    /** Whether it takes answers from before it joined. */
    acceptsOld: fc.boolean(),
  }),
  { minLength: 1, maxLength: 8 },
);

/** Blocks that a store names: every one of the newest ten, every seventh below. */
const historyOf = (blocks: readonly Block[]) => {
  const heights = blocks.map((_, height) => height).reverse();
  return refs(
    blocks,
    heights.filter((height, i) => i < 10 || height % 7 === 0),
  );
};

it('brings every wallet to a chain that the daemon held at its moment or later, whatever happens meanwhile', async () => {
  await fc.assert(
    fc.asyncProperty(
      steps,
      members,
      fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 4, maxLength: 4 }),
      fc.constantFrom(0, 1, 50),
      async (changes, plans, switches, patienceMs) => {
        const versions = versionsOf(changes);
        const names = versions.map((blocks) => blocks.map((block) => toHex(blockHash(block))));
        const daemon = new SteeredDaemon(versions[0] ?? []);
        let version = 0;
        let answered = 0;
        const source = {
          ...{ isTrusted: true, proveTransactions: daemon.proveTransactions, getInfo: daemon.getInfo },
          getBlocks: (async (request) => {
            const answer = await daemon.getBlocks(request);
            await yieldToEventLoop();
            answered += 1;
            if (answered >= (switches[version] ?? 1) && version < versions.length - 1) {
              version += 1;
              answered = 0;
              daemon.blocks = versions[version] ?? [];
            }
            return answer;
          }) as typeof daemon.getBlocks,
        };
        const feed = new ChainFeed(source, { genesis }, echoKernel(), { patienceMs, catchUpMs: patienceMs });
        const begun = monotonicMs();
        await Promise.all(
          plans.map(async (plan, n) => {
            const { holds, startHeight, after, pace, cancelledAfter, aheadBy, isExpected, acceptsOld } = plan;
            const viewSecret = new Uint8Array(32).fill(n + 1) as SecretKey;
            const member = new TestMember();
            // Every wallet gets its own matches.
            member.onMatches = (matches) => expect(matches.spendKey(0)).toEqual(viewSecret);
            const known = genesisChain.slice(0, holds);
            known.forEach((block, height) => member.hashes.set(height, toHex(blockHash(block))));
            await turns(after);
            if (aheadBy !== undefined) {
              feed.prefetch(startHeight, isExpected ? (Uint8Array.from(viewSecret) as SecretKey) : undefined);
              await turns(aheadBy);
            }
            const abort = new AbortController();
            let pages = 0;
            member.onPage = async ({ page }) => {
              const [first] = page.blocks;
              // Pages are gapless, and continue what the wallet holds.
              const lowest = Math.min(...member.hashes.keys());
              if (first !== undefined && first.height > lowest && startHeight <= holds)
                expect(member.hashes.has(first.height - 1)).toBe(true);
              page.blocks.forEach(({ height }, i) => expect(height).toBe((first?.height ?? 0) + i));
              await turns(pace);
              pages += 1;
              if (pages === cancelledAfter) abort.abort(new Error('cancelled'));
            };
            const since = acceptsOld ? 0 : version;
            const asOf = acceptsOld ? begun : monotonicMs();
            const history = historyOf(known);
            const reading = member.read(feed, {
              ...{ history, startHeight, asOf, keys: { viewSecret } },
              signal: abort.signal,
            });
            const end = await reading.then(
              () => 'done',
              (error: Error) => error.message,
            );
            if (end === 'cancelled') return;
            expect(end).toBe('done');
            // Blocks below the first that was fetched are the wallet's own.
            const from = Math.min(...member.hashes.keys(), Infinity);
            const skips = startHeight > holds && holds > 0;
            const matching = names
              .slice(since)
              .some((hashes) =>
                [...member.hashes].every(
                  ([height, hash]) => (skips && height < startHeight) || hashes[height] === hash,
                ),
              );
            // Also a start beyond the tip brings every wallet to it.
            expect(versions.slice(since).some(({ length }) => member.hashes.has(length - 1))).toBe(true);
            expect(from).toBeLessThan(Infinity);
            expect(matching).toBe(true);
          }),
        );
        expect(feed.passCount).toBe(0);
        feed.close();
      },
    ),
    { numRuns: randomRuns(60) },
  );
});
