import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Hash, KeyImage } from '../../../src/monero/crypto/types.js';
import { emptyRow, type AddressBalance } from '../../../src/services/accounts/balance-tally.js';
import { Balances } from '../../../src/services/accounts/balances.js';
import type { PagedBalance } from '../../../src/services/accounts/paged-balance.js';
import { amount } from '../../../src/util/amount.js';
import { bytes, output, page, received } from '../../store/fixtures.js';
import { clearChain } from '../../support/chain/cleared-chain.js';
import { TestWallet } from '../../support/wallets/test-wallet.js';
import { randomRuns } from '../../support/fakes/random-runs.js';

const BLOCKS = 120;
const NOW = 1_700_000_000;
const COINS = 2n ** 58n;

const place = fc.record({ major: fc.nat(1), minor: fc.nat(2) });
const value = fc.bigInt({ min: 1n, max: COINS });
const owned = fc.record({
  subaddress: place,
  value,
  height: fc.nat(BLOCKS - 1),
  unlockTime: fc.oneof(
    fc.constant(0n),
    fc.bigInt({ min: 1n, max: BigInt(BLOCKS + 30) }),
    fc.bigInt({ min: BigInt(NOW - 1000), max: BigInt(NOW + 1000) }),
  ),
  frozen: fc.boolean(),
  spent: fc.constantFrom('no' as const, 'no' as const, 'by unmined' as const, 'by mined' as const),
  change: value,
  paid: fc.option(fc.record({ to: place, value }), { nil: undefined }),
});
const incoming = fc.record({ subaddress: place, value });
const holdings = fc.record({
  outputs: fc.array(owned, { maxLength: 10 }),
  pool: fc.array(incoming, { maxLength: 4 }),
});

type Holdings = typeof holdings extends fc.Arbitrary<infer T> ? T : never;
type Owned = Holdings['outputs'][number];

/** Puts them into the store; each output of an unmined payment has a payment of its own. */
function store(wallet: TestWallet, { outputs, pool }: Holdings): void {
  wallet.store.write((w) => {
    clearChain(w, { hard: true });
    w.applyPage(
      page(0, BLOCKS, {
        received: outputs.map(({ height }, n) => received(n, height)),
        outputs: outputs.map(({ height, value: coins, subaddress, unlockTime }, n) =>
          output(n, height, coins, { subaddress, unlockTime }),
        ),
        spends: outputs.flatMap(({ spent }, n) =>
          spent === 'by mined'
            ? [{ keyImage: bytes<KeyImage>(100 + n), txHash: bytes<Hash>(200), height: BLOCKS - 1 }]
            : [],
        ),
      }),
    );
    outputs.forEach(({ frozen, spent, change, paid, subaddress, height, value: coins }, n) => {
      const own = output(n, height, coins);
      w.outputs.setFrozen(own, frozen);
      if (spent !== 'by unmined') return;
      const payment = {
        txHash: bytes<Hash>(210 + n),
        state: n % 2 === 0 ? ('prepared' as const) : ('pending' as const),
        account: subaddress.major,
        fromIndices: [subaddress.minor],
        amountIn: amount(coins),
        fee: amount(0n),
        change: amount(change),
        unlockTime: 0n,
        timestamp: 1,
        destinations:
          paid === undefined
            ? []
            : [{ address: wallet.accounts.address(paid.to), amount: amount(paid.value) }],
      };
      w.prepare(payment, [own], []);
    });
    pool.forEach(({ subaddress, value: coins }, n) =>
      w.pool.add({
        txHash: bytes<Hash>(230 + n),
        timestamp: 1,
        unlockTime: 0n,
        fee: amount(0n),
        doubleSpendSeen: false,
        outputs: [{ outputIndex: 0, amount: amount(coins), subaddress }],
      }),
    );
  });
}

/** Ten blocks deep, and the unlock time is not beyond the next block, or 120 s. Source: wallet2.cpp `is_transfer_unlocked`. */
const isOpen = ({ height, unlockTime }: Owned): boolean =>
  height + 10 <= BLOCKS && unlockTime <= (unlockTime < 500_000_000n ? BigInt(BLOCKS) : BigInt(NOW + 120));

