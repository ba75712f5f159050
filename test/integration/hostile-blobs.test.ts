import { afterAll, beforeAll, describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { exportKey } from '../../src/monero/crypto/kdf.js';
import type { SecretKey } from '../../src/monero/crypto/types.js';
import { fromHex, toHex } from '../../src/util/bytes.js';
import { decode, encode } from '../../src/util/codec.js';
import { unsignedTxSet } from '../../src/monero/wallet/exchange/cold-tx-sets.js';
import { openExport, sealExport, type ExportKind } from '../../src/monero/wallet/exchange/export-blob.js';
import { createWallet } from '../support/wallets/create-wallet.js';
import { expectWithstands, type Attack } from '../support/values/hostile-input.js';
import type { Loose } from '../support/network/json-rpc.js';
import type { Monerod } from '../support/processes/monerod.js';
import { mutatedBytes, mutatedHex, mutatedText } from '../support/values/mutations.js';
import { startRegtestDaemon } from '../support/processes/regtest-daemon.js';
import { seededRng } from '../support/fakes/seeded-rng.js';
import { startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';
import { watchState, type WalletState } from '../support/wallets/wallet-state.js';
import { itAtNight } from '../support/jest/lanes.js';

/*
 * Blobs of one wallet in three servers: online, view-only and offline. Their payments spend outputs that are spent by
 * now, so not even an unchanged blob could be relayed.
 */

const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const STRANGER =
  '44AFFq5kSiGBoZ4NMDwYtN18obc8AemS33DBLWs3H7otXft3XjrpDtQGv7SqSsaBYBb98uNbr2VBBEt7f2wfn3RVGQBEP3A';
const XMR = 1_000_000_000_000;

interface Party {
  readonly server: WalletRpc;
  readonly state: WalletState;
}

let daemon: Monerod;
const servers: WalletRpc[] = [];
let hot: Party;
let view: Party;
let cold: Party;

/** Blobs to mutate. */
const given = {
  address: '',
  metadata: '',
  outputs: '',
  unsignedTxs: '',
  signedTxs: '',
  images: [] as { key_image: string; signature: string }[],
  txid: '',
  txKey: '',
  txProof: '',
  spendProof: '',
  reserveProof: '',
};
let exportKeys: { viewSecret: SecretKey; cipherKey: Uint8Array };

beforeAll(async () => {
  daemon = await startRegtestDaemon();
  const args = ['--api-version=1.32', '--trusted-daemon'];
  const start = async (online: boolean): Promise<WalletRpc> => {
    const server = await startWalletRpc(online ? { daemon: daemon.address, args } : { args });
    servers.push(server);
    await server.rpc('auto_refresh', { enable: false });
    return server;
  };
  const [owner, watcher, offline] = await Promise.all([start(true), start(true), start(false)]);

  await createWallet(owner, 'w');
  const { address } = await owner.rpc('get_address');
  const { key: viewkey } = await owner.rpc('query_key', { key_type: 'view_key' });
  const { key: spendkey } = await owner.rpc('query_key', { key_type: 'spend_key' });
  // One output to spend, and enough others as decoys.
  await daemon.generate(address, 1);
  await daemon.generate(STRANGER, 75);
  await owner.rpc('refresh');
  const keys = { filename: 'w', password: '', address, viewkey, restore_height: 0 };
  await watcher.rpc('generate_from_keys', keys);
  await watcher.rpc('refresh');
  await offline.rpc('generate_from_keys', { ...keys, spendkey });

  const order = { destinations: [{ address: STRANGER, amount: XMR }] };
  const { tx_metadata } = await owner.rpc('transfer', {
    ...order,
    do_not_relay: true,
    get_tx_metadata: true,
  });
  const { outputs_data_hex } = await watcher.rpc('export_outputs', { all: true });
  await offline.rpc('import_outputs', { outputs_data_hex });
  const { signed_key_images } = await offline.rpc('export_key_images', { all: true });
  const { unsigned_txset } = await watcher.rpc('transfer', order);
  const { signed_txset } = await offline.rpc('sign_transfer', { unsigned_txset });
  const { tx_hash, tx_key } = await owner.rpc('transfer', { ...order, get_tx_key: true });
  await daemon.generate(STRANGER, 12);
  await Promise.all([owner.rpc('refresh'), watcher.rpc('refresh')]);

  const about = { txid: tx_hash, message: 'm' };
  const viewSecret = fromHex(viewkey) as SecretKey;
  exportKeys = { viewSecret, cipherKey: await exportKey(viewSecret, 1) };
  Object.assign(given, {
    address,
    metadata: tx_metadata,
    outputs: outputs_data_hex,
    unsignedTxs: unsigned_txset,
    signedTxs: signed_txset,
    images: signed_key_images,
    txid: tx_hash,
    txKey: tx_key,
    txProof: (await owner.rpc('get_tx_proof', { ...about, address: STRANGER })).signature,
    spendProof: (await owner.rpc('get_spend_proof', about)).signature,
    reserveProof: (await owner.rpc('get_reserve_proof', { all: true, message: 'm' })).signature,
  });
  hot = { server: owner, state: await watchState(owner, 'w') };
  view = { server: watcher, state: await watchState(watcher, 'w') };
  cold = { server: offline, state: await watchState(offline, 'w') };
});

afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  await daemon?.stop();
});

