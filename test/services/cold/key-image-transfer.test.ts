import { beforeEach, describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import type { Hash, KeyImage } from '../../../src/monero/crypto/types.js';
import type { KeyImageStatus } from '../../../src/daemon/daemon.js';
import { DaemonError } from '../../../src/daemon/errors.js';
import { toHex } from '../../../src/util/bytes.js';
import type { SignedKeyImage } from '../../../src/monero/wallet/scan/key-images.js';
import { KeyImageTransfer } from '../../../src/services/cold/key-image-transfer.js';
import { coldPair, exportedOutputs, type ColdPair } from '../../support/wallets/cold-pair.js';
import { turns } from '../../support/fakes/event-loop-turns.js';
import { groupWallets } from '../../support/wallets/group-wallets.js';
import { paidOutput } from '../../support/wallets/paid-outputs.js';
import { seededRng } from '../../support/fakes/seeded-rng.js';
import { fault } from '../../support/wallets/service-wallet.js';
import { infoOf } from '../../support/wallets/test-wallet.js';
import { bytes, page } from '../../store/fixtures.js';
import { COIN, holder } from '../../monero/wallet/fixtures.js';

const rng = seededRng('key image transfer');
const owner = holder(rng);
const VALUES = [10n, 20n, 30n, 40n];
const OUTPUTS = VALUES.map((value, i) => paidOutput(owner, value, i + 1, rng));
const TOTAL = 100n;

let pair: ColdPair;
let images: readonly SignedKeyImage[];
/** Status of each key image in the answer of the daemon, by hex; unspent where it is absent. */
let statuses: Map<string, KeyImageStatus>;

beforeEach(async () => {
  pair = coldPair(owner, OUTPUTS);
  statuses = new Map();
  pair.watch.wallet.answers = {
    isKeyImageSpent: (asked) => Promise.resolve(asked.map((image) => statuses.get(toHex(image)) ?? 0)),
    getInfo: () => Promise.resolve(infoOf(pair.watch.wallet.store.shortHistory()[0])),
  };
  await pair.signer.outputTransfer.import(
    await exportedOutputs(pair.watch, { all: true, start: 0, count: 9 }),
  );
  images ??= (await pair.signer.keyImageTransfer.export(true)).images;
});

const spend = (place: number, status: KeyImageStatus): void =>
  void statuses.set(toHex(images[place]?.keyImage ?? new Uint8Array()), status);
const known = (): (KeyImage | undefined)[] =>
  pair.watch.wallet.store.read((r) => r.outputs.inOrder().map(({ keyImage }) => keyImage));
const spenders = (): (Hash | undefined)[] =>
  pair.watch.wallet.store.read((r) => r.outputs.inOrder().map(({ spentBy }) => spentBy));
const NONE = OUTPUTS.map(() => undefined);
const NOT_COMPUTED = {
  fault: { kind: 'invalid', text: 'key_image generated not matched with cached key image' },
};

describe('an export of key images', () => {
  it('holds all in the order of the outputs, or all from the first that the last import asked for', async () => {
    const { signer, watch } = pair;
    expect((await signer.keyImageTransfer.export(true)).first).toBe(0);
    expect(images.map(({ keyImage }) => keyImage)).toEqual(OUTPUTS.map(({ keyImage }) => keyImage));
    await watch.keyImageTransfer.import(images.slice(0, 3), 0);
    await signer.outputTransfer.import(await exportedOutputs(watch, { all: true, start: 0, count: 9 }));
    const news = await signer.keyImageTransfer.export(false);
    expect([news.first, news.images.map(({ keyImage }) => keyImage)]).toEqual([3, [OUTPUTS[3]?.keyImage]]);
  });

  it('without a request is empty, behind the last output', async () => {
    pair.signer.wallet.store.write((w) => w.imported.clearRequests());
    expect(await pair.signer.keyImageTransfer.export(false)).toEqual({ first: 4, images: [] });
  });

  it('of a wallet that reads the chain itself holds all its outputs, when all are asked for', async () => {
    pair.signer.wallet.receive(OUTPUTS, 120);
    expect((await pair.signer.keyImageTransfer.export(true)).images).toHaveLength(4);
    expect(await pair.signer.keyImageTransfer.export(false)).toEqual({ first: 4, images: [] });
  });

  it('is refused in a view-only wallet, which has no key images, or cannot sign those that it knows', async () => {
    const { watch } = pair;
    for (const all of [false, true])
      await expect(watch.keyImageTransfer.export(all)).rejects.toMatchObject(fault({ kind: 'view_only' }));
    await watch.keyImageTransfer.import(images, 0);
    expect(await watch.keyImageTransfer.export(false)).toEqual({ first: 4, images: [] });
    await expect(watch.keyImageTransfer.export(true)).rejects.toMatchObject(NOT_COMPUTED);
  });

  it('is empty in a multisig wallet, which no wallet asks for key images, and refused for all of its outputs', async () => {
    const [wallet] = groupWallets(2, 2, [3n * COIN], rng).wallets;
    const [empty] = groupWallets(2, 2, [], rng).wallets;
    if (wallet === undefined || empty === undefined) throw new Error('a wallet');
    const transfer = new KeyImageTransfer(wallet, wallet);
    expect(await transfer.export(false)).toEqual({ first: 1, images: [] });
    await expect(transfer.export(true)).rejects.toMatchObject(NOT_COMPUTED);
    for (const all of [false, true])
      expect(await new KeyImageTransfer(empty, empty).export(all)).toEqual({ first: 0, images: [] });
  });

  it('of a view-only wallet without outputs is empty', async () => {
    const { watch } = coldPair(owner, []);
    for (const all of [false, true])
      expect(await watch.keyImageTransfer.export(all)).toEqual({ first: 0, images: [] });
  });
});

describe('an import of key images', () => {
  it('is proven, stored, looked out for, and answered with the height of the last output', async () => {
    const { watch } = pair;
    expect(await watch.keyImageTransfer.import(images, 0)).toEqual({ height: 4, spent: 0n, unspent: TOTAL });
    expect(known()).toEqual(OUTPUTS.map(({ keyImage }) => keyImage));
    expect(watch.wallet.fakeSync.learned.map(({ proven }) => proven)).toEqual([true, true, true, true]);
    await watch.keyImageTransfer.import(images, 0);
    expect(watch.wallet.fakeSync.learned).toHaveLength(4);
  });

  it('of nothing knows nothing', async () => {
    pair.watch.wallet.answers = {};
    expect(await pair.watch.keyImageTransfer.import([], 0)).toEqual({ height: 0, spent: 0n, unspent: 0n });
    expect(known()).toEqual(NONE);
  });

  it('divides its outputs into spent and unspent by the answer of the daemon, and leaves out frozen ones', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom<KeyImageStatus>(0, 1, 2), { minLength: 4, maxLength: 4 }),
        fc.nat(4),
        fc.option(fc.nat(3)),
        async (given, first, frozen) => {
          const { watch } = coldPair(owner, OUTPUTS);
          watch.wallet.answers = {
            isKeyImageSpent: (asked) =>
              Promise.resolve(asked.map((_, i): KeyImageStatus => given[first + i] ?? 0)),
          };
          await watch.keyImageTransfer.record(
            OUTPUTS.map(({ publicKey }, i) => ({
              ...{ publicKey, keyImage: images[i]?.keyImage ?? bytes<KeyImage>(0), proven: true },
            })),
          );
          if (frozen !== null)
            watch.wallet.store.write((w) => {
              const output = w.outputs.inOrder()[frozen];
              if (output !== undefined) w.outputs.setFrozen(output, true);
            });
          const { spent, unspent, height } = await watch.keyImageTransfer.import(images.slice(first), first);
          const isCounted = (i: number): boolean => i !== frozen;
          const sum = (isWanted: (i: number) => boolean): bigint =>
            VALUES.reduce((total, value, i) => (isCounted(i) && isWanted(i) ? total + value : total), 0n);
          expect([spent, unspent, height]).toEqual([
            sum((i) => i >= first && given[i] !== 0),
            sum((i) => i < first || given[i] === 0),
            4,
          ]);
        },
      ),
      { numRuns: 10 },
    );
  });

  it('marks an output as spent that the chain spends, and not one that only the pool spends', async () => {
    spend(0, 1);
    spend(1, 2);
    expect(await pair.watch.keyImageTransfer.import(images, 0)).toMatchObject({ spent: 30n, unspent: 70n });
    expect(spenders()).toEqual([bytes<Hash>(0), undefined, undefined, undefined]);
  });

  it('marks it as unspent again where the chain that spent it was replaced', async () => {
    spend(0, 1);
    await pair.watch.keyImageTransfer.import(images, 0);
    spend(0, 0);
    await pair.watch.keyImageTransfer.import(images, 0);
    expect(spenders()).toEqual(NONE);
  });

  it('keeps it spent where a daemon denies it that lacks the newest scanned block', async () => {
    spend(0, 1);
    await pair.watch.keyImageTransfer.import(images, 0);
    spend(0, 0);
    pair.watch.wallet.answers.getInfo = () => Promise.resolve(infoOf({ height: 1, hash: bytes<Hash>(77) }));
    expect(await pair.watch.keyImageTransfer.import(images, 0)).toMatchObject({ spent: 10n, unspent: 90n });
    expect(spenders()).toEqual([bytes<Hash>(0), undefined, undefined, undefined]);
  });

  it('counts a spend that was scanned as spent, whatever the daemon says', async () => {
    const { store } = pair.watch.wallet;
    await pair.watch.keyImageTransfer.import(images, 0);
    const keyImage = images[0]?.keyImage ?? bytes<KeyImage>(0);
    store.write((w) => w.outputs.markSpent({ keyImage, txHash: bytes<Hash>(9), height: 4 }));
    expect(await pair.watch.keyImageTransfer.import(images, 0)).toMatchObject({ spent: 10n, unspent: 90n });
  });

  it('fails with the error of the daemon; the key images are known then', async () => {
    const error = new DaemonError('timeout', 'no answer');
    pair.watch.wallet.answers = { isKeyImageSpent: () => Promise.reject(error) };
    await expect(pair.watch.keyImageTransfer.import(images, 0)).rejects.toBe(error);
    expect(known()).toEqual(OUTPUTS.map(({ keyImage }) => keyImage));
  });
});

