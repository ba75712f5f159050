import { afterAll, expect, it, test } from '@jest/globals';
import { openDatabase } from '../../../src/store/file/database.js';
import { NEW_CIPHER } from '../../../src/store/file/store-cipher.js';
import { AddressOutputReader } from '../../../src/store/tables/address-outputs.js';
import { SpendableOutputReader } from '../../../src/store/tables/spendable-outputs.js';
import { executedSql, planOf } from '../../support/wallets/executed-sql.js';
import { PaymentReader } from '../../../src/store/tables/payments.js';

const db = openDatabase(':memory:', { key: new Uint8Array(32), cipher: NEW_CIPHER });
afterAll(() => {
  db.close();
});

/** Steps by which SQLite reads outputs. */
const outputSteps = (sql: string): string[] =>
  planOf(db, sql).filter((detail) => /^(SEARCH|SCAN) (o|owned_output)\b/.test(detail));

const ofAddress = executedSql((listening) => new SpendableOutputReader(listening)).filter(
  (sql) => sql.includes('minor = :minor') && !sql.includes('INDEXED BY owned_output_by_age'),
);

it('has five queries of the spendable outputs of one address by amount', () => {
  expect(ofAddress).toHaveLength(5);
});

test.each(ofAddress)('reads the spendable outputs of one address from their index: %s', (sql) => {
  const [step, ...others] = outputSteps(sql);
  expect(others).toEqual([]);
  expect(step).toMatch(
    /^SEARCH owned_output USING (COVERING )?INDEX owned_output_by_size \(minor=\? AND account=\?/,
  );
});

it('reads outputs that are worth less than their fee from the index of addresses', () => {
  const [exceptions = ''] = executedSql((listening) => new SpendableOutputReader(listening)).filter((sql) =>
    sql.includes('amount < :least'),
  );
  expect(outputSteps(exceptions)).toContain(
    'SEARCH owned_output USING INDEX owned_output_by_size (minor=? AND account=? AND amount<?)',
  );
});

test.each(
  executedSql((listening) => new AddressOutputReader(listening)).filter((sql) => sql.includes('minor = ?')),
)('reads the outputs of an address in order from their index, from any of them on: %s', (sql) => {
  expect(planOf(db, sql)).toEqual([
    expect.stringMatching(
      /^SEARCH owned_output USING (COVERING )?INDEX owned_output_by_place \(minor=\? AND account=\? AND change=\? AND \(height,global_index\)>\(\?,\?\) AND height<\?\)$/,
    ),
  ]);
});

test.each(
  executedSql((listening) => new PaymentReader(listening)).filter((sql) =>
    sql.includes('(t.height, t.tx_hash) >'),
  ),
)('reads lists of payments in order, what they need of transactions from an index: %s', (sql) => {
  const [first = '', second = ''] = planOf(db, sql);
  expect(first).toMatch(/^SEARCH t USING COVERING INDEX received_tx_height \(/);
  expect(second).toMatch(/^SEARCH o USING (COVERING )?INDEX sqlite_autoindex_owned_output_1 \(tx_hash=\?\)/);
});
