import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, test } from '@jest/globals';
import { createWallet } from '../support/wallets/create-wallet.js';
import { post, type Loose } from '../support/network/json-rpc.js';
import {
  BLOCK_SECONDS,
  HISTORY_START,
  PAID_ADDRESSES,
  storeLargeHistory,
} from '../support/wallets/large-history.js';
import { MAIN, startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';
import { isNight, itAtNight, someRows } from '../support/jest/lanes.js';

/* export_payments and `wallet-rpc export` of a wallet with 20,000 payments at night, with 2,000 otherwise; Python's module csv reads the CSV. */

const run = promisify(execFile);
const PASSWORD = 'an accountant does not need it';
const BLOCKS = isNight ? 18_180 : 1_820;
/** One payment in each block, one of the wallet in each tenth, and one each in the pool, pending and failed. */
const ROWS = BLOCKS + BLOCKS / 10 + 3;
const EVER = { from: 0, to: '9999-01-01' };
const FORMULA = '=cmd|"/c calc"!A1;+1';

let server: WalletRpc;
let directory: string;
let passwordFile: string;
/** Payments of the JSON, and their amounts with all digits: one exceeds the safe integers. */
let payments: Loose[];
let amounts: string[];
let csv: string;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'export-'));
  passwordFile = join(directory, 'password');
  writeFileSync(passwordFile, `${PASSWORD}\n`);
  const first = await startWalletRpc();
  await createWallet(first, 'large', PASSWORD);
  await first.rpc('create_address', { account_index: 0, count: PAID_ADDRESSES - 1, label: 'shop, "main"' });
  const { address } = await first.rpc('create_payment_request', { label: FORMULA, reference: '-4711' });
  expect((await first.rpc('get_address_index', { address })).index.minor).toBe(PAID_ADDRESSES);
  await first.stop({ keep: true });
  await storeLargeHistory(first.walletDir, 'large', { password: PASSWORD, blocks: BLOCKS });
  server = await startWalletRpc({ walletDir: first.walletDir });
  await server.rpc('open_wallet', { filename: 'large', password: PASSWORD });
  const call = { jsonrpc: '2.0', id: '0', method: 'export_payments', params: EVER };
  const { text } = await post(server.port, '/json_rpc', call);
  ({ payments } = JSON.parse(text).result);
  const row = /"amount":(\d+),"destinations":\[.*?\],"direction"/g;
  amounts = [...text.matchAll(row)].map(([, digits = '']) => digits);
  ({ csv } = await server.rpc('export_payments', { ...EVER, format: 'csv' }));
});

afterAll(async () => {
  await server?.stop({ keep: false });
  if (server !== undefined) rmSync(server.walletDir, { recursive: true, force: true });
  rmSync(directory, { recursive: true, force: true });
});

/** Records of a CSV text, as Python reads them. */
async function pythonRecords(csv: string): Promise<Record<string, string>[]> {
  const path = join(directory, 'read.csv');
  writeFileSync(path, csv);
  const script =
    'import csv,json,sys; print(json.dumps(list(csv.DictReader(open(sys.argv[1], newline="", encoding="utf-8"), strict=True))))';
  const { stdout } = await run('python3', ['-c', script, path], { maxBuffer: 1 << 28 });
  return JSON.parse(stdout) as Record<string, string>[];
}

/** Runs `wallet-rpc export` of the wallet. */
const command = (...args: string[]) =>
  run(
    process.execPath,
    [
      ...[MAIN, 'export', 'large', `--wallet-dir=${server.walletDir}`, `--password-file=${passwordFile}`],
      ...args,
    ],
    { maxBuffer: 1 << 28 },
  );

const EVER_ARGS = ['--from=0', '--to=9999-01-01'];

