import {
  isEmptyLog,
  writeKeptLog,
  databaseFilesOf,
  removeDatabase,
  logOf,
} from '../../store/file/atomic-replace.js';
import { existsSync, readFileSync, rmSync, statSync, closeSync, fstatSync, readSync } from 'node:fs';
import type { Departure, Taken, Lease } from '../../cluster/lease.js';
import { WalletError } from '../../model/wallet-error.js';
import type { LogContent, PageLogs } from '../../cluster/cluster.js';
import { FileDraft } from '../../store/file/file-draft.js';
import { openRegular, regularAt, withFileErrors, withFileErrorsAsync } from '../../store/file/file-errors.js';
import { rebuildStore } from '../../store/replication/rebuild-store.js';
import { equalBytes, utf8 } from '../../util/bytes.js';
import { type WalletPaths, badName, MARK_ENDING } from '../context/wallet-directory.js';
import type { StoredLog } from './held-wallet.js';
import { readBase } from '../../store/replication/base-parts.js';

/** Content of the mark of a local copy. */
interface Mark {
  /**
   * Epoch in which this process held the wallet, in decimal digits; {@link JOINING}: the adding of the wallet has
   * begun; empty: the wallet has left the cluster, and these are its own files.
   */
  readonly epoch: string;
  /** Versions of the files when the wallet was released with all changes, or is about to leave; absent while it is held. */
  readonly released?: string;
  /** Token of the wallet's departure, once the departure has begun; also while the wallet comes back. */
  readonly departure?: string;
}

/** Epoch of a wallet whose adding to the cluster has begun, and may have failed. */
const JOINING = '0';

/** Epoch of a wallet that has left the cluster. */
const OWN = '';

const markOf = ({ store }: WalletPaths): string => `${store}${MARK_ENDING}`;

/** True if a wallet has its store or its keys file here. */
const hasFiles = ({ store, keys }: WalletPaths): boolean =>
  withFileErrors(store, () => existsSync(store) || existsSync(keys));

/** Returns a text that changes whenever a file of the wallet is written, if its size or time changes. */
const versionOf = ({ store, keys }: WalletPaths): string =>
  [keys, ...databaseFilesOf(store)]
    .map((path) => statSync(path, { bigint: true, throwIfNoEntry: false }))
    .map((stat) => (stat === undefined ? '-' : [stat.ino, stat.size, stat.mtimeNs].join(':')))
    .join(' ');

/**
 * Reads the mark of local files.
 * @throws WalletError `bad_wallet_name` if the name of the mark is a name of another wallet, `wallet_io`
 */
function readMark(paths: WalletPaths): Mark | undefined {
  const path = markOf(paths);
  return withFileErrors(path, () => {
    if (!existsSync(path) || regularAt(path) === undefined) return undefined;
    // An earlier version created wallets of such names, and a mark would replace the store of such a wallet.
    if (existsSync(`${path}.keys`))
      throw badName(
        paths.name,
        `its file '${paths.name}${MARK_ENDING}' belongs to the wallet of that name: rename that wallet`,
      );
    try {
      return (JSON.parse(readFileSync(path, 'utf8')) as Mark | null) ?? { epoch: '?' };
    } catch (error) {
      // A mark that cannot be read does not prove that the copy is current, but still marks the files as a copy.
      if (error instanceof SyntaxError) return { epoch: '?' };
      throw error;
    }
  });
}

const writeMark = async (paths: WalletPaths, mark: Mark): Promise<void> =>
  (await FileDraft.write(markOf(paths), utf8(`${JSON.stringify(mark)}\n`))).replace();

/** Marks the local files as the copy of a wallet that this process holds. @throws WalletError `wallet_io` */
export const markHeld = (paths: WalletPaths, epoch: bigint): Promise<void> =>
  writeMark(paths, { epoch: String(epoch) });

const badRequest = (reason: string): WalletError => new WalletError({ kind: 'bad_cluster_request', reason });

/** True for the files of a wallet that has left a cluster completely. */
const isOwn = (mark: Mark | undefined): boolean => mark?.epoch === OWN && mark.departure !== undefined;

/**
 * Marks the local files of a wallet that is about to be added to the cluster: until the cluster has stored its store,
 * no other process has the store.
 * @returns token of the departure from which the wallet comes back; undefined for a wallet that the cluster does not
 * know.
 * @throws WalletError `bad_cluster_request` for the copy of a wallet that the cluster does not know, `wallet_io`.
 */
export async function markJoining(paths: WalletPaths): Promise<string | undefined> {
  const mark = readMark(paths);
  if (mark !== undefined && mark.epoch !== JOINING && !isOwn(mark))
    throw badRequest(
      `the files of '${paths.name}' are a copy, perhaps an old one, of a wallet that this cluster does not know: remove ${markOf(paths)} to add them`,
    );
  const departure = mark?.epoch === JOINING ? mark.departure : undefined;
  await writeMark(paths, { epoch: JOINING, ...(departure === undefined ? {} : { departure }) });
  return departure;
}