/** Stores key images of outputs as an earlier version did, by their places. @param given key images by their number. */
const placeImages = (given: readonly number[]): void =>
  pair.watch.wallet.store.write((w) => {
    given.forEach((image, place) => {
      const publicKey = OUTPUTS[place]?.publicKey;
      const keyImage = images[image]?.keyImage;
      if (publicKey === undefined || keyImage === undefined) throw new Error('an output');
      w.importedKeyImages.set({ publicKey, keyImage, proven: false, placed: true });
      w.outputs.setKeyImage(publicKey, keyImage);
    });
  });

describe('a key image of an output that a reorganisation moved', () => {
  const all = OUTPUTS.map(({ keyImage }) => keyImage);
  const listed = (places: readonly number[]): SignedKeyImage[] =>
    places.flatMap((place) => images[place] ?? []);

  it('is stored for the output that its signature fits, with the spent state of that output', async () => {
    spend(0, 1);
    expect(await pair.watch.keyImageTransfer.import(listed([1, 0, 3, 2]), 0)).toEqual({
      ...{ height: 4, spent: VALUES[0], unspent: TOTAL - (VALUES[0] ?? 0n) },
    });
    expect(known()).toEqual(all);
    expect(spenders()).toEqual([bytes<Hash>(0), undefined, undefined, undefined]);
  });

  it('is found outside of the places that an import covers', async () => {
    expect(await pair.watch.keyImageTransfer.import(listed([0, 3]), 1)).toMatchObject({
      spent: 0n,
      unspent: 60n,
    });
    expect(known()).toEqual([all[0], undefined, undefined, all[3]]);
    await pair.watch.keyImageTransfer.import(listed([1, 3, 0, 2]), 0);
    expect(known()).toEqual(all);
  });

  it('replaces one that was taken by its place, after the running refresh is cancelled', async () => {
    placeImages([1, 0]);
    await pair.watch.keyImageTransfer.import(images, 0);
    expect(known()).toEqual(all);
    expect(pair.watch.wallet.fakeSync.calls).toContain('cancelAndRun');
  });

  it('keeps no unknown spend that was recorded for another key image', async () => {
    placeImages([1, 0]);
    const wrong = pair.watch.wallet.store.read((r) => r.outputs.inOrder()[0]);
    pair.watch.wallet.store.write((w) => {
      if (wrong !== undefined) w.outputs.markSpentByUnknown(wrong, true);
    });
    spend(1, 1);
    expect(await pair.watch.keyImageTransfer.import(images, 0)).toMatchObject({ spent: 20n, unspent: 80n });
    expect(spenders()).toEqual([undefined, bytes<Hash>(0), undefined, undefined]);
  });
});

