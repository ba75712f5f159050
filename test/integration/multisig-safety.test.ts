import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, test } from '@jest/globals';
import { exportKey } from '../../src/monero/crypto/kdf.js';
import { publicKeyOf, randomSecretKey } from '../../src/monero/crypto/derivation.js';
import type { SecretKey } from '../../src/monero/crypto/types.js';
import { fromHex, toHex } from '../../src/util/bytes.js';
import { decode, encode, type Codec } from '../../src/util/codec.js';
import {
  openExport,
  sealExport,
  type ExportKeys,
  type ExportKind,
} from '../../src/monero/wallet/exchange/export-blob.js';
import { signerInfo, type SignerInfo } from '../../src/monero/wallet/multisig/info.js';
import { multisigTxSet, type MultisigTxSet } from '../../src/monero/wallet/multisig/tx-set.js';
import type { PendingTx } from '../../src/monero/wallet/exchange/pending-tx.js';
import { ChainWallet } from '../support/wallets/chain-wallet.js';
import type { Loose } from '../support/network/json-rpc.js';
import { killMoment } from '../support/processes/kill-moment.js';
import type { Monerod } from '../support/processes/monerod.js';
import { startRegtestDaemon } from '../support/processes/regtest-daemon.js';
import {
  exchangeAll,
  formGroup,
  makeAll,
  openAll,
  prepareAll,
  exchangeMultisigInfo,
} from '../support/wallets/multisig-party.js';
import { seededRng } from '../support/fakes/seeded-rng.js';
import { startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';
import { isNight, itAtNight, someRows } from '../support/jest/lanes.js';

const COIN = 1_000_000_000_000;
const GROUP = 'shared';
const rng = seededRng('multisig safety');
const stranger = new ChainWallet(rng);
const payment = { destinations: [{ address: stranger.addressText(), amount: COIN }] };

let daemon: Monerod;
const directories = [0, 1].map(() => mkdtempSync(join(tmpdir(), 'multisig-')));
let wallets: WalletRpc[] = [];

const walletAt = (place: number): WalletRpc => {
  const wallet = wallets[place];
  if (wallet === undefined) throw new Error('no such wallet');
  return wallet;
};

const startAt = (place: number): Promise<WalletRpc> =>
  startWalletRpc({
    ...{ daemon: daemon.address, walletDir: directories[place] ?? '' },
    // The second one is killed for each commit, the first one at night.
    ownProcess: isNight || place === 1,
  });

/** Kills a server (`kill -9`), restarts it and opens its wallet. */
async function crash(place: number): Promise<void> {
  await walletAt(place).stop({ signal: 'SIGKILL' });
  wallets[place] = await startAt(place);
  await walletAt(place).rpc('open_wallet', { filename: GROUP, password: 'p' });
}

/** Kills a server after a step, of which the lane of each commit has one kill after a signature, and one during one. */
const crashAtNight = async (place: number): Promise<void> => {
  if (isNight) await crash(place);
};

async function codeOf(place: number, method: string, params: unknown): Promise<unknown> {
  return (await walletAt(place).call(method, params)).error?.code;
}

const sign = (place: number, set: string): Promise<Loose> =>
  walletAt(place).rpc('sign_multisig', { tx_data_hex: set });

const propose = async (place: number): Promise<string> =>
  (await walletAt(place).rpc('transfer', payment)).multisig_txset as string;

const infoOf = async (place: number): Promise<string> =>
  (await walletAt(place).rpc('export_multisig_info')).info as string;

/** State of a wallet as its methods show it. */
async function stateOf(place: number): Promise<unknown> {
  const wallet = walletAt(place);
  return {
    balance: await wallet.rpc('get_balance'),
    outputs: await wallet.rpc('incoming_transfers', { transfer_type: 'all' }),
    transfers: await wallet.rpc('get_transfers', { in: true, out: true, pending: true, pool: true }),
  };
}

beforeAll(async () => {
  daemon = await startRegtestDaemon();
  wallets = await Promise.all([startAt(0), startAt(1)]);
});

afterAll(async () => {
  await Promise.all(wallets.map((wallet) => wallet.stop()));
  await daemon?.stop();
  for (const directory of directories) rmSync(directory, { recursive: true, force: true });
});

/* Steps that both wallets take are followed by a kill of either in turn, other steps by a kill of the wallet that took it. */
describe('with a kill -9 between steps', () => {
  it('two wallets become a group', async () => {
    const opening = await prepareAll(wallets, GROUP);
    await crashAtNight(0);
    const first = await makeAll(wallets, 2, opening);
    await crashAtNight(1);
    const { addresses } = await exchangeAll(wallets, first);
    await crashAtNight(0);
    for (const wallet of wallets) {
      expect(await wallet.rpc('is_multisig')).toMatchObject({ ready: true });
      expect((await wallet.rpc('get_address')).address).toBe(addresses[0]);
    }
    await daemon.generate(addresses[0] ?? '', 12);
    await daemon.generate(stranger.addressText(), 80);
  });

  itAtNight('they pay, and no nonce is used twice', async () => {
    await Promise.all(wallets.map((wallet) => wallet.rpc('refresh')));
    const info = [await infoOf(0), await infoOf(1)];
    await crashAtNight(1);
    for (const wallet of wallets)
      expect((await wallet.rpc('import_multisig_info', { info })).n_outputs).toBe(12);
    await crashAtNight(0);
    const set = await propose(0);
    await crashAtNight(0);
    const answer = await sign(1, set);
    expect(await codeOf(1, 'sign_multisig', { tx_data_hex: set })).toBe(-35);
    await crash(1);
    // The answer may have been lost: the same set gives the same answer, another set is refused.
    expect(await sign(1, set)).toEqual(answer);
    expect(await codeOf(1, 'sign_multisig', { tx_data_hex: set })).toBe(-35);
    const { tx_hash_list } = await walletAt(0).rpc('submit_multisig', {
      tx_data_hex: answer.tx_data_hex as string,
    });
    expect(tx_hash_list).toEqual(answer.tx_hash_list);
    await crashAtNight(0);
    for (const wallet of wallets) {
      await wallet.rpc('refresh');
      const { pending } = await wallet.rpc('get_transfers', { pending: true });
      expect((pending as Loose[]).map(({ txid }) => txid as string)).toEqual(tx_hash_list);
    }
    await daemon.generate(stranger.addressText(), 10);
  });

  it('a signer that is killed while signing gives one answer or none', async () => {
    for (const delay of someRows([80, 5, 300])) {
      await exchangeMultisigInfo(wallets);
      const [first, second] = [await propose(0), await propose(0)];
      const lost = walletAt(1)
        .call('sign_multisig', { tx_data_hex: first })
        .catch(() => undefined);
      await killMoment(delay);
      await crash(1);
      await lost;
      const again = await walletAt(1).call('sign_multisig', { tx_data_hex: first });
      // Both proposals use the same nonces.
      expect(await codeOf(1, 'sign_multisig', { tx_data_hex: second })).toBe(-35);
      expect(again.error).toBeUndefined();
    }
  });
});

describe('a forged message', () => {
  let foreignInfo: string;
  let foreignSet: string;
  let staleInfo: string;
  let keys: ExportKeys;

  beforeAll(async () => {
    const address = await formGroup(wallets, 2, 'others');
    await daemon.generate(address, 2);
    await daemon.generate(stranger.addressText(), 60);
    await exchangeMultisigInfo(wallets);
    foreignInfo = await infoOf(1);
    foreignSet = await propose(0);
    await openAll(wallets, GROUP);
    staleInfo = await infoOf(1);
    await walletAt(0).rpc('import_multisig_info', { info: [staleInfo] });
    await exchangeMultisigInfo(wallets);
    const { key } = await walletAt(0).rpc('query_key', { key_type: 'view_key' });
    const viewSecret = fromHex(key as string) as SecretKey;
    keys = { viewSecret, cipherKey: await exportKey(viewSecret, 1) };
  });

  /** Changes a message with the keys that a group member has. */
  const changed = <T>(kind: ExportKind, codec: Codec<T>, hex: string, change: (value: T) => T): string => {
    const value = decode(codec, openExport(kind, fromHex(hex), keys));
    return toHex(sealExport(kind, encode(codec, change(value)), keys, rng));
  };

  const spoilt = (hex: string): string[] => [
    hex.slice(0, -2),
    hex.slice(0, 400),
    `${hex}00`,
    `${hex.slice(0, 600)}${hex[600] === '0' ? '1' : '0'}${hex.slice(601)}`,
    `${hex.slice(2)}`,
    '',
  ];

  it('is refused as multisig info, and changes nothing', async () => {
    const before = await stateOf(0);
    const good = await infoOf(1);
    const take = (info: readonly string[]): Promise<unknown> => codeOf(0, 'import_multisig_info', { info });
    for (const text of [...spoilt(good), foreignInfo, staleInfo, foreignSet, await infoOf(0)])
      expect(await take([text])).toBe(-1);
    expect(await take(['xyz'])).toBe(-26);
    expect(await take([])).toBe(-33);
    const byMember = (change: (info: SignerInfo) => SignerInfo): string =>
      changed('multisigInfo', signerInfo, good, change);
    const withOutput = (change: (output: SignerInfo['outputs'][number]) => SignerInfo['outputs'][number]) =>
      byMember((info) => ({ ...info, outputs: info.outputs.map(change) }));
    const someKey = publicKeyOf(randomSecretKey(rng));
    for (const text of [
      byMember((info) => ({ ...info, signer: someKey })),
      byMember((info) => ({ ...info, spendPublicKey: someKey })),
      withOutput((output) => ({ ...output, signer: someKey })),
      withOutput((output) => ({ ...output, partialKeyImages: [] })),
      withOutput((output) => ({ ...output, nonces: output.nonces.slice(1) })),
      withOutput((output) => ({
        ...output,
        nonces: output.nonces.map(({ L }) => ({ L, R: new Uint8Array(32) })),
      })),
      withOutput((output) => ({ ...output, nonces: [...output.nonces, ...output.nonces] })),
    ])
      expect(await take([text])).toBe(-1);
    const { error } = await walletAt(0).call('import_multisig_info', { info: [staleInfo] });
    expect(error?.message).toMatch(/export anew/);
    expect(await stateOf(0)).toEqual(before);
    await exchangeMultisigInfo(wallets);
  });

  it('is not signed, and the honest set is signed afterwards', async () => {
    const good = await propose(0);
    const before = await stateOf(1);
    const code = (set: string): Promise<unknown> => codeOf(1, 'sign_multisig', { tx_data_hex: set });
    for (const set of [...spoilt(good), foreignSet, foreignInfo]) expect(await code(set)).toBe(-34);
    expect(await code('xyz')).toBe(-26);
    const byMember = (change: (set: MultisigTxSet) => MultisigTxSet): string =>
      changed('multisigTxs', multisigTxSet, good, change);
    const withTx = (change: (pending: PendingTx) => PendingTx): string =>
      byMember((set) => ({ ...set, txs: set.txs.map(change) }));
    const someKey = publicKeyOf(randomSecretKey(rng));
    const { spendPublicKey, viewPublicKey } = stranger.address();
    const withConstruction = (
      change: (data: PendingTx['construction']) => Partial<PendingTx['construction']>,
    ): string =>
      withTx((pending) => ({
        ...pending,
        construction: { ...pending.construction, ...change(pending.construction) },
      }));
    const crafted: Readonly<Record<string, string>> = {
      'no signers': byMember((set) => ({ ...set, signers: [] })),
      'an unknown signer': byMember((set) => ({ ...set, signers: [someKey] })),
      'no transactions': byMember((set) => ({ ...set, txs: [] })),
      'one twice': byMember((set) => ({ ...set, txs: [...set.txs, ...set.txs] })),
      'no attempts': withTx((pending) => ({ ...pending, multisigSigs: [] })),
      'an attempt twice': withTx((pending) => ({
        ...pending,
        multisigSigs: [...pending.multisigSigs, ...pending.multisigSigs],
      })),
      'unknown nonces': withTx((pending) => ({
        ...pending,
        multisigSigs: pending.multisigSigs.map((sig) => ({ ...sig, usedL: [someKey] })),
      })),
      'a wrong first answer': withTx((pending) => ({
        ...pending,
        multisigSigs: pending.multisigSigs.map((sig) => ({
          ...sig,
          s: sig.s.map(() => randomSecretKey(rng)),
        })),
      })),
      'other entropy': withTx((pending) => ({ ...pending, multisigEntropy: randomSecretKey(rng) })),
      'other keys': withTx((pending) => ({ ...pending, txSecretKey: randomSecretKey(rng) })),
      'another receiver': withConstruction(({ outputs }) => ({
        outputs: outputs.map((output) => ({ ...output, address: { spendPublicKey, viewPublicKey } })),
      })),
      'another amount': withConstruction(({ outputs }) => ({
        outputs: outputs.map((output, i) => (i === 0 ? { ...output, amount: output.amount + 1n } : output)),
      })),
      'change to another address': withConstruction(({ change }) => ({
        change: { ...change, address: { spendPublicKey, viewPublicKey } },
      })),
      'another key image': withConstruction(({ sources }) => ({
        sources: sources.map((source) => ({ ...source, multisig: new Uint8Array(128).fill(1) })),
      })),
      'another real output': withConstruction(({ sources }) => ({
        sources: sources.map((source) => ({
          ...source,
          realIndex: (source.realIndex + 1) % source.ring.length,
        })),
      })),
    };
    for (const [what, set] of Object.entries(crafted)) expect([what, await code(set)]).toEqual([what, -35]);
    const beyond = withConstruction(({ selectedTransfers }) => ({
      selectedTransfers: selectedTransfers.map(() => 9999),
    }));
    expect(await code(beyond)).toBe(-34);
    const {
      key_images: [spent],
    } = (await walletAt(0).rpc('transfer', payment)).spent_key_images as {
      key_images: string[];
    };
    expect(spent).toHaveLength(64);
    expect(await stateOf(1)).toEqual(before);

    const { tx_data_hex } = await sign(1, good);
    expect(await codeOf(0, 'sign_multisig', { tx_data_hex })).toBe(-35);
    for (const set of spoilt(tx_data_hex as string))
      expect(await codeOf(1, 'submit_multisig', { tx_data_hex: set })).toBe(-34);
    expect(await codeOf(1, 'submit_multisig', { tx_data_hex: good })).toBe(-33);
    const tampered = changed('multisigTxs', multisigTxSet, tx_data_hex as string, (set) => ({
      ...set,
      txs: set.txs.map((pending) => ({
        ...pending,
        tx: decode(multisigTxSet, openExport('multisigTxs', fromHex(good), keys)).txs[0]?.tx ?? pending.tx,
      })),
    }));
    expect(await codeOf(1, 'submit_multisig', { tx_data_hex: tampered })).toBe(-36);
    expect(await stateOf(1)).toEqual(before);
    const { tx_hash_list } = await walletAt(1).rpc('submit_multisig', { tx_data_hex });
    expect((await walletAt(0).rpc('submit_multisig', { tx_data_hex })).tx_hash_list).toEqual(tx_hash_list);
  });

  test.each([
    'sign_transfer',
    'export_key_images',
    'get_reserve_proof',
    'get_spend_proof',
    'get_multisig_key_exchange_booster',
    'prepare_multisig',
    'make_multisig',
  ])('%s is refused', async (method) => {
    const txid = '00'.repeat(32);
    expect(await codeOf(0, method, { txid, all: true })).toBeLessThan(0);
  });
});
