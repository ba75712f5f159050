import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ringIndices, parseTransaction, transactionHash } from '../../src/monero/cryptonote/transaction.js';
import type { Hash, KeyImage } from '../../src/monero/crypto/types.js';
import { storeKey } from '../../src/store/file/store-cipher.js';
import { WalletStore } from '../../src/store/wallet-store.js';
import { fromHex, toHex } from '../../src/util/bytes.js';
import { ChainWallet } from '../support/wallets/chain-wallet.js';
import type { Loose } from '../support/network/json-rpc.js';
import type { Monerod } from '../support/processes/monerod.js';
import { startRegtestDaemon } from '../support/processes/regtest-daemon.js';
import { seededRng } from '../support/fakes/seeded-rng.js';
import { startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';

const COIN = 1_000_000_000_000;
const OUTPUTS = 3;
const keys = new ChainWallet(seededRng('placed key images'));
const stranger = new ChainWallet(seededRng('stranger beside placed key images'));

let daemon: Monerod;
let server: WalletRpc;
/** Height of the block with the payment, its hash, and the key image that it spends. */
let paid: { readonly height: number; readonly txHash: Hash; readonly keyImage: KeyImage };
/** Balance, outputs and payments of the wallet with the spend key. */
let expected: Loose;
let exported: Loose;

/** Balance, outputs and payments of the open wallet. */
async function shown(): Promise<Loose> {
  const { balance } = await server.rpc('get_balance');
  const { transfers } = await server.rpc('incoming_transfers', { transfer_type: 'all' });
  const { out } = await server.rpc('get_transfers', { out: true });
  return {
    balance,
    outputs: (transfers as Loose[]).map(({ pubkey, amount, spent }) => ({ pubkey, amount, spent })),
    payments: (out as Loose[]).map(({ txid, amount, fee, height }) => ({ txid, amount, fee, height })),
  };
}

/** Makes a payment of one input whose ring contains no other output of the wallet, and mines it. */
async function pay(): Promise<typeof paid> {
  const { transfers } = await server.rpc('incoming_transfers', { transfer_type: 'all' });
  const own = new Set((transfers as Loose[]).map(({ global_index }) => BigInt(global_index as number)));
  for (;;) {
    const made = await server.rpc('transfer', {
      destinations: [{ amount: COIN, address: stranger.addressText() }],
      ...{ do_not_relay: true, get_tx_hex: true, get_tx_metadata: true },
    });
    const tx = parseTransaction(fromHex(made.tx_blob as string));
    const inputs = tx.prefix.inputs.filter((input) => input.type === 'key');
    const [input] = inputs;
    if (input === undefined || inputs.length > 1) throw new Error('a payment of one input');
    if (ringIndices(input.keyOffsets).filter((index) => own.has(index)).length > 1) continue;
    await server.rpc('relay_tx', { hex: made.tx_metadata });
    await daemon.generate(stranger.addressText(), 1);
    await server.rpc('refresh');
    const { transfer } = await server.rpc('get_transfer_by_txid', { txid: made.tx_hash });
    return { height: transfer.height as number, txHash: transactionHash(tx), keyImage: input.keyImage };
  }
}

const view = {
  password: '',
  address: keys.addressText(),
  viewkey: toHex(keys.viewSecret),
  restore_height: 0,
};

beforeAll(async () => {
  daemon = await startRegtestDaemon();
  await daemon.generate(keys.addressText(), OUTPUTS);
  await daemon.generate(stranger.addressText(), 200);
  server = await startWalletRpc({ daemon: daemon.address, args: ['--trusted-daemon'] });
  await server.rpc('generate_from_keys', { ...view, filename: 'full', spendkey: toHex(keys.spendSecret) });
  await server.rpc('refresh');
  exported = await server.rpc('export_key_images', { all: true });
  paid = await pay();
  expected = await shown();
});

afterAll(async () => {
  await server?.stop();
  await daemon?.stop();
});

/** Lets an output and the spent one change places, as in a store in which an earlier version confused the two. */
function damage(name: string): void {
  const store = WalletStore.open(join(server.walletDir, name), storeKey(keys.viewSecret, undefined));
  store.write((w) => {
    const spent = w.outputs.byKeyImage(paid.keyImage);
    const other = w.outputs.inOrder().find((one) => one.spentBy === undefined && !one.change);
    if (spent?.keyImage === undefined || other?.keyImage === undefined) throw new Error('two outputs');
    w.outputs.markUnspent(spent);
    for (const [output, keyImage] of [
      [spent, other.keyImage],
      [other, spent.keyImage],
    ] as const) {
      w.importedKeyImages.remove(output.publicKey);
      w.importedKeyImages.set({ publicKey: output.publicKey, keyImage, proven: false, placed: true });
      w.outputs.setKeyImage(output.publicKey, keyImage);
    }
    w.outputs.markSpent({ ...paid, keyImage: paid.keyImage });
  });
  store.close();
}

test.each([
  ['a refresh', 'refresh', {}],
  ['rescan_spent', 'rescan_spent', {}],
  ['a soft rescan of the chain', 'rescan_blockchain', {}],
  ['a hard rescan of the chain', 'rescan_blockchain', { hard: true }],
])(
  '%s shows what the wallet with the spend key shows, where an earlier version confused two outputs',
  async (name, method, params) => {
    await server.rpc('generate_from_keys', { ...view, filename: name });
    await server.rpc('refresh');
    const { offset = 0, signed_key_images } = exported;
    await server.rpc('import_key_images', { offset, signed_key_images });
    await server.rpc('close_wallet');
    damage(name);
    await server.rpc('open_wallet', { filename: name });
    await server.rpc(method, params);
    expect(await shown()).toEqual(expected);
    await server.rpc('close_wallet');
  },
);