describe('an import of key images while blocks arrive', () => {
  /** A block that spends the first output without change, scanned with the key images that are looked out for. */
  const sweep = (): void => {
    const { store, fakeSync } = pair.watch.wallet;
    const [first] = OUTPUTS;
    const keyImage = first?.keyImage;
    if (first === undefined || keyImage === undefined) throw new Error('an output');
    const isSeen = fakeSync.learned.some((one) => toHex(one.keyImage) === toHex(keyImage));
    const height = store.height();
    store.addPage(page(height, 1, { spends: isSeen ? [{ keyImage, txHash: bytes<Hash>(9), height }] : [] }));
    spend(0, 1);
  };

  it('misses no spend in a block that arrives while the daemon answers', async () => {
    pair.watch.wallet.answers = {
      isKeyImageSpent: (asked) => {
        const answer = asked.map((image): KeyImageStatus => statuses.get(toHex(image)) ?? 0);
        sweep();
        return Promise.resolve(answer);
      },
    };
    await pair.watch.keyImageTransfer.import(images, 0);
    expect(spenders()[0]).toBeDefined();
  });

  it('misses no spend in a block that arrives before the key images are stored', async () => {
    const { keyImages } = pair.watch.wallet.workers;
    const { verify } = keyImages;
    keyImages.verify = async (claims) => {
      const verdicts = await verify.call(keyImages, claims);
      sweep();
      return verdicts;
    };
    await pair.watch.keyImageTransfer.import(images, 0);
    expect(spenders()[0]).toBeDefined();
  });

  it('records the answers of the daemon in the order of the questions', async () => {
    await pair.watch.keyImageTransfer.import(images, 0);
    spend(0, 1);
    await pair.watch.keyImageTransfer.import(images, 0);
    const late: ((answer: readonly KeyImageStatus[]) => void)[] = [];
    const answers = [
      new Promise<readonly KeyImageStatus[]>((resolve) => late.push(resolve)),
      Promise.resolve<readonly KeyImageStatus[]>([1, 0, 0, 0]),
    ];
    pair.watch.wallet.answers = {
      ...pair.watch.wallet.answers,
      // The first answer denies a recorded spend, about which the daemon is asked again.
      isKeyImageSpent: (asked) =>
        asked.length === 1 ? Promise.resolve([0]) : (answers.shift() ?? Promise.reject(new Error())),
    };
    const first = pair.watch.keyImageTransfer.import(images, 0);
    const second = pair.watch.keyImageTransfer.import(images, 0);
    // The second one would be recorded here, if it did not wait for the first one.
    const early = await Promise.race([second, turns()]);
    expect(early).toBeUndefined();
    late[0]?.([0, 0, 0, 0]);
    await Promise.all([first, second]);
    expect(spenders()[0]).toEqual(bytes<Hash>(0));
  });
});

