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
 * Lists the names of the open files of a process, without the connections to its port that clients keep open: how many
 * these are depends on the clients.
 */
export function openFiles(pid: number, port: number): string[] {
  const kept = keptConnections(port);
  return readdirSync(`/proc/${pid}/fd`).flatMap((name) => {
    try {
      const target = readlinkSync(`/proc/${pid}/fd/${name}`);
      return kept.has(target) ? [] : [target];
    } catch {
      // It was closed meanwhile.
      return [];
    }
  });
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
