import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { fromHex, toHex } from '../../src/util/bytes.js';
import { openExport, sealExport } from '../../src/monero/wallet/exchange/export-blob.js';
import type { Loose } from '../support/network/json-rpc.js';
import { seededRng } from '../support/fakes/seeded-rng.js';
import { refusal, sideBySide, step } from '../support/wallets/side-by-side.js';
import { startReference, startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';
import { exportKeys, vectors } from '../monero/wallet/cold-vectors.js';
import { randomRuns } from '../support/fakes/random-runs.js';

/* Offline wallets with the keys of the vectors. */
let ours: { cold: WalletRpc; view: WalletRpc };
let theirs: { cold: WalletRpc; view: WalletRpc };

const { outputs, unsignedTxs, signedTxs } = vectors;

/** Flips one bit of a hex text. */
function changed(hex: string, place: number): string {
  const bytes = Buffer.from(hex, 'hex');
  bytes.writeUInt8(bytes.readUInt8(place) ^ 1, place);
  return bytes.toString('hex');
}

const middle = (hex: string): string => changed(hex, Math.floor(hex.length / 4));

beforeAll(async () => {
  const [ourCold, ourView, theirCold, theirView] = await Promise.all([
    startWalletRpc({ args: ['--trusted-daemon'] }),
    startWalletRpc({ args: ['--trusted-daemon'] }),
    startReference({ args: ['--trusted-daemon'] }),
    startReference({ args: ['--trusted-daemon'] }),
  ]);
  ours = { cold: ourCold, view: ourView };
  theirs = { cold: theirCold, view: theirView };
  const { address, spendSecret: spendkey, viewSecret: viewkey } = vectors;
  const keys = { filename: 'w', password: '', address, viewkey, restore_height: 0 };
  for (const { cold, view } of [ours, theirs]) {
    await cold.rpc('generate_from_keys', { ...keys, spendkey });
    await view.rpc('generate_from_keys', keys);
  }
});

afterAll(async () => {
  await Promise.all([ours?.cold, ours?.view, theirs?.cold, theirs?.view].map((server) => server?.stop()));
});

describe('an offline wallet', () => {
  sideBySide(
    [
      refusal('import_outputs', 'no hex', { outputs_data_hex: 'zz' }, -26),
      refusal('import_outputs', 'nothing', {}, -1),
      refusal('import_outputs', 'another export', { outputs_data_hex: unsignedTxs }, -1),
      refusal('import_outputs', 'a changed export', { outputs_data_hex: middle(outputs) }, -1),
      refusal('import_outputs', 'half an export', { outputs_data_hex: outputs.slice(0, 400) }, -1),
      refusal('import_outputs', 'a number', { outputs_data_hex: 5 }, -32602),
      refusal('describe_transfer', 'no set', {}, -1),
      refusal('describe_transfer', 'no hex', { unsigned_txset: 'z' }, -26),
      refusal('describe_transfer', 'bytes that are no set', { unsigned_txset: 'abcd' }, -39),
      refusal('describe_transfer', 'a signed set', { unsigned_txset: signedTxs }, -39),
      refusal('describe_transfer', 'a changed set', { unsigned_txset: middle(unsignedTxs) }, -39),
      refusal('describe_transfer', 'no hex of a group', { multisig_txset: 'z' }, -26),
      refusal('describe_transfer', 'bytes that are no set of a group', { multisig_txset: 'abcd' }, -34),
      refusal('describe_transfer', 'a set of another kind', { multisig_txset: unsignedTxs }, -34),
      refusal('sign_transfer', 'no set', {}, -39),
      refusal('sign_transfer', 'no hex', { unsigned_txset: '0' }, -26),
      refusal('sign_transfer', 'exported outputs', { unsigned_txset: outputs }, -39),
      refusal('sign_transfer', 'a changed set', { unsigned_txset: middle(unsignedTxs) }, -39),
      refusal('submit_transfer', 'no set', {}, -40),
      refusal('submit_transfer', 'no hex', { tx_data_hex: 'xy' }, -26),
      refusal('submit_transfer', 'an unsigned set', { tx_data_hex: unsignedTxs }, -40),
      refusal('submit_transfer', 'a changed set', { tx_data_hex: middle(signedTxs) }, -40),
      refusal('export_outputs', 'none of them', { count: 0 }, -1, 'older than ranges'),
      refusal('export_outputs', 'a start but not all', { start: 1 }, -1, 'older than ranges'),
      refusal(
        'import_key_images',
        'no key image',
        { signed_key_images: [{ key_image: 'ab', signature: '' }] },
        -10,
      ),
      refusal(
        'import_key_images',
        'no signature',
        { signed_key_images: [{ key_image: vectors.known[0]?.keyImage, signature: 'ab' }] },
        -9,
      ),
      refusal('import_key_images', 'an offset beyond the outputs', { offset: 9 }, -1),
      refusal('import_key_images', 'more than there are outputs', { signed_key_images: asked(0, 1) }, -1),
    ],
    () => [ours.cold, theirs.cold],
  );
});

/** Signed key images of the vectors, as parameters of `import_key_images`. */
function asked(first: number, end: number): unknown[] {
  return vectors.signedKeyImages
    .slice(first, end)
    .map(({ keyImage, signature }) => ({ key_image: keyImage, signature }));
}

describe('a view-only wallet', () => {
  sideBySide(
    [
      refusal('describe_transfer', 'a set', { unsigned_txset: unsignedTxs }, -29),
      refusal('sign_transfer', 'a set', { unsigned_txset: unsignedTxs }, -29),
      refusal(
        'import_outputs',
        'outputs',
        { outputs_data_hex: outputs },
        -1,
        'the reference accepts them, and returns no key images',
      ),
      step('export_key_images', 'all, without outputs', { all: true }),
    ],
    () => [ours.view, theirs.view],
  );
});

describe('a partial export', () => {
  it('keeps output positions, names the missing ones and survives a restart', async () => {
    const { cold } = ours;
    expect(await cold.rpc('import_outputs', { outputs_data_hex: outputs })).toEqual({ num_imported: 3 });
    const { signed_key_images, offset } = await cold.rpc('export_key_images');
    expect(offset).toBe(0);
    expect((signed_key_images as Loose[]).map(({ key_image }) => key_image)).toEqual(
      vectors.known.map(({ keyImage }) => keyImage),
    );
    // No known outputs are requested: the range is empty and starts behind them.
    expect(await cold.rpc('import_outputs', { outputs_data_hex: vectors.outputsOnceKnown })).toEqual({
      num_imported: 0,
    });
    const before = await cold.rpc('incoming_transfers', { transfer_type: 'all' });
    expect(before.transfers).toHaveLength(3);
    const balance = await cold.rpc('get_balance');
    expect(balance).toMatchObject({ unlocked_balance: 0 });
    await cold.stop({ keep: true });
    ours = { ...ours, cold: await startWalletRpc({ walletDir: cold.walletDir }) };
    await ours.cold.rpc('open_wallet', { filename: 'w', password: '' });
    expect(await ours.cold.rpc('incoming_transfers', { transfer_type: 'all' })).toEqual(before);
    expect(await ours.cold.rpc('get_balance')).toEqual(balance);
  });

  it('is exported again by ranges, and imported by another wallet', async () => {
    const { cold } = ours;
    const part = async (params: object): Promise<string> =>
      (await cold.rpc('export_outputs', params)).outputs_data_hex as string;
    const second = await part({ all: true, start: 1, count: 1 });
    const first = await part({ all: true, count: 1 });
    const rest = await part({ all: true, start: 2, count: 1000 });
    const none = await part({ all: true, start: 5 });
    await cold.rpc('generate_from_keys', {
      filename: 'other',
      password: '',
      address: vectors.address,
      spendkey: vectors.spendSecret,
      viewkey: vectors.viewSecret,
    });
    const take = async (blob: string): Promise<Loose> =>
      (await cold.call('import_outputs', { outputs_data_hex: blob })) as Loose;
    expect((await take(second)).error).toMatchObject({ code: -1 });
    expect((await take(first)).result).toEqual({ num_imported: 1 });
    expect((await take(rest)).error).toMatchObject({ code: -1 });
    expect((await take(second)).result).toEqual({ num_imported: 2 });
    expect((await take(rest)).result).toEqual({ num_imported: 3 });
    expect((await take(none)).result).toEqual({ num_imported: 0 });
    // An import of fewer outputs than known removes nothing.
    expect((await take(first)).result).toEqual({ num_imported: 3 });
    const { transfers } = await cold.rpc('incoming_transfers', { transfer_type: 'all' });
    expect((transfers as Loose[]).map(({ key_image }) => key_image)).toEqual(
      vectors.known.map(({ keyImage }) => keyImage),
    );
  });
});

describe('a blob forged with the view key', () => {
  const bodies = {
    outputs: openExport('outputs', fromHex(outputs), exportKeys),
    unsignedTxs: openExport('unsignedTxs', fromHex(unsignedTxs), exportKeys),
    signedTxs: openExport('signedTxs', fromHex(signedTxs), exportKeys),
  };
  const rng = seededRng('sealed');

  /** Changes a byte of the plaintext, and encrypts it again. */
  const resealed = (kind: keyof typeof bodies, at: number, change: number): string => {
    const body = Uint8Array.from(bodies[kind]);
    const place = Math.floor(at * body.length);
    body[place] = (body[place] ?? 0) ^ change;
    return toHex(sealExport(kind, body, exportKeys, rng));
  };

  it.each<[string, string, keyof typeof bodies, readonly number[]]>([
    ['import_outputs', 'outputs_data_hex', 'outputs', [-1]],
    ['describe_transfer', 'unsigned_txset', 'unsignedTxs', [-39]],
    ['sign_transfer', 'unsigned_txset', 'unsignedTxs', [-39, -42]],
    ['submit_transfer', 'tx_data_hex', 'signedTxs', [-40, -41]],
  ])('makes %s answer or refuse, whatever is in it', async (method, name, kind, codes) => {
    const { cold } = ours;
    await fc.assert(
      fc.asyncProperty(
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        fc.integer({ min: 1, max: 255 }),
        async (at, change) => {
          const { error } = await cold.call(method, { [name]: resealed(kind, at, change) });
          expect(error === undefined || codes.includes(error.code)).toBe(true);
        },
      ),
      { numRuns: 25 },
    );
    expect((await cold.rpc('get_balance')).unlocked_balance).toBe(0);
  });
});

describe('a blob with any change', () => {
  it('is refused, and the wallet stays unchanged', async () => {
    const { cold } = ours;
    const state = async (): Promise<unknown> => [
      await cold.rpc('incoming_transfers', { transfer_type: 'all' }),
      await cold.rpc('get_balance'),
      await cold.rpc('export_outputs', { all: true }).then(() => true),
    ];
    const before = await state();
    const blobs = [
      ['import_outputs', 'outputs_data_hex', outputs, -1],
      ['sign_transfer', 'unsigned_txset', unsignedTxs, -39],
      ['submit_transfer', 'tx_data_hex', signedTxs, -40],
    ] as const;
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...blobs),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        async (blob, at) => {
          const [method, name, hex, code] = blob;
          const params = { [name]: changed(hex, Math.floor((at * hex.length) / 2)) };
          expect((await cold.call(method, params)).error).toMatchObject({ code });
        },
      ),
      { numRuns: randomRuns(40) },
    );
    expect(await state()).toEqual(before);
  });
});
