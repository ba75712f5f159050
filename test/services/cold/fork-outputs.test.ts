import { beforeEach, describe, expect, it, test } from '@jest/globals';
import type { ExportedOutput, OutputExport } from '../../../src/monero/wallet/exchange/exported-outputs.js';
import { outputExport, readForkExport } from '../../../src/monero/wallet/exchange/exported-outputs.js';
import { isExportOf } from '../../../src/monero/wallet/exchange/export-blob.js';
import type { OwnedOutput } from '../../../src/monero/wallet/scan/findings.js';
import type { SignedKeyImage } from '../../../src/monero/wallet/scan/key-images.js';
import { toHex } from '../../../src/util/bytes.js';
import { decode } from '../../../src/util/codec.js';
import { coldPair, ColdWallet, type ColdPair } from '../../support/wallets/cold-pair.js';
import { forkOutput } from '../../support/wallets/fork-outputs.js';
import { paidOutput } from '../../support/wallets/paid-outputs.js';
import { seededRng } from '../../support/fakes/seeded-rng.js';
import { fault, ownKeys, ServiceWallet } from '../../support/wallets/service-wallet.js';
import { infoOf } from '../../support/wallets/test-wallet.js';
import { holder } from '../../monero/wallet/fixtures.js';

/* An offline wallet and its view-only twin, with outputs of both forms. */

const rng = seededRng('outputs of the fork');
const owner = holder(rng);
const ALL = { all: true, start: 0, count: Infinity };
const OUTPUTS: readonly OwnedOutput[] = [
  paidOutput(owner, 10n, 1, rng),
  forkOutput(owner, 20n, 2, rng),
  forkOutput(owner, 30n, 3, rng, { how: 'integrated' }),
  forkOutput(owner, 40n, 4, rng, { how: 'coinbase' }),
  forkOutput(owner, 50n, 5, rng, { how: 'change', subaddress: { major: 1, minor: 2 } }),
  forkOutput(owner, 60n, 6, rng, { subaddress: { major: 0, minor: 3 }, outputIndex: 1 }),
];
const TOTAL = 210n;
const NOT_OWN = { kind: 'invalid', reason: 'an output does not belong to this wallet' };

let pair: ColdPair;
beforeEach(() => {
  pair = coldPair(owner, OUTPUTS);
  const { wallet } = pair.watch;
  wallet.answers = {
    ...wallet.answers,
    getInfo: () => Promise.resolve(infoOf(wallet.store.shortHistory()[0])),
  };
});

const imported = ({ wallet } = pair.signer) => wallet.store.read((r) => r.imported.list());
const keyImages = (outputs: readonly Pick<OwnedOutput, 'keyImage'>[]) =>
  outputs.map(({ keyImage }) => keyImage);

/** Reads what the view-only wallet exports. */
async function told(): Promise<OutputExport> {
  const { wallet, outputTransfer } = pair.watch;
  const plain = await wallet.exports.open('forkOutputs', await outputTransfer.export(ALL));
  return readForkExport(plain.subarray(64));
}

/** Exports all outputs, and imports them into the offline wallet. */
const exchange = async (): Promise<number> =>
  pair.signer.outputTransfer.importBlob(toHex(await pair.watch.outputTransfer.export(ALL)), false);

describe('outputs of both forms', () => {
  it('are known to the offline wallet afterwards, with key images and secrets that it computes itself', async () => {
    expect(await exchange()).toBe(6);
    expect(imported()).toEqual(
      OUTPUTS.map(
        ({ publicKey, derivationKey, outputIndex, globalIndex, amount, keyImage, subaddress, carrot }) => ({
          ...{ publicKey, derivationKey, outputIndex, globalIndex, amount, keyImage, subaddress },
          ...{ rct: true, spent: false, frozen: false, requested: true },
          ...(carrot && { carrot }),
        }),
      ),
    );
  });

  it('are exported by the offline wallet, too, for another one', async () => {
    await exchange();
    const again = toHex(await pair.signer.outputTransfer.export(ALL));
    const other = new ColdWallet(new ServiceWallet(ownKeys(owner)));
    expect(await other.outputTransfer.importBlob(again, false)).toBe(6);
    expect(keyImages(imported(other))).toEqual(keyImages(OUTPUTS));
  });

  it('have key images that the offline wallet signs, and the view-only one verifies and takes', async () => {
    await exchange();
    const { first, images } = await pair.signer.keyImageTransfer.export(true);
    expect(images.map(({ signature }) => signature.length)).toEqual([64, 96, 96, 96, 96, 96]);
    const { unspent } = await pair.watch.keyImageTransfer.import(images, first);
    expect(unspent).toBe(TOTAL);
    const known = pair.watch.wallet.store.read((r) => r.outputs.inOrder());
    expect(keyImages(known)).toEqual(keyImages(OUTPUTS));
    expect(
      pair.watch.wallet.store.read((r) => r.outputs.firstWithoutKeyImage({ proven: true })),
    ).toBeUndefined();
  });

  it('are spent where the node says so of their key images', async () => {
    await exchange();
    const { images } = await pair.signer.keyImageTransfer.export(true);
    pair.watch.wallet.answers.isKeyImageSpent = (asked) =>
      Promise.resolve(
        asked.map((image) => (toHex(image) === toHex(OUTPUTS[3]?.keyImage ?? new Uint8Array()) ? 1 : 0)),
      );
    expect(await pair.watch.keyImageTransfer.import(images, 0)).toMatchObject({
      spent: 40n,
      unspent: TOTAL - 40n,
    });
  });

  it('are found by their signatures where their places have changed', async () => {
    await exchange();
    const { images } = await pair.signer.keyImageTransfer.export(true);
    const [a, b, ...rest] = images as [SignedKeyImage, SignedKeyImage, ...SignedKeyImage[]];
    await pair.watch.keyImageTransfer.import([b, a, ...rest], 0);
    expect(keyImages(pair.watch.wallet.store.read((r) => r.outputs.inOrder()))).toEqual(keyImages(OUTPUTS));
  });

  it.each([
    [
      'an altered proof',
      2,
      (image: SignedKeyImage) => ({
        ...image,
        signature: image.signature.map((b, i) => (i === 40 ? b ^ 1 : b)),
      }),
    ],
    [
      'a signature of the old form',
      2,
      (image: SignedKeyImage) => ({ ...image, signature: image.signature.subarray(0, 64) }),
    ],
    [
      'a proof of the new form for an output of the old one',
      0,
      (image: SignedKeyImage) => ({ ...image, signature: new Uint8Array(96) }),
    ],
  ])('are not given a key image by %s', async (_, place, change) => {
    await exchange();
    const { images } = await pair.signer.keyImageTransfer.export(true);
    const changed = images.map((image, i) => (i === place ? (change(image) as SignedKeyImage) : image));
    await expect(pair.watch.keyImageTransfer.import(changed, 0)).rejects.toMatchObject(
      fault({ kind: 'wrong_signature' }),
    );
    expect(keyImages(pair.watch.wallet.store.read((r) => r.outputs.inOrder()))).toEqual(
      OUTPUTS.map(() => undefined),
    );
  });
});

