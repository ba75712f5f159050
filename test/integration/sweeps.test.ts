import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Loose } from '../support/network/json-rpc.js';
import { refusal, sideBySide, step } from '../support/wallets/side-by-side.js';
import { startTwins, type Twins } from '../support/wallets/twins.js';
import type { WalletRpc } from '../support/processes/wallet-rpc.js';
import { describeAtNight, itAtNight } from '../support/jest/lanes.js';

/*
 * Sweeps, and payments whose fee is subtracted from destinations. The reference has the same keys, so payments between
 * accounts are checked in its history too. The tests build on each other in order.
 */

const XMR = 1_000_000_000_000;

let twins: Twins;
/** Accounts 1 and 2, and an address of account 1. */
let savings: string;
let shop: string;
let till: string;

beforeAll(async () => {
  twins = await startTwins(82);
  for (const wallet of [twins.ours, twins.theirs]) {
    savings = (await wallet.rpc('create_account', { label: 'savings' })).address;
    till = (await wallet.rpc('create_address', { account_index: 1, label: 'till' })).address;
    shop = (await wallet.rpc('create_account', { label: 'shop' })).address;
  }
});

afterAll(() => twins?.stop());

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

const spendable = async (wallet: WalletRpc, account_index: number): Promise<Loose[]> => {
  const { transfers = [] } = await wallet.rpc('incoming_transfers', {
    transfer_type: 'available',
    account_index,
  });
  return (transfers as Loose[]).filter(({ unlocked }) => unlocked);
};

/** Amounts that an account received in a transaction according to the reference, one per output. */
async function receivedIn(txid: string, account_index: number): Promise<number[]> {
  const { transfers } = await twins.theirs.rpc('get_transfer_by_txid', { txid, account_index });
  return (transfers as Loose[])
    .filter(({ type }) => type === 'in')
    .flatMap(({ amount, amounts }) => (amounts ?? [amount]) as number[]);
}

async function expectSameBooks(): Promise<void> {
  for (const account_index of [0, 1, 2]) {
    const [own, other] = await Promise.all(
      [twins.ours, twins.theirs].map((wallet) => wallet.rpc('get_balance', { account_index })),
    );
    expect(own?.balance).toBe(other?.balance);
    expect(own?.unlocked_balance).toBe(other?.unlocked_balance);
  }
}

describe('sweep_single', () => {
  it.each([1, 3, 16])('sends all of one output, less the fee, in %i parts', async (outputs) => {
    const [output] = await spendable(twins.ours, 0);
    const made = await twins.ours.rpc('sweep_single', {
      key_image: output.key_image,
      address: till,
      outputs,
      get_tx_key: true,
      get_tx_hex: true,
    });
    expect(made.spent_key_images.key_images).toEqual([output.key_image]);
    expect(made.amount + made.fee).toBe(output.amount);
    expect(made.amounts_by_dest.amounts).toHaveLength(outputs);
    expect(sum(made.amounts_by_dest.amounts)).toBe(made.amount);
    expect(made.tx_key).toMatch(/^([0-9a-f]{64})+$/);
    expect(made.tx_blob.length / 2).toBeLessThanOrEqual(made.weight);
    await twins.mine(1);
    const amounts = await receivedIn(made.tx_hash, 1);
    expect([...amounts].sort()).toEqual([...made.amounts_by_dest.amounts].sort());
    expect(Math.max(...amounts) - Math.min(...amounts)).toBeLessThanOrEqual(1);
    await expectSameBooks();
  });

  it('returns the transaction keys for get_tx_keys, the spelling of the specification', async () => {
    const [output] = await spendable(twins.ours, 0);
    const made = await twins.ours.rpc('sweep_single', {
      key_image: output.key_image,
      address: till,
      get_tx_keys: true,
      do_not_relay: true,
    });
    expect(made.tx_key).toMatch(/^[0-9a-f]{64}/);
    expect(made.tx_blob).toBe('');
  });

  it('refuses a frozen, spent or locked output', async () => {
    const { ours } = twins;
    const [output] = await spendable(ours, 0);
    await ours.rpc('freeze', { key_image: output.key_image });
    const frozen = await ours.call('sweep_single', { key_image: output.key_image, address: till });
    expect(frozen.error?.code).toBe(-1);
    await ours.rpc('thaw', { key_image: output.key_image });
    const { transfers } = await ours.rpc('incoming_transfers', { transfer_type: 'all' });
    const others = (transfers as Loose[]).filter(({ spent, unlocked }) => spent || !unlocked);
    for (const { key_image } of [others[0], others.at(-1)]) {
      const { error } = await ours.call('sweep_single', { key_image, address: till });
      expect(error?.code).toBe(-1);
    }
  });
});

