import { afterAll, beforeAll, describe, expect, it, test } from '@jest/globals';
import { publicKeyOf } from '../../src/monero/crypto/derivation.js';
import type { SecretKey } from '../../src/monero/crypto/types.js';
import { formatAddress } from '../../src/monero/cryptonote/address.js';
import { parseExtra, txPublicKeys } from '../../src/monero/cryptonote/extra.js';
import {
  parseTransaction,
  transactionHash,
  transactionWeight,
} from '../../src/monero/cryptonote/transaction.js';
import type { PaymentId } from '../../src/monero/cryptonote/types.js';
import { fromHex, toHex } from '../../src/util/bytes.js';
import { decode } from '../../src/util/codec.js';
import { keyImagesOf, pendingTx } from '../../src/monero/wallet/exchange/pending-tx.js';
import { ChainWallet } from '../support/wallets/chain-wallet.js';
import { post, type Loose } from '../support/network/json-rpc.js';
import type { Monerod } from '../support/processes/monerod.js';
import { exchangeMultisigInfo, formGroup, openAll } from '../support/wallets/multisig-party.js';
import { startRegtestDaemon } from '../support/processes/regtest-daemon.js';
import { seededRng } from '../support/fakes/seeded-rng.js';
import { startReference, startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';
import { describeAtNight, isNight, itAtNight, someRows } from '../support/jest/lanes.js';

/*
 * Answers of all methods that make transactions, compared with the real monero-wallet-rpc in names, order, types and
 * lengths, without, with each of, and with all of the parameters that select fields, and for every kind of wallet.
 */

const keys = new ChainWallet(seededRng('payment answers'));
const stranger = new ChainWallet(seededRng('payment answers stranger'));
const XMR = 1_000_000_000_000;
const MULTISIG = 'group';

/** The same calls go to both API versions of our server, and to the reference. */
let daemon: Monerod;
let servers: { current: WalletRpc; first: WalletRpc; theirs: WalletRpc };

beforeAll(async () => {
  daemon = await startRegtestDaemon();
  const online = { daemon: daemon.address };
  const [format, trusted] = ['--export-format=0.18.0', '--trusted-daemon'];
  const [current, first, theirs] = await Promise.all([
    startWalletRpc({ ...online, args: ['--api-version=1.32', format, trusted] }),
    startWalletRpc({ ...online, args: ['--api-version=1.3', format, trusted] }),
    startReference({ ...online, args: [trusted] }),
  ]);
  servers = { current, first, theirs };
  const view = {
    password: '',
    address: keys.addressText(),
    viewkey: toHex(keys.viewSecret),
    restore_height: 0,
  };
  await daemon.generate(keys.addressText(), 4);
  for (const server of Object.values(servers)) {
    await server.rpc('generate_from_keys', { ...view, filename: 'view' });
    await server.rpc('generate_from_keys', {
      ...view,
      filename: 'own',
      spendkey: toHex(keys.spendSecret),
    });
  }
  if (isNight) await daemon.generate(await formGroup(Object.values(servers), 2, MULTISIG), 4);
  await daemon.generate(stranger.addressText(), 85);
});

afterAll(async () => {
  await Promise.all(Object.values(servers ?? {}).map((server) => server.stop()));
  await daemon?.stop();
});

/** Texts whose length depends on chance: numbers of random decoys take one byte or more. */
const ABOUT = /^(tx_blob|tx_metadata|unsigned_txset|multisig_txset)(_list)?$/;
/** Names that 0.18.0 lacks. */
const NEWER = /^amounts_by_dest(_list)?$/;
/** Part of a length by which texts of random length may differ. */
const TOLERANCE = 0.2;

/** Names in their order, types, and lengths of texts. */
function shapeOf(value: Loose, name = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => shapeOf(item, name));
  if (typeof value === 'object' && value !== null)
    return Object.entries(value as Record<string, unknown>)
      .filter(([field]) => !NEWER.test(field))
      .map(([field, item]) => [field, shapeOf(item, field)]);
  if (typeof value !== 'string' || value === '') return value === '' ? 'empty text' : typeof value;
  if (!/^([0-9a-f]{2})+$/.test(value)) return 'text';
  return ABOUT.test(name) ? 'long hex' : `hex of ${value.length} digits`;
}

/** Transactions, whose length is known but for {@link TOLERANCE}; sets have as many outputs as the signer needs. */
const MEASURED = /^(tx_blob|tx_metadata)(_list)?$/;

