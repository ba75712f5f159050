import { beforeEach, describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import type { KeyImage } from '../../../src/monero/crypto/types.js';
import type { ImportedOutput } from '../../../src/store/tables/imported-outputs.js';
import { toHex } from '../../../src/util/bytes.js';
import { decode } from '../../../src/util/codec.js';
import { outputExport, type OutputExport } from '../../../src/monero/wallet/exchange/exported-outputs.js';
import { coldPair, ColdWallet, exportedOutputs, type ColdPair } from '../../support/wallets/cold-pair.js';
import { paidOutput } from '../../support/wallets/paid-outputs.js';
import { seededRng } from '../../support/fakes/seeded-rng.js';
import { ownKeys, ServiceWallet } from '../../support/wallets/service-wallet.js';
import { bytes } from '../../store/fixtures.js';
import { holder } from '../../monero/wallet/fixtures.js';

const rng = seededRng('output transfer');
const owner = holder(rng);
const ALL = { all: true, start: 0, count: Infinity };
const NEWS = { all: false, start: 0, count: Infinity };
const VALUES = [10n, 20n, 30n, 40n, 50n];
const OUTPUTS = VALUES.map((value, i) =>
  paidOutput(owner, value, i + 1, rng, { subaddress: { major: i % 2, minor: i % 3 }, outputIndex: i % 2 }),
);

let pair: ColdPair;

beforeEach(() => {
  pair = coldPair(owner, OUTPUTS);
});

const imported = ({ wallet }: ColdWallet = pair.signer): ImportedOutput[] =>
  wallet.store.read((r) => r.imported.list());
const blob = async (range = ALL): Promise<string> => toHex(await pair.watch.outputTransfer.export(range));

describe('outputs of a view-only wallet', () => {
  it('are known to the offline wallet afterwards, with addresses and key images', async () => {
    expect(await pair.signer.outputTransfer.importBlob(await blob(), false)).toBe(5);
    expect(imported()).toEqual(
      pair.outputs.map(
        ({ publicKey, derivationKey, outputIndex, globalIndex, amount, keyImage, subaddress }) => ({
          ...{ publicKey, derivationKey, outputIndex, globalIndex, amount, keyImage, subaddress },
          ...{ rct: true, spent: false, frozen: false, requested: true },
        }),
      ),
    );
    expect(pair.signer.wallet.fakeSync.calls).toEqual(['deriveLookahead']);
    expect(
      pair.signer.wallet.store.read((r) => r.accounts.list().map(({ addressCount }) => addressCount)),
    ).toEqual([3, 2]);
  });

  it('are the same however they are divided into exports that overlap or meet', async () => {
    await pair.signer.outputTransfer.importBlob(await blob(), false);
    const whole = imported().map(({ requested, ...output }) => [typeof requested, output]);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(4), fc.integer({ min: 1, max: 5 })), { maxLength: 4 }),
        async (ranges) => {
          const signer = new ColdWallet(new ServiceWallet(ownKeys(owner)));
          let known = 0;
          for (const [start, count] of [...ranges, [0, 1], [1, 4]] as const) {
            const taken = signer.outputTransfer.importBlob(await blob({ all: true, start, count }), false);
            const isTaken = await taken.then(
              () => true,
              () => false,
            );
            expect(isTaken).toBe(start <= known);
            if (isTaken) known = Math.max(known, Math.min(start + count, 5));
            expect(imported(signer)).toHaveLength(known);
          }
          expect(imported(signer).map(({ requested, ...output }) => [typeof requested, output])).toEqual(
            whole,
          );
        },
      ),
      { numRuns: 5 },
    );
  });

  it('are exported from the first whose key image is not proven, unless all are asked for', async () => {
    const { watch, outputs } = pair;
    await watch.keyImageTransfer.record(
      outputs
        .slice(0, 3)
        .flatMap(({ publicKey, keyImage }, i) =>
          keyImage === undefined ? [] : [{ publicKey, keyImage, proven: i !== 1 }],
        ),
    );
    expect(await exportedOutputs(watch, NEWS)).toMatchObject({ first: 1, total: 5 });
    expect((await exportedOutputs(watch, NEWS)).outputs.map(({ flags }) => flags)).toMatchObject([
      { keyImageKnown: true, keyImageRequested: true },
      { keyImageKnown: true, keyImageRequested: false },
      { keyImageKnown: false, keyImageRequested: true },
      { keyImageKnown: false, keyImageRequested: true },
    ]);
    expect((await exportedOutputs(watch, { all: true, start: 2, count: 2 })).outputs).toHaveLength(2);
  });

  it('beyond the last make an empty run behind it', async () => {
    const range = { all: true, start: 9, count: 1 };
    expect(await exportedOutputs(pair.watch, range)).toEqual({ first: 5, total: 5, outputs: [] });
    expect(await pair.signer.outputTransfer.importBlob(await blob(range), false)).toBe(0);
  });

  test.each([
    ['of none', { all: true, start: 0, count: 0 }],
    ['from a place without all', { all: false, start: 1, count: 1 }],
  ])('are not exported in a range %s', async (_, range) => {
    await expect(pair.watch.outputTransfer.export(range)).rejects.toMatchObject({
      fault: { kind: 'invalid' },
    });
  });
});

