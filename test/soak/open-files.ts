import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** State of a connection that neither end has closed. Source: Linux, tcp_states.h `TCP_ESTABLISHED`. */
const ESTABLISHED = '01';

/** Lists the inodes of the connections to a local port that their clients keep open. Source: proc(5), /proc/net/tcp. */
function keptConnections(port: number): ReadonlySet<string> {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const kept = new Set<string>();
  for (const line of readFileSync('/proc/net/tcp', 'utf8').split('\n').slice(1)) {
    const [, local = '', , state, , , , , , inode] = line.trim().split(/\s+/);
    if (local.endsWith(suffix) && state === ESTABLISHED && inode !== undefined) kept.add(`socket:[${inode}]`);
  }
  return kept;
}

/**
 * Lists each database once. SQLite closes the main file of a database with the last of its connections, and uses the
 * descriptors of closed ones for new connections: their number is that of the readers that there were at once. The log
 * is closed with each connection, so that a connection that is never closed shows.
 */
export function withDatabasesOnce(files: readonly string[]): string[] {
  const databases = new Set(files.filter((name) => name.endsWith('-wal')).map((name) => name.slice(0, -4)));
  return files.filter((name, i) => !databases.has(name) || files.indexOf(name) === i);
}

/**
 * Lists the names of the open files of a process, databases once, and without the connections to its port that clients
 * keep open: how many these are depends on the clients.
 */
export function openFiles(pid: number, port: number): string[] {
  const kept = keptConnections(port);
  const files = readdirSync(`/proc/${pid}/fd`).flatMap((name) => {
    try {
      const target = readlinkSync(`/proc/${pid}/fd/${name}`);
      return kept.has(target) ? [] : [target];
    } catch {
      // It was closed meanwhile.
      return [];
    }
  });
  return withDatabasesOnce(files);
}

/** Counts files by what they are: the ends of their names. */
export function countKinds(files: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const file of files) {
    const kind = file
      .replace(/:\[.*/, '')
      .replace(/^.*\/\w+(?=$|[.-])/, 'file ')
      .trim();
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return [...counts].map(([kind, count]) => `${count} ${kind}`).join(', ');
}