/** Lengths of transactions, by the names of their fields. */
const txLengths = (answer: Loose): [string, number][] =>
  Object.entries(answer as Record<string, unknown>)
    .filter(([name]) => MEASURED.test(name))
    .flatMap(([name, value]) => [value].flat().map((text): [string, number] => [name, String(text).length]));

/** Each flag alone, and all others without it. @param key name of the flag for transaction keys. */
const oneAndOthers = (key: string): Record<string, boolean>[] => {
  const flags = [key, 'get_tx_hex', 'get_tx_metadata', 'do_not_relay'];
  const set = (chosen: readonly string[]): Record<string, boolean> =>
    Object.fromEntries(chosen.map((flag) => [flag, true]));
  return flags.flatMap((one) => [set([one]), set(flags.filter((flag) => flag !== one))]);
};

/** No flag, and all of them. */
const extremes = (key: string): Record<string, boolean>[] => [
  {},
  { [key]: true, get_tx_hex: true, get_tx_metadata: true, do_not_relay: true },
];

async function answer(server: WalletRpc, method: string, params: object): Promise<Loose> {
  const { text } = await post(server.port, '/json_rpc', { jsonrpc: '2.0', id: '0', method, params });
  const { result, error } = JSON.parse(text) as Loose;
  return error === undefined ? result : { error: `${error.code} ${error.message}` };
}

/** Compares the answers of both API versions with the reference's. */
async function compare(method: string, params: object): Promise<void> {
  const [mine, older, other] = (await Promise.all(
    [servers.current, servers.first, servers.theirs].map((server) => answer(server, method, params)),
  )) as [Loose, Loose, Loose];
  for (const ours of [mine, older]) {
    expect({ method, params, shape: shapeOf(ours), error: ours.error }).toEqual({
      ...{ method, params, shape: shapeOf(other), error: other.error },
    });
    const lengths = txLengths(other);
    for (const [i, [name, length]] of txLengths(ours).entries()) {
      const theirs = lengths[i]?.[1] ?? 0;
      expect([name, Math.abs(length - theirs) <= theirs * TOLERANCE, length, theirs]).toEqual([
        name,
        true,
        length,
        theirs,
      ]);
    }
  }
}

const openEverywhere = async (filename: string, password = ''): Promise<void> => {
  for (const server of Object.values(servers)) {
    await server.rpc('open_wallet', { filename, password });
    await server.rpc('refresh');
  }
};

const someone = { address: stranger.addressText(), amount: XMR };
const atSubaddress = { address: stranger.addressText({ major: 0, minor: 3 }), amount: XMR };
const withPaymentId = {
  address: formatAddress({
    ...stranger.address(),
    kind: 'integrated',
    paymentId: fromHex('1122334455667788') as PaymentId,
  }),
  amount: XMR,
};

/** Calls with the name of their flag for transaction keys. */
const CALLS: readonly (readonly [method: string, key: string, params: object])[] = [
  ['transfer', 'get_tx_key', { destinations: [someone] }],
  ['transfer', 'get_tx_key', { destinations: [withPaymentId] }],
  ['transfer_split', 'get_tx_keys', { destinations: [someone, atSubaddress] }],
  ['sweep_all', 'get_tx_keys', { address: stranger.addressText() }],
  ['sweep_dust', 'get_tx_keys', {}],
];

const keyImageOf = async (server: WalletRpc): Promise<string> => {
  const { transfers } = await server.rpc('incoming_transfers', { transfer_type: 'available' });
  return (transfers as Loose[])[0].key_image as string;
};

/** Opens the wallet with the spend key. @returns the key images of its outputs. */
async function exportedKeyImages(): Promise<Loose> {
  await openEverywhere('own');
  return servers.theirs.rpc('export_key_images', { all: true });
}

