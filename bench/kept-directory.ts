import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Makes a directory, or finds the one that an earlier run kept.
 * @param keep directory that keeps it for later runs; absent: a new one is made, and removed by `remove`.
 * @param make fills the empty directory.
 */
export async function keptDirectory(
  keep: string | undefined,
  name: string,
  make: (directory: string) => Promise<void>,
): Promise<{ readonly directory: string; remove(): void }> {
  const directory = keep === undefined ? mkdtempSync(join(tmpdir(), `${name}-`)) : join(keep, name);
  const remove = (): void => {
    if (keep === undefined) rmSync(directory, { recursive: true, force: true });
  };
  // Written last: without it an earlier run ended before the directory was whole.
  const whole = join(directory, 'whole');
  if (existsSync(whole)) return { directory, remove };
  try {
    rmSync(directory, { recursive: true, force: true });
    mkdirSync(directory, { recursive: true });
    await make(directory);
    writeFileSync(whole, '');
    return { directory, remove };
  } catch (error) {
    remove();
    throw error;
  }
}
