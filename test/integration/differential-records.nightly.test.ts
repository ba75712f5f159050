import { describe, expect, it } from '@jest/globals';
import { LABELS, TEXTS } from '../support/differential/differential-calls.js';
import { ODD_TEXTS, SIGNATURES, VIEWS } from '../support/differential/differential-exceptions.js';
import { differentialSuite } from '../support/differential/differential-suite.js';
import { PAYMENT_IDS, SEED } from '../support/differential/differential-world.js';

/*
 * Labels, tags, notes and wallet files, in the real monero-wallet-rpc and in ours: the answers must be the same, field
 * by field. The tests build on each other in order.
 */

const suite = differentialSuite('records', [...VIEWS, ...SIGNATURES], ODD_TEXTS);
const { same, sameViews, inStep } = suite;

describe('a wallet restored from its seed', () => {
  it('is scanned alike', async () => {
    await same('refresh');
    await sameViews();
  });
});

describe('labels, tags and new addresses', () => {
  inStep(LABELS);
  it('are shown alike', () => sameViews());
});

describe('texts', () => {
  inStep(TEXTS);

  it('are recognised as addresses of the wallet alike', async () => {
    const { integrated, address } = suite.world();
    for (const integrated_address of integrated)
      await same('split_integrated_address', { integrated_address });
    await same('make_integrated_address', { payment_id: PAYMENT_IDS[0], standard_address: address(0, 1) });
    for (const own of [address(0, 1), integrated[0]])
      for (const method of ['validate_address', 'make_uri', 'add_address_book'])
        await same(method, { address: own });
    await sameViews();
  });

  it('are signed so that both accept the signature', async () => {
    const { address, payerAddress } = suite.world();
    for (const [address_index, signature_type] of [
      [0, 'spend'],
      [0, 'view'],
      [1, ''],
    ] as const) {
      const made = await same('sign', { data: 'a text', address_index, signature_type });
      const about = { data: 'a text', address: address(0, address_index) };
      for (const { signature } of [made.mine, made.theirs]) {
        await same('verify', { ...about, signature });
        await same('verify', { ...about, data: 'another', signature });
        await same('verify', { ...about, address: payerAddress, signature });
        await same('verify', { ...about, address: 'x', signature });
      }
      await same('verify', { ...about, signature: 'nonsense' });
    }
    await same('sign', { data: 'a text', signature_type: 'other' });
    await same('sign', { data: 'a text', account_index: 99 });
  });
});

describe('wallet files', () => {
  it('are closed and opened alike', async () => {
    await same('close_wallet');
    await same('get_balance');
    await same('open_wallet', { filename: 'shared', password: 'wrong' });
    await same('open_wallet', { filename: 'missing', password: '' });
    await same('open_wallet', { filename: 'shared', password: 'other' });
    await sameViews();
  });

  it('are created alike', async () => {
    await same('create_wallet', { filename: 'shared', password: '', language: 'English' });
    await same('create_wallet', { filename: 'x', password: '', language: 'Klingon' });
    await same('restore_deterministic_wallet', { filename: 'shared', password: '', seed: SEED });
    await same('restore_deterministic_wallet', { filename: 'x', password: '', seed: 'no seed' });
    await same('query_key', { key_type: 'view_key' });
    await same('create_wallet', { filename: 'new', password: '', language: 'English' });
    await same('get_balance');
  });

  it('restored at a height are scanned from there alike', async () => {
    const restore_height = 96;
    await same('restore_deterministic_wallet', {
      filename: 'late',
      password: '',
      seed: SEED,
      restore_height,
    });
    await same('refresh');
    await sameViews();
  });

  it('are left alike when the server is stopped', async () => {
    await same('stop_wallet');
    const { ours, theirs } = suite.world().pair;
    expect(await Promise.all([ours.process.exited, theirs.process.exited])).toEqual([0, 0]);
  });
});

suite.conclude();