/**
 * Marks the local files of a wallet that is about to leave the cluster as complete.
 * @param epoch epoch in which this process holds the wallet.
 */
export const markLeaving = (paths: WalletPaths, epoch: bigint, departure: string): Promise<void> =>
  writeMark(paths, { epoch: String(epoch), released: releasedVersion(paths), departure });

/**
 * Marks the local files of a wallet that has left the cluster as its own files, if the wallet has left with these
 * files, and has not come back. @returns false for all other files.
 */
export async function markLeft(paths: WalletPaths, { token }: Departure): Promise<boolean> {
  const mark = readMark(paths);
  if (mark?.departure !== token) return false;
  if (mark.epoch !== JOINING && mark.epoch !== OWN && mark.released !== releasedVersion(paths)) return false;
  if (mark.epoch !== OWN) await writeMark(paths, { epoch: OWN, departure: token });
  return true;
}

/**
 * Marks the own files of a wallet that has left the cluster as the files with which it comes back.
 * @throws WalletError `bad_cluster_request` for other files, `wallet_io`.
 */
export async function markReturning(paths: WalletPaths, departure: Departure): Promise<void> {
  const { token } = departure;
  const mark = readMark(paths);
  if (mark?.departure !== token || (mark.epoch !== OWN && mark.epoch !== JOINING))
    throw leftFault(paths, departure);
  await writeMark(paths, { epoch: JOINING, departure: token });
}

/** True for the files of a wallet that has left the cluster, and is about to come back with them. */
export function isReturning(paths: WalletPaths, { token }: Departure): boolean {
  const mark = readMark(paths);
  return mark?.epoch === JOINING && mark.departure === token;
}

/** Returns the fault of opening a wallet that has left the cluster, which explains the state of the local files. */
export function leftFault(paths: WalletPaths, { token, host, directory, time }: Departure): WalletError {
  const { name } = paths;
  const mark = readMark(paths);
  if (isOwn(mark) && mark?.departure === token)
    return badRequest(
      `the wallet '${name}' has left the cluster, and its own files are here: start without --cluster to use it, or bring it back with wallet-rpc cluster join ${name}`,
    );
  if (mark?.departure === token)
    return badRequest(
      `the wallet '${name}' has left the cluster, and its own files are here: run wallet-rpc cluster leave ${name} again, which was interrupted`,
    );
  const here = hasFiles(paths)
    ? '. The files here are an older copy of it, or another wallet, and are not opened'
    : '';
  return badRequest(
    `the wallet '${name}' left the cluster at ${new Date(time).toISOString()}: its files are in ${directory} on ${host}${here}`,
  );
}

/**
 * Checks that the local files of a wallet of the cluster are a copy, or that there are no local files, so that no data
 * is lost without the files.
 * @throws WalletError `bad_cluster_request`, `wallet_io`
 */
export function assertCopy(paths: WalletPaths): void {
  const mark = readMark(paths);
  const { name } = paths;
  if (!hasFiles(paths) || (mark !== undefined && !isOwn(mark))) return;
  throw badRequest(
    `the cluster has a wallet '${name}', and the files here are no copy of it, but another wallet, or have a history of their own: move them away`,
  );
}

/**
 * Checks that the files of a wallet are not a copy of a wallet in a cluster, before a process without a cluster opens
 * or replaces them: it could make payments at the same time as the process that holds the wallet.
 * @throws WalletError `bad_cluster_request`, `bad_wallet_name`, `wallet_io`
 */
export function assertNoCopy(paths: WalletPaths): void {
  const mark = readMark(paths);
  if (mark === undefined || isOwn(mark)) return;
  const { name } = paths;
  if (mark.epoch === JOINING)
    throw badRequest(
      `the wallet '${name}' is being added to a cluster: start with --cluster${mark.departure === undefined ? '' : `, or run wallet-rpc cluster join ${name} again, or wallet-rpc cluster leave ${name}`}`,
    );
  throw badRequest(
    `the files of '${name}' are a copy, perhaps an old one, of a wallet in a cluster: start with --cluster, or take the wallet out with wallet-rpc cluster leave ${name}${hasFiles(paths) ? '' : `. Only their mark is left here: remove ${markOf(paths)} to give the name to another wallet`}`,
  );
}

/** Removes the mark of files that were not added to the cluster. */
export const unmark = (paths: WalletPaths): void =>
  withFileErrors(markOf(paths), () => rmSync(markOf(paths), { force: true }));

/**
 * Frees the name of a wallet that a process without a cluster is about to create or restore. Without its files, the
 * mark of a wallet that has left a cluster would let another wallet, or an older state, come back to the cluster. The
 * caller must hold the lock.
 * @throws WalletError as {@link assertNoCopy}
 */
export function releaseName(paths: WalletPaths): void {
  assertNoCopy(paths);
  if (!hasFiles(paths)) unmark(paths);
}

const releasedVersion = (paths: WalletPaths): string => withFileErrors(paths.store, () => versionOf(paths));

