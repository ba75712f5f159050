import { describe, expect, it, test } from '@jest/globals';
import { UNRELATED_ADDRESS } from '../support/differential/differential-calls.js';
import { ODD_TEXTS, REFUSALS, VIEWS } from '../support/differential/differential-exceptions.js';
import {
  addressRefusals,
  blobRefusals,
  daemonRefusals,
  fileRefusals,
  paymentRefusals,
  proofRefusals,
  recordRefusals,
  TYPES,
  viewOnlyRefusals,
} from '../support/differential/differential-refusals.js';
import { differentialSuite } from '../support/differential/differential-suite.js';
import type { Ask } from '../support/differential/differential-views.js';
import { XMR, type World } from '../support/differential/differential-world.js';
import type { Loose } from '../support/network/json-rpc.js';
import { freePort } from '../support/processes/process.js';
import { until } from '../support/fakes/until.js';

/*
 * Errors of the real monero-wallet-rpc and of ours: client libraries compare their messages, so code and message must
 * be the same.
 */

const suite = differentialSuite(
  'refusals',
  VIEWS.filter(({ seldom }) => seldom),
  [...ODD_TEXTS.filter(({ methods }) => methods.includes('verify')), ...REFUSALS],
);
const { same } = suite;

/** Makes all calls to both servers; each must be refused. */
async function refused(calls: readonly Ask[]): Promise<void> {
  for (const [method, params] of calls) {
    const { mine, theirs } = await same(method, params);
    expect({ method, params, mine, theirs }).toEqual({ method, params });
  }
}

const viewKey = async (): Promise<string> =>
  (await same('query_key', { key_type: 'view_key' })).mine.key as string;

describe('an open wallet refuses with the code and the message of the reference', () => {
  it('once it is synced', () => same('refresh'));

  test.each<[string, (world: World) => readonly Ask[]]>([
    ['addresses, tags and links', addressRefusals],
    ['notes, entries, history and settings', recordRefusals],
    ['outputs, sets and key images', () => blobRefusals],
    ['proofs', proofRefusals],
    ['payments', paymentRefusals],
    ['parameters of a wrong type', () => TYPES],
  ])('%s', (_, calls) => refused(calls(suite.world())));

  it('files', async () => refused(fileRefusals(suite.world(), await viewKey())));
});

describe('while change is pending', () => {
  const from = { account_index: 3 };
  const pay = (amount: number) => ({ destinations: [{ amount, address: UNRELATED_ADDRESS }], ...from });

  it('a payment of less than the balance lacks unlocked money, and one of more lacks money', async () => {
    const { payerAddress, pair } = suite.world();
    const order = {
      ...{ destinations: [{ amount: XMR, address: payerAddress }], ...from },
      ...{ do_not_relay: true, get_tx_metadata: true },
    };
    // The reference may take a slow daemon for a missing one.
    const made: Loose = await until('a payment', () => pair.theirs.rpc('transfer', order));
    await same('relay_tx', { hex: made.tx_metadata });
    for (const amount of [XMR, 4 * XMR, 4.99 * XMR, 5 * XMR, 5.1 * XMR, 7 * XMR])
      await refused([
        ['transfer', pay(amount)],
        ['transfer_split', pay(amount)],
        ['transfer', { ...pay(amount), subaddr_indices: [0] }],
        ['transfer', { ...pay(amount), subaddr_indices: [2] }],
      ]);
    const code = async (amount: number): Promise<unknown> =>
      (await pair.ours.call('transfer', pay(amount))).error;
    expect(await code(XMR)).toMatchObject({ code: -37, message: 'not enough unlocked money' });
    expect(await code(7 * XMR)).toMatchObject({ code: -17, message: 'not enough money' });
    await refused([['sweep_all', { address: UNRELATED_ADDRESS, ...from }]]);
  });
});

describe('without a daemon', () => {
  it('calls fail as those of the reference', async () => {
    const { daemon, pair } = suite.world();
    const images = (await pair.ours.rpc('export_key_images', { all: true })).signed_key_images as Loose[];
    const { transfers } = await pair.ours.rpc('incoming_transfers', {
      ...{ transfer_type: 'available', account_index: 2 },
    });
    const order = {
      ...{ destinations: [{ amount: XMR, address: UNRELATED_ADDRESS }] },
      ...{ do_not_relay: true, get_tx_metadata: true },
    };
    const made: Loose = await until('a payment', () => pair.theirs.rpc('transfer', order));
    const metadata = made.tx_metadata as string;
    // The reference then clears its cached daemon state.
    await same('set_daemon', { address: `127.0.0.1:${await freePort()}`, trusted: true });
    const keyImage = transfers[0].key_image as string;
    await refused(daemonRefusals(suite.world(), { images, keyImage, metadata }));
    expect((await pair.ours.call('refresh')).error).toMatchObject({
      ...{ code: -38, message: 'no connection to daemon' },
    });
    await same('set_daemon', { address: daemon.address, trusted: true });
  });
});

describe('a view-only wallet', () => {
  it('refuses with the code and the message of the reference', async () => {
    const { address } = suite.world();
    const viewkey = await viewKey();
    await same('generate_from_keys', { filename: 'view', address: address(0, 0), viewkey, password: '' });
    await refused(viewOnlyRefusals(suite.world()));
  });
});

describe('without a wallet', () => {
  it('every call is refused with the same message', async () => {
    await same('close_wallet');
    const { pair } = suite.world();
    await refused(
      [
        ...['get_balance', 'transfer', 'query_key', 'refresh', 'store', 'close_wallet'],
        ...['get_transfers', 'sign', 'make_multisig', 'validate_address', 'stop_wallet'],
      ].map((method): Ask => [method]),
    );
    expect((await pair.ours.call('get_balance')).error).toMatchObject({
      code: -13,
      message: 'No wallet file',
    });
  });
});

suite.conclude();
