import { syncDirectoryAsync, DRAFT_SUFFIX } from '../../store/file/file-draft.js';
import { randomBytes } from 'node:crypto';
import { realpathSync, statSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { withFileErrors, withFileErrorsAsync } from '../../store/file/file-errors.js';
import { ConfigError } from '../config/config-values.js';
import { Command, Option } from 'commander';
import { JsonRows, writeRows, StreamedJson } from '../../http/calls/json-rows.js';
import {
  EXPORT_FORMATS,
  exportRow,
  exportText,
  isExported,
  type ExportFormat,
} from '../../rpc/wire/payment-export.js';
import { exportClosedWallet } from '../../services/manager/closed-wallets.js';
import { WalletDirectory } from '../../services/context/wallet-directory.js';
import type { ExportedPayment } from '../../services/history/payment-export.js';
import { utf8 } from '../../util/bytes.js';
import { readInstant } from '../../util/clock.js';
import { JsonWriter } from '../../util/json-writer.js';
import { mapPages, type Paged } from '../../util/paged.js';
import type { Terminal } from './credential-command.js';
import { accessOf, withAccess, type AccessOptions } from './wallet-access.js';

/** Content of a file in pages of pieces. */
export type Content = AsyncIterable<readonly Uint8Array[]>;

/** Number of random bytes in the name of a draft: two commands that write one file have different drafts. */
const NAME_BYTES = 6;

/**
 * Returns the path of the file to write, where its directory exists. Follows symbolic links.
 * @param apart directory in which no file may be replaced. @throws ConfigError, WalletError `wallet_io`
 */
function targetOf(path: string, apart: string): string {
  const given = resolve(path);
  const stat = withFileErrors(path, () => statSync(given, { throwIfNoEntry: false }));
  if (stat !== undefined && !stat.isFile()) throw new ConfigError(`--output: ${path} is not a regular file`);
  const target = withFileErrors(path, () =>
    stat === undefined ? join(realpathSync(dirname(given)), basename(given)) : realpathSync(given),
  );
  if (dirname(target) === withFileErrors(apart, () => realpathSync(apart)))
    throw new ConfigError('--output: the file must not lie in the directory of the wallets');
  return target;
}

/**
 * Writes a file of which a part never appears: it gets its name when it is complete and on disk, and replaces a file
 * with this name. Only its owner may read it.
 * @param apart directory in which no file may be replaced.
 * @throws ConfigError, WalletError `wallet_io`, and the errors of the content; then an existing file is unchanged.
 */
export async function writeOutputFile(path: string, apart: string, content: Content): Promise<void> {
  const target = targetOf(path, apart);
  const draft = `${target}.${randomBytes(NAME_BYTES).toString('hex')}${DRAFT_SUFFIX}`;
  try {
    const file = await withFileErrorsAsync(path, () => open(draft, 'wx', 0o600));
    try {
      for await (const pieces of content)
        for (const piece of pieces) await withFileErrorsAsync(path, () => file.writeFile(piece));
      await withFileErrorsAsync(path, () => file.sync());
    } finally {
      await file.close();
    }
    await withFileErrorsAsync(path, async () => {
      await rename(draft, target);
      await syncDirectoryAsync(dirname(target));
    });
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined);
    throw error;
  }
}

/** Writes to standard output, as fast as it is read. @throws ConfigError if its reader is gone. */
async function writeToStandardOutput(content: Content): Promise<void> {
  const { stdout } = process;
  for await (const pieces of content)
    for (const piece of pieces)
      await new Promise<void>((done, fail) => {
        stdout.write(piece, (cause) => {
          if (cause) fail(new ConfigError('standard output cannot be written', { cause }));
          else done();
        });
      });
}

interface ExportOptions extends AccessOptions {
  readonly walletDir: string;
  readonly from: string;
  readonly to: string;
  readonly format: ExportFormat;
  readonly account?: string;
  readonly output?: string;
}