describe('sweep_all', () => {
  it('with below_amount sweeps exactly the smaller outputs', async () => {
    const outputs = await spendable(twins.ours, 0);
    const amounts = outputs.map(({ amount }) => amount as number).sort((a, b) => a - b);
    const below_amount = amounts[3] ?? 0;
    const made = await twins.ours.rpc('sweep_all', { address: savings, below_amount, outputs: 2 });
    expect(made.tx_hash_list).toHaveLength(1);
    const swept = made.spent_key_images_list.flatMap(({ key_images }: Loose) => key_images as string[]);
    const small = outputs.filter(({ amount }) => amount < below_amount).map(({ key_image }) => key_image);
    expect([...swept].sort()).toEqual([...small].sort());
    expect(sum(made.amount_list) + sum(made.fee_list)).toBe(sum(amounts.slice(0, 3)));
    await twins.mine(1);
    expect(sum(await receivedIn(made.tx_hash_list[0], 1))).toBe(made.amount_list[0]);
    await expectSameBooks();
  });

  it('empties the requested addresses, and no others', async () => {
    await twins.mine(10);
    const before = await spendable(twins.ours, 1);
    const of = (minor: number): Loose[] => before.filter(({ subaddr_index }) => subaddr_index === minor);
    expect(of(0)).toHaveLength(2);
    expect(of(1)).toHaveLength(20);
    const made = await twins.ours.rpc('sweep_all', {
      account_index: 1,
      subaddr_indices: [1],
      address: shop,
      get_tx_keys: true,
    });
    expect(sum(made.amount_list) + sum(made.fee_list)).toBe(sum(of(1).map(({ amount }) => amount as number)));
    expect(made.tx_key_list).toHaveLength(1);
    await twins.mine(1);
    expect(await receivedIn(made.tx_hash_list[0], 2)).toEqual(made.amount_list);
    expect(await spendable(twins.ours, 1)).toHaveLength(2);
    await expectSameBooks();
  });

  it('without addresses empties one of them, the first one only when it is alone', async () => {
    await twins.ours.rpc('transfer', {
      destinations: [{ amount: XMR, address: till }],
    });
    await twins.mine(11);
    const first = await twins.ours.rpc('sweep_all', { account_index: 1, address: shop, do_not_relay: true });
    expect(sum(first.amount_list) + sum(first.fee_list)).toBe(XMR);
    const all = await twins.ours.rpc('sweep_all', {
      account_index: 1,
      address: shop,
      subaddr_indices_all: true,
      get_tx_metadata: true,
      do_not_relay: true,
    });
    const held = (await twins.ours.rpc('get_balance', { account_index: 1 })).unlocked_balance;
    expect(sum(all.amount_list) + sum(all.fee_list)).toBe(held);
    // Made by our server, relayed by the reference.
    for (const hex of all.tx_metadata_list) await twins.theirs.rpc('relay_tx', { hex });
    await twins.mine(1);
    expect((await twins.ours.rpc('get_balance', { account_index: 1 })).balance).toBe(0);
    await expectSameBooks();
  });

  itAtNight('made by the reference is relayed by our server, and recorded alike', async () => {
    await twins.mine(10);
    const made = await twins.theirs.rpc('sweep_all', {
      account_index: 2,
      address: savings,
      outputs: 3,
      subaddr_indices_all: true,
      get_tx_metadata: true,
      do_not_relay: true,
    });
    for (const hex of made.tx_metadata_list) await twins.ours.rpc('relay_tx', { hex });
    const { pending } = await twins.ours.rpc('get_transfers', { pending: true, account_index: 2 });
    expect((pending as Loose[]).map(({ txid }) => txid as string)).toEqual(made.tx_hash_list);
    expect(sum((pending as Loose[]).map(({ amount }) => amount as number))).toBe(sum(made.amount_list));
    await twins.mine(1);
    expect((await twins.ours.rpc('get_balance', { account_index: 2 })).balance).toBe(0);
    await expectSameBooks();
  });
});