const withstands = ({ server, state }: Party, attack: Attack): Promise<void> =>
  expectWithstands(server, state, attack);

const hexAs = (name: string, value: string): fc.Arbitrary<object> =>
  mutatedHex(value).map((hex) => ({ [name]: hex }));

/** Mutates the plaintext, and encrypts it again with the view key. */
const resealedAs = (name: string, kind: ExportKind, value: string): fc.Arbitrary<object> =>
  mutatedBytes(openExport(kind, fromHex(value), exportKeys)).map((body) => ({
    [name]: toHex(sealExport(kind, body, exportKeys, seededRng('resealed'))),
  }));

describe('changed blobs', () => {
  it('of an unrelayed payment are refused', () =>
    withstands(hot, { method: 'relay_tx', params: hexAs('hex', given.metadata), codes: [-26, -27, -4] }));

  it('of outputs are refused', () =>
    withstands(cold, {
      method: 'import_outputs',
      params: hexAs('outputs_data_hex', given.outputs),
      codes: [-26, -1],
    }));

  test.each([
    ['describe_transfer', [-26, -39, -1]],
    ['sign_transfer', [-26, -39]],
  ] as const)('of unsigned payments are refused by %s', (method, codes) =>
    withstands(cold, { method, params: hexAs('unsigned_txset', given.unsignedTxs), codes }),
  );

  it('of signed payments are refused', () =>
    withstands(view, {
      method: 'submit_transfer',
      params: hexAs('tx_data_hex', given.signedTxs),
      codes: [-26, -40],
    }));

  test.each([
    ['key_image', [-10, -9, -1]],
    ['signature', [-9]],
  ] as const)('of signed key images are refused: the %s', (field, codes) =>
    withstands(view, {
      method: 'import_key_images',
      params: fc.nat(given.images.length - 1).chain((at) =>
        mutatedHex(given.images[at]?.[field] ?? '').map((hex) => ({
          signed_key_images: given.images.map((image, i) => (i === at ? { ...image, [field]: hex } : image)),
        })),
      ),
      codes,
    }),
  );
});

describe('blobs changed by a holder of the view key', () => {
  it('are refused or described, and change nothing', () =>
    withstands(cold, {
      method: 'describe_transfer',
      params: resealedAs('unsigned_txset', 'unsignedTxs', given.unsignedTxs),
      codes: [-39, -1],
      harmless: ({ desc = [] }) => Array.isArray(desc),
    }));

  it.each([
    ['import_outputs', 'outputs_data_hex', 'outputs', [-1]],
    ['sign_transfer', 'unsigned_txset', 'unsignedTxs', [-39, -42]],
  ] as const)('leave the wallet as it is when %s refuses them', async (method, name, kind, codes) => {
    const { server, state } = cold;
    await fc.assert(
      fc.asyncProperty(resealedAs(name, kind, given[kind]), async (params) => {
        const before = state.stored();
        const { error } = await server.call(method, params);
        if (error === undefined) return;
        expect(codes).toContain(error.code);
        expect(state.stored()).toEqual(before);
      }),
      { numRuns: 20 },
    );
  });

  it('reveal no outputs to a wallet that refuses to sign them', async () => {
    const { server, state } = cold;
    const format = unsignedTxSet('current');
    const set = decode(format, openExport('unsignedTxs', fromHex(given.unsignedTxs), exportKeys));
    const changedOutputs = set.outputs.outputs.map((output) => ({ ...output, amount: output.amount + 1n }));
    const spoiled = {
      txs: set.txs.map((data) => ({ ...data, sources: [] })),
      outputs: { ...set.outputs, outputs: changedOutputs },
    };
    const body = encode(format, spoiled);
    const before = state.stored();
    const { error } = await server.call('sign_transfer', {
      unsigned_txset: toHex(sealExport('unsignedTxs', body, exportKeys, seededRng('spoiled'))),
    });
    expect(changedOutputs).not.toHaveLength(0);
    expect(error?.code).toBe(-42);
    expect(state.stored()).toEqual(before);
  });

  itAtNight('are not relayed by a wallet with proven key images', async () => {
    const { server, state } = view;
    await server.rpc('import_key_images', { signed_key_images: given.images });
    const shown = await state.shown();
    await fc.assert(
      fc.asyncProperty(resealedAs('tx_data_hex', 'signedTxs', given.signedTxs), async (params) => {
        const { error, result } = await server.call('submit_transfer', params);
        if (error === undefined) expect(result).toEqual({});
        else expect([-40, -41]).toContain(error.code);
        expect(await state.shown()).toEqual(shown);
      }),
      { numRuns: 20 },
    );
  });
});

