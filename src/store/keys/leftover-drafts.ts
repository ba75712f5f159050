import { existsSync, rmSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { backgroundDraftsOf } from './background-files.js';
import { draftOf } from '../file/file-draft.js';
import { withFileErrors } from '../file/file-errors.js';
import { databaseFilesOf } from '../file/atomic-replace.js';

/**
 * Removes drafts that an interrupted process left beside a wallet. The caller must hold the lock of the wallet, because
 * a draft of another process may be in use.
 * @returns the names of the removed files.
 * @throws WalletError `wallet_io`
 */
export function removeLeftoverDrafts({
  store,
  keys,
}: {
  readonly store: string;
  readonly keys: string;
}): readonly string[] {
  return withFileErrors(store, () => {
    const leftovers = [
      draftOf(keys),
      ...backgroundDraftsOf(store),
      ...databaseFilesOf(draftOf(store)),
    ].filter((path) => existsSync(path));
    // An empty keys file only reserves the path of an interrupted creation.
    if (leftovers.includes(draftOf(keys)) && statSync(keys, { throwIfNoEntry: false })?.size === 0)
      leftovers.unshift(keys);
    for (const path of leftovers) rmSync(path, { force: true });
    return leftovers.map((path) => basename(path));
  });
}
