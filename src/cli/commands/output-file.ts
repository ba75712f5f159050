import { randomBytes } from 'node:crypto';
import { realpathSync, statSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { DRAFT_SUFFIX, syncDirectoryAsync } from '../../store/file/file-draft.js';
import { withFileErrors, withFileErrorsAsync } from '../../store/file/file-errors.js';
import { ConfigError } from '../config/config-error.js';

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
export async function writeToStandardOutput(content: Content): Promise<void> {
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