describe('a fee subtracted from destinations', () => {
  it('is divided equally among those named, to the last unit, in both', async () => {
    const destinations = [
      { amount: XMR, address: till },
      { amount: 2 * XMR, address: shop },
      { amount: 3 * XMR + 1, address: shop },
    ];
    const made = await twins.ours.rpc('transfer', { destinations, subtract_fee_from_outputs: [2, 0, 2] });
    const [first, second, third] = made.amounts_by_dest.amounts as number[];
    expect(second).toBe(2 * XMR);
    const shares = [XMR - (first ?? 0), 3 * XMR + 1 - (third ?? 0)];
    expect(sum(shares)).toBe(made.fee);
    expect(shares).toEqual([Math.ceil(made.fee / 2), Math.floor(made.fee / 2)]);
    expect(made.amount).toBe(6 * XMR + 1 - made.fee);
    const { pending } = await twins.ours.rpc('get_transfers', { pending: true });
    expect(pending[0]).toMatchObject({ txid: made.tx_hash, amount: made.amount, fee: made.fee });
    expect(pending[0].destinations.map(({ amount }: Loose) => amount as number)).toEqual([
      first,
      second,
      third,
    ]);
    await twins.mine(1);
    expect(await receivedIn(made.tx_hash, 1)).toEqual([first]);
    expect((await receivedIn(made.tx_hash, 2)).sort()).toEqual([second, third].sort());
    await expectSameBooks();
  });

  it('allows an account to be emptied', async () => {
    await twins.mine(10);
    const { unlocked_balance } = await twins.ours.rpc('get_balance', { account_index: 2 });
    const made = await twins.ours.rpc('transfer', {
      account_index: 2,
      destinations: [{ amount: unlocked_balance, address: till }],
      subtract_fee_from_outputs: [0],
    });
    expect(made.amount).toBe(unlocked_balance - made.fee);
    await twins.mine(1);
    expect((await twins.ours.rpc('get_balance', { account_index: 2 })).balance).toBe(0);
    await expectSameBooks();
  });

  it.each<[string, Loose, number]>([
    ['from an unknown destination', { destinations: [{ amount: XMR }], subtract_fee_from_outputs: [1] }, -4],
    [
      'beyond what its payee receives',
      { destinations: [{ amount: 1000 }], subtract_fee_from_outputs: [0] },
      -16,
    ],
    [
      'that leaves one payee nothing',
      { destinations: [{ amount: 1000 }, { amount: XMR }], subtract_fee_from_outputs: [0, 1] },
      -46,
    ],
    [
      'of more payees than a transaction has',
      { destinations: Array.from({ length: 16 }, () => ({ amount: XMR })), subtract_fee_from_outputs: [0] },
      -4,
    ],
  ])('%s is refused', async (_, { destinations, ...order }, code) => {
    const { error } = await twins.ours.call('transfer', {
      ...order,
      destinations: destinations.map(({ amount }: Loose) => ({ amount: amount as number, address: till })),
    });
    expect(error?.code).toBe(code);
  });
});