describe('the export of thousands of payments', () => {
  it('has the payments of get_transfers as JSON', async () => {
    const lists = await server.rpc('get_transfers', {
      ...{ in: true, out: true, pending: true, failed: true, all_accounts: true },
    });
    const factsOf = (entry: Loose): unknown => {
      const isIncoming = entry.type === 'in';
      return [
        ...[entry.timestamp, entry.height, entry.txid, isIncoming ? 'in' : 'out'],
        ...[
          isIncoming ? entry.amount : 'by the outputs',
          isIncoming ? 0 : entry.fee,
          isIncoming ? entry.address : '',
          entry.destinations ?? [],
        ],
      ];
    };
    const exported = payments
      .filter(({ state }) => state !== 'pool')
      .map((row) => [
        ...[row.timestamp, row.height, row.tx_hash, row.direction],
        // The history of this wallet has no outputs of change, so that outgoing amounts of the export contain it.
        ...[row.direction === 'in' ? row.amount : 'by the outputs', row.fee, row.address, row.destinations],
      ]);
    const sorted = (rows: readonly unknown[]): string[] => rows.map((row) => JSON.stringify(row)).sort();
    expect(payments).toHaveLength(ROWS);
    expect(sorted(exported)).toEqual(
      sorted([lists.in, lists.out, lists.pending, lists.failed].flat().map(factsOf)),
    );
  });

  itAtNight('has the same payments as CSV, which another program reads', async () => {
    const records = await pythonRecords(csv);
    expect(records).toHaveLength(ROWS);
    expect(records.map(({ amount_atomic }) => amount_atomic)).toEqual(amounts);
    const shown = payments.map((row) => ({
      time: new Date(1000 * row.timestamp).toISOString().replace('.000', ''),
      height: row.state === 'mined' ? String(row.height) : '',
      ...{ tx_hash: row.tx_hash, direction: row.direction, state: row.state },
      address: row.address || row.destinations.map((to: Loose) => to.address).join(' '),
      label: row.label.startsWith('=') ? `'${row.label.replace(';+', ";'+")}` : row.label,
      reference: row.reference.startsWith('-') ? `'${row.reference}` : row.reference,
      fee_atomic: String(row.fee),
    }));
    expect(records).toMatchObject(shown);
    for (const record of records)
      for (const name of ['amount', 'fee'])
        expect((record[`${name}_xmr`] as string).replace('.', '').replace(/^0+(?=\d)/, '')).toBe(
          record[`${name}_atomic`],
        );
  });

  it('has the mined payments in the forms for books, with the sum of the rows', async () => {
    const mined = payments.filter(({ state }) => state === 'mined');
    const { ledger, ...rest } = await server.rpc('export_payments', { ...EVER, format: 'ledger' });
    expect(rest).toEqual({ payments: [], synced: expect.any(Boolean) });
    const entries = (ledger as string).split('\n\n').slice(0, -1);
    expect(entries).toHaveLength(new Set(mined.map((row) => row.tx_hash as string)).size);
    for (const format of ['koinly', 'cointracking', 'journal']) {
      const { csv: text } = await server.rpc('export_payments', { ...EVER, format });
      for (const { tx_hash } of mined) expect(text).toContain(tx_hash);
    }
  });

  it('names the label and the reference of a payment request', async () => {
    const named = payments.filter(({ reference }) => reference !== '');
    expect(named).toHaveLength(Math.floor(BLOCKS / PAID_ADDRESSES));
    expect(new Set(named.map(({ label, reference }) => `${label} ${reference}`))).toEqual(
      new Set([`${FORMULA} -4711`]),
    );
  });

  itAtNight('answers other calls meanwhile', async () => {
    const order: string[] = [];
    await Promise.all([
      server.rpc('export_payments', EVER).then(() => order.push('export')),
      server.rpc('get_version').then(() => order.push('version')),
    ]);
    expect(order).toEqual(['version', 'export']);
  });
});

