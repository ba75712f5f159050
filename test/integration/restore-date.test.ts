import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Loose } from '../support/network/json-rpc.js';
import { startCrowd, type Crowd } from '../support/wallets/wallet-crowd.js';

/* restore_date, the first day of a wallet, in place of restore_height. */

const NAME = 'shop';
let crowd: Crowd;
let seed: string;
let viewkey: string;

const today = (): string => new Date().toISOString().slice(0, 10);

beforeAll(async () => {
  crowd = await startCrowd([NAME]);
  seed = ((await crowd.at(NAME).rpc('query_key', { key_type: 'mnemonic' })) as Loose).key;
  viewkey = ((await crowd.at(NAME).rpc('query_key', { key_type: 'view_key' })) as Loose).key;
});
afterAll(() => crowd?.stop());

const balanceOf = async (name: string): Promise<Loose> => {
  await crowd.at(name).rpc('refresh');
  return (await crowd.at(name).rpc('get_balance')).balance;
};

describe('a wallet restored from a date', () => {
  it('finds what its seed received on that day', async () => {
    await crowd.at('from seed').rpc('restore_deterministic_wallet', { seed, restore_date: today() });
    expect(await balanceOf('from seed')).toBe(await balanceOf(NAME));
  });

  it('finds what its keys received on that day', async () => {
    const params = { address: crowd.address(NAME), viewkey, restore_date: today() };
    await crowd.at('from keys').rpc('generate_from_keys', params);
    expect(await balanceOf('from keys')).toBe(await balanceOf(NAME));
  });

  it.each([
    ['that is none', { restore_date: '2026-02-30' }, 'YYYY-MM-DD'],
    ['in the future', { restore_date: '9999-01-01' }, 'in the future'],
    ['beside a height', { restore_date: '2026-01-01', restore_height: 5 }, 'exclude each other'],
  ])('is refused for a date %s, and nothing is created', async (_, params, reason) => {
    const { error } = await crowd.at('refused').call('restore_deterministic_wallet', { seed, ...params });
    expect(JSON.stringify(error)).toContain(reason);
    const { wallets } = await crowd.at(NAME).rpc('list_wallets');
    expect((wallets as Loose[]).map(({ name }) => name)).not.toContain('refused');
  });
});