/** Marks the local files as complete, after the wallet was closed and before it is released. */
export const markReleased = (paths: WalletPaths, epoch: bigint): Promise<void> =>
  writeMark(paths, { epoch: String(epoch), released: releasedVersion(paths) });

/** Local files of a wallet when its holding begins. */
export interface LocalCopy {
  /** Size of the content in the database. */
  readonly stored: StoredLog;
  /** True if the store was rebuilt from the database, so that its pages must be checked with its key. */
  readonly isRebuilt: boolean;
}

/**
 * Writes the files of a wallet that this process has begun to hold, unless the files that it has left there are
 * current. The wallet must be closed.
 * @throws WalletError `wallet_exists` if there are files of the name that are not a copy, `bad_cluster_request` if only
 * the process that added the wallet has its store, `wallet_io`; errors of the cluster.
 */
export async function writeLocalCopy(
  paths: WalletPaths,
  { lease, keysFile, sequence, isNew }: Taken,
  logs: Pick<PageLogs, 'read'>,
): Promise<LocalCopy> {
  const mark = readMark(paths);
  if (isOwn(mark))
    throw badRequest(
      `the wallet '${paths.name}' left the cluster with the files here, and came back with others: move these away`,
    );
  const content = await logs.read(paths.name);
  try {
    const hasBase = content?.base !== undefined;
    // Only this process has the store of a wallet that was added, until the cluster has its first base.
    const isOnly = !hasBase && mark !== undefined && isSameWallet(paths, keysFile);
    if (!isOnly && (mark === undefined || mark.epoch === JOINING)) assertNoFiles(paths);
    if (!isOnly && !hasBase && !isNew)
      throw badRequest(
        `the process that added '${paths.name}' to the cluster ended before its store was stored: start it again`,
      );
    const isCurrent = mark?.epoch === String(lease.epoch - 1n) && mark.released === versionOf(paths);
    await markHeld(paths, lease.epoch);
    const isWritten = !isCurrent && !isOnly;
    if (isWritten) {
      // A wallet whose creation was interrupted has no store in the cluster: the store is made anew from the keys.
      if (content?.base === undefined) withFileErrors(paths.store, () => removeDatabase(paths.store));
      else await rebuildStore(paths.store, content.readBase(), framesOf(content));
      await (await FileDraft.write(paths.keys, keysFile)).replace();
    }
    return {
      stored: { sequence, baseBytes: content?.base?.bytes ?? 0, frameBytes: content?.frames.bytes ?? 0 },
      isRebuilt: isWritten && hasBase,
    };
  } finally {
    await content?.close();
  }
}

async function* framesOf(content: LogContent): AsyncIterable<Uint8Array> {
  for await (const { frame } of content.readFrames()) yield frame;
}

/** True if the local files include a store, and belong to the wallet with a given keys file. */
const isSameWallet = ({ store, keys }: WalletPaths, keysFile: Uint8Array): boolean =>
  withFileErrors(
    keys,
    () =>
      existsSync(store) &&
      statSync(keys, { throwIfNoEntry: false })?.isFile() === true &&
      equalBytes(readFileSync(keys), keysFile),
  );

function assertNoFiles(paths: WalletPaths): void {
  const { name, keys } = paths;
  if (!hasFiles(paths)) return;
  const found = withFileErrors(keys, () => existsSync(keys)) ? 'wallet' : 'store';
  throw new WalletError({ kind: 'wallet_exists', name, found });
}

/** Sequence of the base of a store that comes back, with which its log begins. */
const FIRST = 1;

/** Checks that the main file of a store contains all its commits. @throws WalletError `bad_cluster_request`, `wallet_io` */
export function assertClosedStore({ name, store }: WalletPaths): void {
  closeSync(openRegular(store));
  if (isEmptyLog(store)) return;
  throw new WalletError({
    kind: 'bad_cluster_request',
    reason: `the process that had '${name}' open has not closed it: open the wallet once without --cluster, and close it`,
  });
}

/**
 * Stores the file of a closed wallet in the database, as the whole content of a log that is empty. The caller must hold
 * the lock of the wallet, or the mark of the wallet must keep all processes from opening it.
 * @throws errors of the cluster; WalletError `wallet_io`
 */
export async function uploadClosedStore(
  { store }: WalletPaths,
  lease: Lease,
  logs: Pick<PageLogs, 'putBase'>,
): Promise<void> {
  await withFileErrorsAsync(store, async () => {
    const file = openRegular(store);
    try {
      const { parts, close } = await readBase({
        log: logOf(store),
        readMain: (bytes, offset) => readSync(file, bytes, 0, bytes.length, offset),
        mainBytes: fstatSync(file).size,
        at: { salts: undefined, frames: 0 },
        sequence: FIRST,
      });
      try {
        await logs.putBase(lease, FIRST, parts);
      } finally {
        close();
      }
    } finally {
      closeSync(file);
    }
    writeKeptLog(store);
  });
}