describeAtNight('an account that others paid dust', () => {
  const account_index = 3;
  /** Tries a sweep. @returns amounts with fees, or the error. */
  const swept = async (wallet: WalletRpc, order: Loose = {}): Promise<Loose> => {
    const { result, error }: Loose = await wallet.call('sweep_all', {
      ...{ account_index, address: till, do_not_relay: true },
      ...order,
    });
    return result === undefined ? error : sum(result.amount_list) + sum(result.fee_list);
  };

  beforeAll(async () => {
    const made: string[] = [];
    for (const wallet of [twins.ours, twins.theirs]) {
      await wallet.rpc('create_account', { label: 'dusty' });
      for (const label of ['money', 'dust', 'more dust'])
        made.push((await wallet.rpc('create_address', { account_index, label })).address);
    }
    const [money, ...dust] = made;
    await twins.ours.rpc('transfer', {
      destinations: [
        { amount: XMR, address: money },
        ...dust.slice(0, 2).map((address) => ({ amount: 1000, address })),
      ],
    });
    await twins.mine(11);
  });

  it('is swept by the address that can pay for itself, however often it is tried, as by the reference', async () => {
    const below_amount = 2 * XMR;
    for (let attempt = 0; attempt < 8; attempt++)
      expect(await swept(twins.ours, attempt % 2 === 0 ? {} : { below_amount })).toBe(XMR);
    for (const order of [{}, { below_amount }, {}]) expect(await swept(twins.theirs, order)).toBe(XMR);
  });

  it('has nothing to sweep once only dust is left, in the words of the reference', async () => {
    expect(await swept(twins.ours, { do_not_relay: false })).toBe(XMR);
    await twins.mine(1);
    for (const order of [
      {},
      { subaddr_indices_all: true },
      { subaddr_indices: [2, 3] },
      { below_amount: XMR },
    ]) {
      const [own, other] = [await swept(twins.ours, order), await swept(twins.theirs, order)];
      expect([own.code, own.message]).toEqual([other.code, other.message]);
    }
  });
});

describe('sweeps are refused', () => {
  const address = '4'.padEnd(95, '1');
  sideBySide(
    [
      step('sweep_dust', 'no dust'),
      refusal('sweep_all', 'without an address', {}, -2),
      refusal('sweep_all', 'to no address', { address }, -2),
      refusal('sweep_single', 'to no address', { address, key_image: '00'.repeat(32) }, -2),
    ],
    () => [twins.ours, twins.theirs],
  );

  it.each<[string, string, Loose, number]>([
    ['sweep_all', 'in no outputs', { outputs: 0 }, -16],
    ['sweep_all', 'in more than a transaction has', { outputs: 17 }, -4],
    ['sweep_all', 'with a payment id beside', { payment_id: '00'.repeat(8) }, -5],
    ['sweep_all', 'below what anything holds', { below_amount: 1 }, -4],
    ['sweep_all', 'from an account of nothing', { account_index: 2 }, -4],
    ['sweep_all', 'from an address of nothing', { subaddr_indices: [7] }, -4],
    ['sweep_all', 'from an account that is not', { account_index: 99 }, -4],
    ['sweep_single', 'in no outputs', { outputs: 0 }, -16],
    ['sweep_single', 'of a key image that is none', { key_image: 'zz' }, -10],
    ['sweep_single', 'of no key image', {}, -10],
    ['sweep_single', 'of an unknown output', { key_image: '02'.repeat(32) }, -1],
  ])('%s %s, in both', async (method, _, order, code) => {
    for (const wallet of [twins.ours, twins.theirs]) {
      const { error } = await wallet.call(method, { address: till, ...order });
      expect(error?.code).toBe(code);
    }
  });

  it.each<[string, Loose]>([
    ['an account of nothing', { account_index: 2 }],
    ['one address of it', { account_index: 2, subaddr_indices: [0] }],
    ['an address of it that is not', { account_index: 2, subaddr_indices: [7] }],
    ['all addresses of it', { account_index: 2, subaddr_indices_all: true }],
    ['an account that is not', { account_index: 99, subaddr_indices: [1, 2] }],
    ['an address of nothing in an account with money', { subaddr_indices: [7] }],
  ])('sweep_all from %s, in the words of the reference', async (_, order) => {
    const [own, other] = await Promise.all(
      [twins.ours, twins.theirs].map((wallet) => wallet.call('sweep_all', { address: till, ...order })),
    );
    expect(own?.error).toMatchObject({ code: -4, message: other?.error?.message });
  });
});