describe('an import of outputs that are known', () => {
  it('of a wallet that reads the chain counts them, where that is asked for', async () => {
    const { wallet, outputTransfer } = pair.signer;
    wallet.receive(pair.outputs.slice(0, 3), 120);
    expect(await outputTransfer.importBlob(await blob({ all: true, start: 1, count: 2 }), true)).toBe(3);
    await expect(outputTransfer.importBlob(await blob(), true)).rejects.toMatchObject({
      fault: { kind: 'invalid' },
    });
    expect(imported()).toEqual([]);
  });

  it('keeps them, asks for key images that are not proven, and takes their spent and frozen flags anew', async () => {
    await pair.signer.outputTransfer.importBlob(await blob(), false);
    const told = await exportedOutputs(pair.watch, ALL);
    const outputs = told.outputs.map((output, i) => ({
      ...output,
      flags: {
        ...output.flags,
        spent: i === 0,
        frozen: i === 1,
        keyImageKnown: true,
        keyImageRequested: i === 2,
      },
    }));
    await pair.signer.outputTransfer.import({ ...told, outputs });
    const flags = imported().map(({ spent, frozen, requested }) => [spent, frozen, requested]);
    expect(flags.slice(0, 3)).toEqual([
      [true, false, false],
      [false, true, false],
      [false, false, true],
    ]);
  });

  it('asks for the key images of the last import alone', async () => {
    await pair.signer.outputTransfer.importBlob(await blob(), false);
    await pair.signer.outputTransfer.importBlob(await blob({ all: true, start: 4, count: 1 }), false);
    expect(imported().map(({ requested }) => requested)).toEqual([false, false, false, false, true]);
  });

  it('replaces all from the first on that contradicts it', async () => {
    await pair.signer.outputTransfer.importBlob(await blob(), false);
    const told = await exportedOutputs(pair.watch, ALL);
    const [first, second, third] = told.outputs;
    if (first === undefined || second === undefined || third === undefined) throw new Error('outputs');
    await pair.signer.outputTransfer.import({ first: 1, total: 3, outputs: [third, second] });
    expect(imported().map(({ publicKey }) => publicKey)).toEqual([
      first.publicKey,
      third.publicKey,
      second.publicKey,
    ]);
  });

  it('writes nothing where the task that it is a part of fails', async () => {
    const told = await exportedOutputs(pair.watch, ALL);
    const failing = pair.signer.outputTransfer.importWith(told, () =>
      Promise.reject(new Error('not signed')),
    );
    await expect(failing).rejects.toThrow('not signed');
    expect(imported()).toEqual([]);
  });
});

describe('the outputs that a signer needs', () => {
  it('lack a proven key image; a signer of 0.18.0 gets the last one at least', async () => {
    const forSigner = async ({ watch: { wallet, outputTransfer } }: ColdPair): Promise<OutputExport> =>
      decode(outputExport[wallet.exportFormat], await outputTransfer.forSigner());
    const prove = ({ watch, outputs }: ColdPair): Promise<void> =>
      watch.keyImageTransfer.record(
        outputs.map(({ publicKey, keyImage = bytes<KeyImage>(0) }) => ({
          publicKey,
          keyImage,
          proven: true,
        })),
      );
    const old = coldPair(owner, OUTPUTS, '0.18.0');
    for (const one of [pair, old]) {
      expect((await forSigner(one)).outputs).toHaveLength(5);
      await prove(one);
    }
    expect(await forSigner(pair)).toEqual({ first: 5, total: 5, outputs: [] });
    expect(await forSigner(old)).toMatchObject({
      first: 4,
      total: 5,
      outputs: [{ amount: 50n }],
    });
  });

  it('have key images in the order of the export, zeros where one is unknown', async () => {
    const told = await exportedOutputs(pair.watch, ALL);
    const images = pair.outputs.map(({ keyImage }) => keyImage);
    const { outputs: some } = await exportedOutputs(pair.watch, { all: true, start: 0, count: 2 });
    const two = { first: 0, total: 2, outputs: some };
    expect(await pair.watch.outputTransfer.keyImages(two)).toEqual([bytes(0), bytes(0)]);
    expect(pair.watch.outputTransfer.keyImagesByKey(two)).toEqual([]);
    await pair.signer.outputTransfer.importBlob(await blob(), false);
    expect(await pair.signer.outputTransfer.keyImages(told)).toEqual(images);
    // A signer that reads the chain itself has seen two blocks in another order.
    const hot = coldPair(owner, OUTPUTS).signer;
    const [first, second, ...rest] = OUTPUTS;
    if (first === undefined || second === undefined) throw new Error('outputs');
    hot.wallet.receive([{ ...second, height: 1 }, { ...first, height: 2 }, ...rest], 120);
    expect(await hot.outputTransfer.keyImages(told)).toEqual(images);
    expect(hot.outputTransfer.keyImagesByKey(told)).toEqual(
      OUTPUTS.map(({ publicKey, keyImage }) => [publicKey, keyImage]),
    );
  });
});