/** The balance of one address, counted output by output. */
function counted(
  { outputs, pool }: Holdings,
  account: number,
  minor: number,
  strict: boolean,
): AddressBalance | undefined {
  const isHere = (at: { readonly major: number; readonly minor: number }): boolean =>
    at.major === account && at.minor === minor;
  const here = outputs.filter(({ subaddress }) => isHere(subaddress));
  const held = here.filter(
    ({ frozen, spent }) => !frozen && (spent === 'no' || (strict && spent !== 'by mined')),
  );
  const locked = held.filter((one) => !isOpen(one));
  const payments = strict
    ? []
    : outputs.filter(({ spent, subaddress }) => spent === 'by unmined' && subaddress.major === account);
  const arriving = [
    ...(minor === 0 ? payments.map(({ change }) => change) : []),
    ...payments.flatMap(({ paid }) => (paid !== undefined && isHere(paid.to) ? [paid.value] : [])),
    ...(strict ? [] : pool.filter(({ subaddress }) => isHere(subaddress)).map((one) => one.value)),
  ];
  if (held.length + arriving.length === 0) return undefined;
  const total = (coins: readonly bigint[]): bigint => coins.reduce((sum, one) => sum + one, 0n);
  const unconfirmed = total(arriving);
  const blocks = locked.map(
    ({ height, unlockTime }) =>
      Math.max(height + 10, unlockTime < 500_000_000n ? Number(unlockTime) : 0) - BLOCKS,
  );
  const seconds = locked.map(({ unlockTime }) => (unlockTime < 500_000_000n ? 0 : Number(unlockTime) - NOW));
  return {
    account,
    minor,
    total: amount(total(held.map((one) => one.value)) + unconfirmed),
    unconfirmed: amount(unconfirmed),
    unlocked: amount(total(held.filter(isOpen).map((one) => one.value))),
    unspentOutputs: held.length === 0 ? 0 : here.filter(({ spent }) => spent === 'no').length,
    blocksToUnlock: Math.max(0, ...blocks),
    secondsToUnlock: Math.max(0, ...seconds),
  };
}

/** Rows of a balance that is read in pages. */
async function rowsOf(balance: PagedBalance | undefined): Promise<AddressBalance[]> {
  const rows: AddressBalance[] = [];
  for await (const page of balance?.rows().pages ?? []) rows.push(...page);
  return rows;
}

describe('the balance of each address', () => {
  it('is what its outputs, unmined payments and the pool add up to, strict or not, of one account or all', async () => {
    const wallet = new TestWallet();
    wallet.watch(2, 3);
    wallet.time = NOW;
    const balances = new Balances(wallet, wallet);
    const paged = new Balances(wallet, wallet, -1);
    await fc.assert(
      fc.asyncProperty(
        holdings,
        fc.boolean(),
        fc.subarray([0, 1, 2], { minLength: 1 }),
        async (held, strict, minors) => {
          store(wallet, held);
          const expected = [0, 1].map((account) =>
            [0, 1, 2].flatMap((minor) => counted(held, account, minor, strict) ?? []),
          );
          for (const account of [0, 1]) {
            // A change of the store, so that no balance is cached.
            wallet.store.write((w) => w.meta.set('restore_height', String(account)));
            const selected = [...minors, ...minors];
            const rows = minors.map(
              (minor) => expected[account]?.find((at) => at.minor === minor) ?? emptyRow(account, minor),
            );
            const partial = balances.ofAddresses(account, selected, strict);
            const whole = balances.of(account, strict);
            expect(partial).toEqual({ ...whole, addresses: rows });
            expect(await rowsOf(paged.paged(account, strict, minors))).toEqual(rows);
            expect(balances.ofAddresses(account, selected, strict)).toEqual(partial);
          }
          const byAccount = balances.ofAccounts(strict);
          for (const account of [0, 1]) {
            const { total, unlocked } = balances.of(account, strict);
            expect(byAccount.get(account) ?? { total: 0n, unlocked: 0n }).toMatchObject({ total, unlocked });
            if (!strict) expect(balances.unlocked(account)).toBe(unlocked);
          }
          for (const account of [undefined, 0, 1]) {
            const addresses = account === undefined ? expected.flat() : (expected[account] ?? []);
            const { addresses: found, ...sums } = balances.of(account, strict);
            expect(found).toEqual(addresses);
            const inPages = paged.paged(account, strict);
            expect(inPages?.sums).toMatchObject(sums);
            expect(await rowsOf(inPages)).toEqual(addresses);
            expect(sums).toEqual({
              total: addresses.reduce((sum, { total }) => sum + total, 0n),
              unlocked: addresses.reduce((sum, { unlocked }) => sum + unlocked, 0n),
              blocksToUnlock: Math.max(0, ...addresses.map(({ blocksToUnlock }) => blocksToUnlock)),
              secondsToUnlock: Math.max(0, ...addresses.map(({ secondsToUnlock }) => secondsToUnlock)),
            });
          }
        },
      ),
      { numRuns: randomRuns(60) },
    );
    wallet.close();
  });
});