describe('the format of an export', () => {
  it('is that of today, byte for byte, as long as no output of the range has the form of the fork', async () => {
    const { wallet, outputTransfer } = pair.watch;
    const range = { all: true, start: 0, count: 1 };
    const blob = await outputTransfer.export(range);
    const plain = await wallet.exports.open('outputs', blob);
    const alone = coldPair(owner, OUTPUTS.slice(0, 1)).watch;
    const before = await alone.wallet.exports.open('outputs', await alone.outputTransfer.export(range));
    // The third number of the head is that of all outputs of the wallet.
    const head = 64 + 3;
    expect(plain.subarray(head)).toEqual(before.subarray(head));
    expect([...plain.subarray(64, head)]).toEqual([3, 0, 6]);
  });

  it.each(['current', '0.18.0'] as const)(
    'is one of this server otherwise, whose magic others refuse: %s',
    async (format) => {
      const { watch } = coldPair(owner, OUTPUTS, format);
      const blob = await watch.outputTransfer.export(ALL);
      expect(isExportOf('outputs', blob)).toBe(false);
      expect(new TextDecoder().decode(blob.subarray(0, 40))).toBe(
        'wallet-rpc output export carrot-2026-07\x01',
      );
      await expect(watch.wallet.exports.open('outputs', blob)).rejects.toThrow('wrong magic');
      const plain = await watch.wallet.exports.open('forkOutputs', blob);
      expect(() => decode(outputExport.current, plain.subarray(64))).toThrow('unknown newer version');
    },
  );

  it('of a set of transactions has no place for them: they are exchanged before', async () => {
    const reason =
      'the signing wallet does not know outputs in the form of the fork yet: exchange outputs and key images first';
    await expect(pair.watch.outputTransfer.forSigner()).rejects.toMatchObject(
      fault({ kind: 'invalid', reason }),
    );
    await exchange();
    const { images } = await pair.signer.keyImageTransfer.export(true);
    await pair.watch.keyImageTransfer.import(images, 0);
    expect(decode(outputExport.current, await pair.watch.outputTransfer.forSigner())).toMatchObject({
      outputs: [],
    });
  });
});

describe('an import that states wrong facts of an output in the form of the fork', () => {
  const stranger = forkOutput(holder(rng), 20n, 2, rng);
  test.each<[string, Partial<ExportedOutput>]>([
    ['another amount', { amount: 21n }],
    ['another address of the wallet', { subaddress: { major: 0, minor: 1 } }],
    ['no address', { subaddress: { major: 0xffff_ffff, minor: 0xffff_ffff } }],
    ['another transaction', { context: Uint8Array.of(0x52, ...new Uint8Array(32)) }],
    ['a miner transaction', { context: Uint8Array.of(0x43, 2, ...new Uint8Array(31)) }],
    ['a context of no kind', { context: new Uint8Array(33) }],
    ['another ephemeral key', { txPublicKey: stranger.derivationKey }],
    ['an output key of somebody else', { publicKey: stranger.publicKey }],
    ['an output key that is no point', { publicKey: new Uint8Array(32).fill(2) as OwnedOutput['publicKey'] }],
    ['too high an index', { outputIndex: 65_536 }],
  ])('is refused, and changes nothing: %s', async (_, wrong) => {
    const { outputs, ...head } = await told();
    const changed = outputs.map((output, i) => (i === 1 ? { ...output, ...wrong } : output));
    const { outputTransfer } = pair.signer;
    await expect(outputTransfer.import({ ...head, outputs: changed })).rejects.toMatchObject(
      fault({ kind: 'invalid' }),
    );
    expect(imported()).toEqual([]);
    await outputTransfer.import({ ...head, outputs });
    const known = imported();
    await outputTransfer.import({ ...head, outputs: changed }).catch(() => undefined);
    expect(imported()).toEqual(known);
  });

  it('is refused if it states the old form', async () => {
    const { outputs, ...head } = await told();
    const changed = outputs.map(({ context, ...output }) => (context === undefined ? output : output));
    await expect(pair.signer.outputTransfer.import({ ...head, outputs: changed })).rejects.toMatchObject(
      fault(NOT_OWN),
    );
  });
});