describe('an import of key images is refused, and nothing is taken', () => {
  const foreign = () =>
    [images[0], images[1]].flatMap((image, i) =>
      image === undefined
        ? []
        : [i === 0 ? image : { ...image, signature: images[0]?.signature ?? image.signature }],
    );
  const outside = () =>
    images.map((image, i) => (i === 1 ? { ...image, keyImage: bytes<KeyImage>(0xff) } : image));

  test.each<[string, () => readonly SignedKeyImage[], number, object]>([
    ['beyond the last output', () => [], 5, { kind: 'invalid', text: 'Offset larger than known outputs' }],
    [
      'for more than there are outputs',
      () => images,
      1,
      {
        kind: 'invalid',
        text: 'The blockchain is out of date compared to the signed key images',
      },
    ],
    [
      'where a signature fits no output',
      foreign,
      0,
      { kind: 'wrong_signature', text: expect.stringMatching(/^Signature check failed 1\/2, key image /) },
    ],
    [
      'where one lies outside of the group',
      outside,
      0,
      {
        kind: 'invalid',
        text: `Key image out of validity domain: input 1/4, key image ${'ff'.repeat(32)}`,
      },
    ],
  ])('%s', async (_, given, first, expected) => {
    await expect(pair.watch.keyImageTransfer.import(given(), first)).rejects.toMatchObject({
      fault: expected,
    });
    expect([known(), pair.watch.wallet.fakeSync.learned]).toEqual([NONE, []]);
  });

  it('where the daemon is not trusted', async () => {
    pair.watch.wallet.trusted = false;
    await expect(pair.watch.keyImageTransfer.import(images, 0)).rejects.toMatchObject(
      fault({ kind: 'daemon_untrusted' }),
    );
    expect(known()).toEqual(NONE);
  });

  it('where a reorganisation has taken an output that one is of', async () => {
    pair.watch.wallet.store.write((w) => w.applyPage(page(3, 1)));
    await expect(pair.watch.keyImageTransfer.import(images, 0)).rejects.toMatchObject({
      fault: { kind: 'invalid', reason: expect.stringContaining('behind the chain') },
    });
  });

  it('once the wallet is closed', async () => {
    pair.watch.wallet.store.close();
    await expect(pair.watch.keyImageTransfer.import(images, 0)).rejects.toMatchObject(
      fault({ kind: 'no_wallet' }),
    );
  });
});