describe('changed proofs', () => {
  const isBad = ({ good }: Loose): boolean => good === false;

  it('of a payment prove nothing', async () => {
    const about = { txid: given.txid, address: STRANGER, message: 'm' };
    expect((await hot.server.rpc('check_tx_proof', { ...about, signature: given.txProof })).good).toBe(true);
    await withstands(hot, {
      method: 'check_tx_proof',
      params: mutatedText(given.txProof, BASE58).map((signature) => ({ ...about, signature })),
      codes: [-1],
      harmless: isBad,
    });
  });

  it('of a spend prove nothing', async () => {
    const about = { txid: given.txid, message: 'm' };
    expect((await hot.server.rpc('check_spend_proof', { ...about, signature: given.spendProof })).good).toBe(
      true,
    );
    await withstands(hot, {
      method: 'check_spend_proof',
      params: mutatedText(given.spendProof, BASE58).map((signature) => ({ ...about, signature })),
      codes: [-1],
      harmless: isBad,
    });
  });

  it('of reserves prove nothing', async () => {
    const about = { address: given.address, message: 'm' };
    const proven = { ...about, signature: given.reserveProof };
    expect((await hot.server.rpc('check_reserve_proof', proven)).good).toBe(true);
    await withstands(hot, {
      method: 'check_reserve_proof',
      params: mutatedText(given.reserveProof, BASE58).map((signature) => ({ ...about, signature })),
      codes: [-1],
      harmless: isBad,
    });
  });

  it('by the key of a transaction prove nothing', () =>
    withstands(hot, {
      method: 'check_tx_key',
      params: mutatedHex(given.txKey).map((tx_key) => ({ txid: given.txid, tx_key, address: STRANGER })),
      codes: [-25, -1],
      harmless: ({ received }) => received === 0,
    }));

  it('by texts that are not proofs prove nothing', () =>
    withstands(hot, {
      method: 'check_reserve_proof',
      params: fc
        .tuple(fc.constantFrom('', 'ReserveProofV1', 'ReserveProofV2'), fc.string({ maxLength: 300 }))
        .map(([header, text]) => ({ address: given.address, message: 'm', signature: header + text })),
      codes: [-1],
      harmless: isBad,
    }));
});

describe('changed names', () => {
  test.each([
    ['get_tx_key', {}, [-8, -24]],
    ['check_tx_key', { tx_key: '01'.repeat(32), address: STRANGER }, [-8, -1]],
    ['get_tx_proof', { address: STRANGER, message: '' }, [-8, -1]],
    ['check_tx_proof', { address: STRANGER, message: '', signature: 'OutProofV2' }, [-8, -1]],
    ['get_spend_proof', { message: '' }, [-8, -1]],
    ['check_spend_proof', { message: '', signature: 'SpendProofV1' }, [-8, -1]],
    ['get_transfer_by_txid', {}, [-8]],
  ] as const)('of a transaction are refused by %s', (method, more, codes) =>
    withstands(hot, {
      method,
      params: mutatedHex(given.txid).map((txid) => ({ ...more, txid })),
      codes,
    }),
  );

  test.each([
    ['get_tx_notes', [-8]],
    ['scan_tx', [-8, -1]],
  ] as const)('of transactions in a list are refused by %s', (method, codes) =>
    withstands(hot, {
      method,
      params: mutatedHex(given.txid).map((txid) => ({ txids: [txid] })),
      codes,
      harmless: ({ notes = [] }) => (notes as string[]).every((note) => note === ''),
    }),
  );

  test.each([
    ['freeze', [-10, -1]],
    ['thaw', [-10, -1]],
    ['frozen', [-10, -1]],
    ['sweep_single', [-10, -1]],
  ] as const)('of an output are refused by %s', (method, codes) =>
    withstands(hot, {
      method,
      params: mutatedHex(given.images[0]?.key_image ?? '').map((key_image) => ({
        key_image,
        address: STRANGER,
      })),
      codes,
    }),
  );
});