describe('a view-only wallet', () => {
  beforeAll(() => openEverywhere('view'));

  test.each(someRows(CALLS))(
    'answers %s as the reference without and with %s',
    async (method, key, params) => {
      for (const flags of extremes(key)) await compare(method, { ...params, ...flags });
    },
  );

  itAtNight(
    'gives each field of a transaction if the flag of that field is set, as the reference does',
    async () => {
      for (const flags of oneAndOthers('get_tx_key'))
        await compare('transfer', { destinations: [someone], ...flags });
    },
  );

  itAtNight(
    'answers sweep_single as the reference once it has key images, and all others as before',
    async () => {
      const { signed_key_images } = await exportedKeyImages();
      await openEverywhere('view');
      for (const server of Object.values(servers))
        await server.rpc('import_key_images', { signed_key_images });
      const key_image = await keyImageOf(servers.theirs);
      const params = { address: stranger.addressText(), key_image };
      for (const flags of extremes('get_tx_key')) await compare('sweep_single', { ...params, ...flags });
      for (const [method, key, others] of someRows(CALLS))
        await compare(method, { ...others, ...extremes(key)[1] });
      for (const all of [false, true]) await compare('export_key_images', { all });
    },
  );

  it('makes a transaction of which every part but key images and signatures is real', async () => {
    const destinations = [withPaymentId];
    const flags = { get_tx_key: true, get_tx_hex: true, get_tx_metadata: true };
    for (const server of [servers.current, servers.first]) {
      const made = await server.rpc('transfer', { destinations, ...flags });
      const tx = parseTransaction(fromHex(made.tx_blob as string));
      expect(toHex(transactionHash(tx))).toBe(made.tx_hash);
      expect(transactionWeight(tx)).toBe(made.weight);
      expect(toHex(publicKeyOf(fromHex(made.tx_key as string) as SecretKey))).toBe(
        toHex(txPublicKeys(parseExtra(tx.prefix.extra).fields)[0] ?? new Uint8Array()),
      );
      expect(keyImagesOf(tx).map(toHex)).toEqual(made.spent_key_images.key_images);
      const pending = decode(pendingTx, fromHex(made.tx_metadata as string));
      expect(toHex(transactionHash(pending.tx))).toBe(made.tx_hash);
      expect(pending.selectedTransfers).toHaveLength(tx.prefix.inputs.length);
    }
  });

  it('relays no transaction that it could not sign, and the reference neither', async () => {
    const destinations = [someone];
    for (const maker of [servers.current, servers.theirs]) {
      const { tx_metadata: hex } = await maker.rpc('transfer', { destinations, get_tx_metadata: true });
      await compare('relay_tx', { hex });
    }
    for (const server of [servers.current, servers.first])
      expect(await server.rpc('get_transfers', { out: true, pending: true, failed: true })).toEqual({});
  });

  itAtNight('is described to the signer with the same extra field as by the reference', async () => {
    const payments = [[someone], [withPaymentId], [someone, atSubaddress], [someone, someone]];
    await openEverywhere('view');
    const sets: Loose[][] = [];
    for (const destinations of payments)
      sets.push(
        await Promise.all(Object.values(servers).map((server) => server.rpc('transfer', { destinations }))),
      );
    await openEverywhere('own');
    for (const ofPayment of sets) {
      const extras = await Promise.all(
        ofPayment.map(async ({ unsigned_txset }) => {
          const { desc } = await servers.theirs.rpc('describe_transfer', { unsigned_txset });
          const own = await servers.current.rpc('describe_transfer', { unsigned_txset });
          expect(own.desc[0].extra).toBe(desc[0].extra);
          return extraShape(desc[0].extra as string);
        }),
      );
      expect(extras).toEqual(ofPayment.map(() => extras.at(-1)));
    }
  });
});

/** Names of the fields of an extra field, with the payment id and the number of additional keys. */
const extraShape = (hex: string): unknown =>
  parseExtra(fromHex(hex)).fields.map((field) => {
    if (field.type === 'nonce') return toHex(field.nonce);
    return field.type === 'additionalKeys' ? [field.type, field.keys.length] : field.type;
  });

describe('a wallet with its spend key', () => {
  beforeAll(() => openEverywhere('own'));

  test.each(someRows(CALLS))(
    'answers %s as the reference without and with %s',
    async (method, key, params) => {
      for (const flags of extremes(key)) await compare(method, { ...params, ...flags, do_not_relay: true });
    },
  );

  it('answers sweep_single as the reference', async () => {
    const params = { address: stranger.addressText(), key_image: await keyImageOf(servers.theirs) };
    for (const flags of extremes('get_tx_key'))
      await compare('sweep_single', { ...params, ...flags, do_not_relay: true });
  });
});

describeAtNight('a multisig wallet', () => {
  beforeAll(async () => {
    await openAll(Object.values(servers), MULTISIG);
  });

  test.each(someRows(CALLS))(
    'answers %s as the reference without and with %s',
    async (method, key, params) => {
      for (const flags of extremes(key)) {
        await exchangeMultisigInfo(Object.values(servers));
        await compare(method, { ...params, ...flags });
      }
    },
  );

  it('answers sweep_single as the reference', async () => {
    const params = { address: stranger.addressText(), key_image: await keyImageOf(servers.theirs) };
    for (const flags of extremes('get_tx_key')) {
      await exchangeMultisigInfo(Object.values(servers));
      await compare('sweep_single', { ...params, ...flags });
    }
    for (const all of [false, true]) await compare('export_key_images', { all });
  });
});