describe('the period of an export', () => {
  it('begins with its first time and ends before its last one', async () => {
    const third = HISTORY_START + 3 * BLOCK_SECONDS;
    const heights = async (from: number | string, to: number | string): Promise<number[]> =>
      (await server.rpc('export_payments', { from, to })).payments.map(({ height }: Loose) => height);
    expect(await heights(third, third + 1)).toEqual([3]);
    expect(await heights(third - BLOCK_SECONDS, third)).toEqual([2]);
    expect(await heights('2026-01-01', '2026-01-01T00:04:00Z')).toEqual([0, 0, 1]);
    expect(await heights('2026-01-01T01:04:00+01:00', String(third))).toEqual([2]);
  });

  it('without payments has an empty list, or a record with the names of the columns alone', async () => {
    const none = { from: 0, to: '2020-01-01' };
    expect(await server.rpc('export_payments', none)).toEqual({ payments: [], synced: expect.any(Boolean) });
    expect((await server.rpc('export_payments', { ...none, format: 'csv' })).csv).toBe(
      'time,height,tx_hash,address,label,reference,amount_xmr,amount_atomic,fee_xmr,fee_atomic,direction,state,idempotency_key,account_index,payout_ids\r\n',
    );
  });

  test.each([
    ['its first time', { to: 5 }, -32_602, /from: /],
    ['its last time', { from: 5 }, -32_602, /to: /],
    [
      'a time without its offset',
      { from: '2026-01-01T00:00:00', to: 5 },
      -32_602,
      /from: expected Unix seconds/,
    ],
    ['a date without hyphens', { from: 0, to: '20260101' }, -32_602, /to: expected Unix seconds/],
    ['an end at its beginning', { from: 5, to: 5 }, -1, /from is not before to/],
    ['an unknown form', { ...EVER, format: 'xml' }, -32_602, /format: /],
    ['a missing account', { ...EVER, account_index: 9 }, -14, /account/i],
  ])('is refused with %s', async (_, params, code, explanation) => {
    const { error } = await server.call('export_payments', params);
    expect(`${error?.message} ${error?.data?.explanation}`).toMatch(explanation);
    expect(error?.code).toBe(code);
  });
});

describe('wallet-rpc export', () => {
  itAtNight('prints the CSV of the server, which has the wallet open', async () => {
    const { stdout, stderr } = await command(...EVER_ARGS);
    expect(stdout).toBe(csv);
    expect(stderr).toContain(`large: ${ROWS} payments exported, from a wallet that knows ${BLOCKS} blocks`);
  });

  itAtNight('prints the JSON of the server', async () => {
    const { stdout } = await command(...EVER_ARGS, '--format=json', '--account=0');
    expect(JSON.parse(stdout)).toEqual({ payments });
  });

  itAtNight('prints the text of the server for books, and counts mined payments', async () => {
    const { ledger } = await server.rpc('export_payments', { ...EVER, format: 'ledger' });
    const { stdout, stderr } = await command(...EVER_ARGS, '--format=ledger');
    expect(stdout).toBe(ledger);
    const mined = payments.filter(({ state }) => state === 'mined').length;
    expect(stderr).toContain(`large: ${mined} payments exported`);
  });

  it('writes a file for its owner alone, in place of an earlier one', async () => {
    const output = join(directory, 'january.csv');
    writeFileSync(output, 'old', { mode: 0o644 });
    await command('--from=2026-01-01', `--to=2026-01-${isNight ? 20 : '03'}`, `--output=${output}`);
    const text = readFileSync(output, 'utf8');
    expect(text.split('\r\n').length).toBeGreaterThan(1000);
    expect(text.endsWith('mined,,0,\r\n')).toBe(true);
    expect(statSync(output).mode & 0o777).toBe(0o600);
    expect(readdirSync(directory).filter((name) => name.startsWith('january'))).toEqual(['january.csv']);
  });

  test.each(
    someRows([
      ['a wrong password', ['--password-file=/dev/null'], /invalid password/],
      ['a missing account', ['--account=9'], /account/i],
      ['a malformed time', ['--from=yesterday'], /--from takes Unix seconds/],
      ['an end before the beginning', ['--to=0'], /--from is not before --to/],
      ['an unknown form', ['--format=xml'], /Allowed choices are csv, json/],
    ]),
  )('with %s leaves an earlier file as it is', async (_, args, reason) => {
    const output = join(directory, 'kept.csv');
    writeFileSync(output, 'kept');
    const ended = command(...EVER_ARGS, `--output=${output}`, ...args);
    await expect(ended).rejects.toMatchObject({ code: 1, stderr: expect.stringMatching(reason) });
    expect(readFileSync(output, 'utf8')).toBe('kept');
  });

  itAtNight('replaces no file of the wallet directory', async () => {
    const ended = command(...EVER_ARGS, `--output=${join(server.walletDir, 'large')}`);
    await expect(ended).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('must not lie in the directory of the wallets'),
    });
    expect((await server.rpc('get_height')).height).toBe(BLOCKS);
  });

  itAtNight('takes no password on the command line', async () => {
    const ended = command(...EVER_ARGS, `--password=${PASSWORD}`);
    await expect(ended).rejects.toMatchObject({ code: 1, stderr: expect.not.stringContaining(PASSWORD) });
  });
});
