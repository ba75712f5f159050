import { fileURLToPath } from 'node:url';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Hash, KeyImage, PublicKey } from '../../../src/monero/crypto/types.js';
import { openDatabase } from '../../../src/store/file/database.js';
import { NEW_CIPHER } from '../../../src/store/file/store-cipher.js';
import { WalletReader } from '../../../src/store/wallet-reader.js';
import { WalletWriter } from '../../../src/store/wallet-writer.js';
import { amount } from '../../../src/util/amount.js';
import { migrate } from '../../../src/util/sql-database.js';
import { UNDO_PAYMENT_REQUESTS } from '../../support/wallets/undo-migrations.js';
import type { OwnedOutput, ReceivedTx } from '../../../src/monero/wallet/scan/findings.js';
import { clearChain } from '../../support/chain/cleared-chain.js';
import { randomRuns } from '../../support/fakes/random-runs.js';

const MIGRATIONS = fileURLToPath(new URL('../../../../migrations', import.meta.url));

/** A store in memory whose schema can be changed. */
class OpenStore {
  readonly #db = openDatabase(':memory:', { key: new Uint8Array(32), cipher: NEW_CIPHER });
  readonly #reader = new WalletReader(this.#db);
  readonly #writer = new WalletWriter(this.#db);

  read<T>(task: (r: WalletReader) => T): T {
    return task(this.#reader);
  }

  write(task: (w: WalletWriter) => void): void {
    this.#db.transaction(() => task(this.#writer)).immediate();
  }

  /** Makes the schema that version 23 had, and runs the later migrations. */
  migrateFrom23(): void {
    this.#db.exec(`
      DROP TABLE account_sum;
      DROP INDEX told_key_image_placed;
      DROP TRIGGER owned_output_changed_in_account;
      DROP TRIGGER owned_output_removed_from_account;
      DROP TABLE packed_subaddress;
      DROP INDEX order_tx_unsettled;
      ${['sent', 'rings', 'rival', 'settled', 'signing_set']
        .map((column) => `ALTER TABLE order_tx DROP COLUMN ${column};`)
        .join('')}
      DROP TRIGGER owned_output_unknown_spend;
      DROP TRIGGER owned_output_unknown_spend_removed;
      DROP TABLE reported_spend;
      DROP TABLE changed_spend;
      DROP INDEX told_key_image_owner;
      ALTER TABLE told_key_image DROP COLUMN placed;
      ALTER TABLE pool_tx DROP COLUMN needed_height;
      ${UNDO_PAYMENT_REQUESTS}
      DROP TABLE stage_range;
      CREATE INDEX event_range ON event (timestamp) WHERE type = 9;
      PRAGMA user_version = 23`);
    migrate(this.#db, MIGRATIONS);
  }

  close(): void {
    this.#db.close();
  }
}

let file = new OpenStore();
beforeEach(() => {
  file.close();
  file = new OpenStore();
});
afterAll(() => file.close());

const named = <T>(kind: number, n: number): T => new Uint8Array(32).fill(kind).fill(n, 0, 1) as T;

const tx = (n: number): ReceivedTx => ({
  txHash: named<Hash>(1, n),
  height: 10 + n,
  timestamp: 0,
  unlockTime: 0n,
  fee: amount(0n),
  coinbase: false,
  txPublicKey: named<PublicKey>(2, n),
  additionalPublicKeys: [],
});

/** Makes an unspent output. @param key output key; of several outputs on one key only one can be spent. */
const output = (n: number, key: number, value: bigint): OwnedOutput => ({
  txHash: named<Hash>(1, n),
  outputIndex: 0,
  globalIndex: n,
  publicKey: named<PublicKey>(3, key),
  keyImage: named<KeyImage>(4, key),
  amount: amount(value),
  mask: 1n,
  rct: true,
  subaddress: { major: n % 2, minor: n % 3 },
  derivationKey: named<PublicKey>(2, n),
  height: 10 + n,
  unlockTime: n % 4 === 0 ? 500n : 0n,
  coinbase: false,
  change: false,
  burnt: false,
  frozen: false,
});

const outputNumber = fc.nat(11);
const operation = fc.oneof(
  fc.record({
    does: fc.constant('add' as const),
    n: outputNumber,
    key: fc.nat(7),
    value: fc.bigInt({ min: 1n, max: 2n ** 58n }),
  }),
  fc.record({ does: fc.constantFrom('freeze' as const, 'thaw' as const), n: outputNumber }),
  fc.record({
    does: fc.constantFrom('reserve' as const, 'release' as const, 'spend' as const),
    n: outputNumber,
  }),
  fc.record({
    does: fc.constantFrom('detach' as const, 'remove' as const, 'markUnspent' as const, 'undo' as const),
    n: outputNumber,
  }),
  fc.record({ does: fc.constant('migrate' as const), n: fc.constant(0) }),
);

type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never;

/** Thrown inside a transaction to roll it back. */
const UNDONE = new Error('undone');

function apply(operation: Operation): void {
  if (operation.does === 'migrate') {
    file.migrateFrom23();
    return;
  }
  file.write((w) => {
    const hash = named<Hash>(1, operation.n);
    const ref = { txHash: hash, outputIndex: 0 };
    const spender = named<Hash>(9, operation.n);
    const known = w.outputs.ofTx(hash)[0];
    switch (operation.does) {
      case 'add':
        if (known !== undefined) return;
        w.payments.add(tx(operation.n));
        w.outputs.add(output(operation.n, operation.key, operation.value));
        return;
      case 'freeze':
        w.outputs.setFrozen(ref, true);
        return;
      case 'thaw':
        w.outputs.setFrozen(ref, false);
        return;
      case 'reserve':
        if (known?.spentBy === undefined && known?.burnt === false) w.outputs.reserve([ref], spender);
        return;
      case 'release':
        w.outputs.release(spender);
        return;
      case 'spend':
        if (known?.keyImage !== undefined)
          w.outputs.markSpent({ keyImage: known.keyImage, txHash: spender, height: 40 + operation.n });
        return;
      case 'detach':
        w.detach(10 + operation.n);
        return;
      case 'remove':
        w.outputs.removeTx(hash);
        w.payments.remove(hash);
        return;
      case 'markUnspent':
        if (known !== undefined) w.outputs.markUnspent(known);
        return;
      case 'undo':
        w.detach(10 + operation.n);
        throw UNDONE;
    }
  });
}

/** Computes the same sums from the outputs. */
function counted(strict: boolean): { place: string; total: bigint; unspentCount: number }[] {
  const sums = new Map<string, { place: string; total: bigint; unspentCount: number; thawed: number }>();
  const all = file.read((r) =>
    Array.from({ length: 12 }, (_, n) => r.outputs.ofTx(named<Hash>(1, n))).flat(),
  );
  for (const { subaddress, burnt, frozen, spentBy, spentHeight, amount: value } of all) {
    if (burnt || (strict ? spentHeight : spentBy) !== undefined) continue;
    const place = `${subaddress.major}/${subaddress.minor}`;
    const sum = sums.get(place) ?? { place, total: 0n, unspentCount: 0, thawed: 0 };
    sums.set(place, {
      place,
      total: sum.total + (frozen ? 0n : value),
      unspentCount: sum.unspentCount + (spentBy === undefined ? 1 : 0),
      thawed: sum.thawed + (frozen ? 0 : 1),
    });
  }
  return [...sums.values()]
    .filter(({ thawed }) => thawed > 0)
    .map(({ place, total, unspentCount }) => ({ place, total, unspentCount }))
    .sort((a, b) => (a.place < b.place ? -1 : 1));
}

const summed = (strict: boolean, account?: number): ReturnType<typeof counted> =>
  file
    .read((r) => r.balances.ofAddresses({ strict, ...(account === undefined ? {} : { account }) }))
    .map(({ subaddress, total, unspentCount }) => ({
      place: `${subaddress.major}/${subaddress.minor}`,
      total,
      unspentCount,
    }))
    .sort((a, b) => (a.place < b.place ? -1 : 1));

/** Compares the sums of addresses and accounts with those of the outputs. */
function expectSumsOfOutputs(): void {
  for (const strict of [true, false]) {
    const addresses = counted(strict);
    expect(summed(strict)).toEqual(addresses);
    const accounts = file.read((r) => r.balances.ofAccounts({ strict }));
    for (const account of [0, 1]) {
      const total = addresses
        .filter(({ place }) => place.startsWith(`${account}/`))
        .reduce((sum, one) => sum + one.total, 0n);
      expect(file.read((r) => r.balances.ofAccount(account, strict))).toBe(total);
      expect(accounts.find((one) => one.account === account)?.total ?? 0n).toBe(total);
    }
  }
}

describe('sums of addresses and accounts', () => {
  test('equal the sums of their outputs after any changes', () => {
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 40 }), (operations) => {
        file.write((w) => clearChain(w, { hard: true }));
        for (const step of operations) {
          try {
            apply(step);
          } catch (error) {
            if (error !== UNDONE) throw error;
          }
          expectSumsOfOutputs();
        }
        expect(summed(true, 1)).toEqual(counted(true).filter(({ place }) => place.startsWith('1/')));
      }),
      { numRuns: randomRuns(150) },
    );
  });

  test('list young outputs, and those with an unlock time, as possibly locked', () => {
    for (let n = 0; n < 12; n++) apply({ does: 'add', n, key: n, value: 5n });
    const locked = (strict: boolean, youngHeight = 19): number[] =>
      file
        .read((r) => r.balances.maybeLocked({ strict, sinceHeight: 19, youngHeight }))
        .map(({ height }) => height)
        .sort((a, b) => a - b);
    expect(locked(true)).toEqual([10, 14, 18, 19, 20, 21]);
    expect(locked(true, 21)).toEqual([10, 14, 18, 21]);
    apply({ does: 'reserve', n: 0 });
    apply({ does: 'freeze', n: 4 });
    apply({ does: 'spend', n: 10 });
    expect(locked(true)).toEqual([10, 18, 19, 21]);
    expect(locked(false)).toEqual([18, 19, 21]);
  });
});