const MOST_ACCOUNTS = 2 ** 32;

/** Parses a time. @throws ConfigError */
function readTime(option: string, text: string): number {
  const time = readInstant(text);
  if (time === undefined)
    throw new ConfigError(
      `${option} takes Unix seconds, a date such as 2026-01-31, or a time such as 2026-01-31T12:00:00Z`,
    );
  return time;
}

/** Parses the number of an account. @throws ConfigError */
function readAccount(text: string): number {
  const account = /^\d{1,10}$/.test(text) ? Number(text) : MOST_ACCOUNTS;
  if (account >= MOST_ACCOUNTS) throw new ConfigError('--account takes the number of an account');
  return account;
}

/** Counts payments as they pass. */
async function* counted(
  pages: AsyncIterable<readonly ExportedPayment[]>,
  count: (payments: readonly ExportedPayment[]) => void,
): AsyncGenerator<readonly ExportedPayment[]> {
  for await (const page of pages) {
    count(page);
    yield page;
  }
}

async function* textContent(
  format: Exclude<ExportFormat, 'json'>,
  { pages, release }: Paged<readonly ExportedPayment[]>,
): AsyncGenerator<Uint8Array[]> {
  try {
    for await (const text of exportText(format, pages)) yield [utf8(text)];
  } finally {
    release();
  }
}

/** Writes the object that `export_payments` returns, without the state of the synchronisation. */
async function* jsonContent({
  pages,
  release,
}: Paged<readonly ExportedPayment[]>): AsyncGenerator<readonly Uint8Array[]> {
  const payments = JsonRows.of({ pages: mapPages(pages, exportRow), release });
  const result = await writeRows({ payments }, undefined, { emptyLists: true });
  if (result instanceof StreamedJson) yield* result;
  else yield new JsonWriter().value(result).pieces();
  yield [utf8('\n')];
}

async function exportPayments(name: string, options: ExportOptions, { hint }: Terminal): Promise<void> {
  const [from, to] = [readTime('--from', options.from), readTime('--to', options.to)];
  if (from >= to) throw new ConfigError('--from is not before --to');
  const account = options.account === undefined ? {} : { account: readAccount(options.account) };
  const { output, walletDir, format } = options;
  const paths = new WalletDirectory(walletDir).locate(name);
  let number = 0;
  const count = (page: readonly ExportedPayment[]): void => {
    number += page.filter((payment) => isExported(format, payment)).length;
  };
  const height = await exportClosedWallet(
    paths,
    await accessOf(options, { wallet: paths }),
    { from, to, ...account },
    ({ pages, release }) => {
      const payments = { pages: counted(pages, count), release };
      const content: Content = format === 'json' ? jsonContent(payments) : textContent(format, payments);
      return output === undefined
        ? writeToStandardOutput(content)
        : writeOutputFile(output, walletDir, content);
    },
  );
  hint(`${name}: ${number} payments exported, from a wallet that knows ${height} blocks`);
}

/** Creates the command `wallet-rpc export`. */
export const exportCommand = (terminal: Terminal): Command =>
  withAccess(new Command('wallet-rpc export'))
    .description('Writes all payments of a period, for accounting. A server may have the wallet open.')
    .argument('<name>', 'name of the wallet')
    .requiredOption('--wallet-dir <dir>', 'directory of the wallet')
    .requiredOption(
      '--from <time>',
      'earliest time: Unix seconds, a date (00:00 UTC), or a time with its offset',
    )
    .requiredOption('--to <time>', 'time before which exported payments lie, in the same forms')
    .addOption(new Option('--format <format>', 'form of the output').choices(EXPORT_FORMATS).default('csv'))
    .option('--account <n>', 'number of the account (default: all accounts)')
    .option('--output <file>', 'file to write or replace, once it is complete (default: standard output)')
    .action((name: string, options: ExportOptions) => exportPayments(name, options, terminal));
