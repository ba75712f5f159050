import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Hash } from '../../../src/monero/crypto/types.js';
import { fitOf, type PageBlocks } from '../../../src/refresh/feeds/chain-position.js';
import { MAX_REORGANISATION, type BlockRef } from '../../../src/monero/wallet/scan/findings.js';
import { randomRuns } from '../../support/fakes/random-runs.js';

/** Chains as lists of block names; a name determines all blocks before it. */
type Chain = readonly string[];

const hashOf = (name: string): Hash => {
  const hash = new Uint8Array(32);
  hash.set(Buffer.from(name));
  return hash as Hash;
};
const refAt = (chain: Chain, height: number): BlockRef => ({ height, hash: hashOf(chain[height] ?? '') });

/** A trunk of `fork` blocks and a branch. */
const chainOf = (fork: number, branch: string, length: number): Chain =>
  Array.from({ length }, (_, height) => `${height < fork ? 'trunk' : branch}${height}`);

const pageOf = (chain: Chain, from: number, to: number): PageBlocks => ({
  blocks: Array.from({ length: to - from }, (_, i) => refAt(chain, from + i)),
  reachesTip: to === chain.length,
});

const cases = fc
  .record({
    fork: fc.integer({ min: 1, max: 40 }),
    ours: fc.integer({ min: 1, max: 50 }),
    theirs: fc.integer({ min: 1, max: 50 }),
    from: fc.nat(49),
    count: fc.integer({ min: 1, max: 30 }),
    /** Which held blocks the history names. */
    named: fc.array(fc.boolean(), { minLength: 50, maxLength: 50 }),
  })
  .map(({ fork, ours, theirs, from, count, named }) => {
    const own = chainOf(fork, 'a', ours);
    const daemon = chainOf(fork, 'b', theirs);
    const start = Math.min(from, daemon.length - 1);
    const held = own
      .map((_, height) => refAt(own, height))
      .filter(({ height }) => height === ours - 1 || height === 0 || named[height] === true)
      .reverse();
    return { own, daemon, held, page: pageOf(daemon, start, Math.min(start + count, daemon.length)), start };
  });

describe('the fit of a page to the chain of a wallet', () => {
  it('leaves out no block that the wallet lacks, and includes none that it holds and names', () => {
    fc.assert(
      fc.property(cases, ({ own, daemon, held, page, start }) => {
        const fit = fitOf(page, { held, startHeight: undefined });
        if (fit === undefined) return;
        const height = start + fit;
        const common = own.findIndex((name, i) => daemon[i] !== name);
        const agreed = common < 0 ? own.length : Math.min(common, daemon.length);
        expect(height).toBeLessThanOrEqual(agreed);
        for (const { height: known } of held)
          if (known < agreed && known >= start) expect(known).toBeLessThan(height);
      }),
      { numRuns: randomRuns(2000) },
    );
  });

  it('is found wherever the page holds the tip of the wallet', () => {
    fc.assert(
      fc.property(cases, ({ own, daemon, held, page, start }) => {
        const tip = own.length - 1;
        const holdsTip = tip >= start && tip < start + page.blocks.length && daemon[tip] === own[tip];
        if (holdsTip) expect(fitOf(page, { held, startHeight: undefined })).toBe(tip - start + 1);
      }),
      { numRuns: randomRuns(2000) },
    );
  });

  it('is found exactly where the tip is in the page, or a named block before a fork that the page shows', () => {
    fc.assert(
      fc.property(cases, ({ own, daemon, held, page, start }) => {
        const inPage = held.filter(({ height }) => height >= start && height < start + page.blocks.length);
        const agrees = ({ height }: BlockRef): boolean => own[height] === daemon[height];
        const newest = inPage.find(agrees);
        const forked = inPage.some((ref) => !agrees(ref));
        const fits = newest !== undefined && (forked || newest.height === own.length - 1);
        expect(fitOf(page, { held, startHeight: undefined })).toBe(
          fits ? newest.height - start + 1 : undefined,
        );
      }),
      { numRuns: randomRuns(2000) },
    );
  });

  it('begins at the start height of an empty wallet, or of one that skips blocks', () => {
    fc.assert(
      fc.property(cases, fc.nat(60), fc.boolean(), ({ daemon, page, start, held }, startHeight, isEmpty) => {
        const fit = fitOf(page, { held: isEmpty ? [] : held, startHeight });
        const end = start + page.blocks.length;
        if (startHeight < start) expect(fit).toBeUndefined();
        else if (startHeight < end) expect(fit).toBe(startHeight - start);
        else if (end < daemon.length) expect(fit).toBeUndefined();
        else expect(fit).toBe(isEmpty ? page.blocks.length - 1 : undefined);
      }),
      { numRuns: randomRuns(1000) },
    );
  });

  it('is refused for a page without blocks, and for a reorganisation that is too deep', () => {
    const page = pageOf(chainOf(5, 'b', 20), 2, 20);
    const deep = (height: number): BlockRef[] => [
      { height, hash: hashOf('tip') },
      { height: 10, hash: hashOf('a10') },
      { height: 4, hash: hashOf('trunk4') },
    ];
    expect(
      fitOf({ blocks: [], reachesTip: true }, { held: deep(30), startHeight: undefined }),
    ).toBeUndefined();
    expect(fitOf(page, { held: deep(4 + MAX_REORGANISATION), startHeight: undefined })).toBe(3);
    expect(fitOf(page, { held: deep(5 + MAX_REORGANISATION), startHeight: undefined })).toBeUndefined();
  });
});
