import Database from 'better-sqlite3';

/** The GNU C library as the loader knows it; it is loaded already wherever it is used. */
const C_LIBRARY = 'libc.so.6';

/** What SQLite says of an entry point that was called and answered 1: memory was given back. */
const CALLED = 'error during initialization';

interface ExtensionLoader {
  loadExtension(path: string, entryPoint: string): unknown;
}

let available = process.platform === 'linux';

/**
 * Gives free memory between allocations back to the system. The GNU C library does so on its own at the end of its
 * heap only: one small allocation there keeps a hundred megabytes of freed pages. Nothing in Node calls its
 * `malloc_trim`, but SQLite calls whatever entry point an extension is said to have, and this one takes any arguments:
 * the first is how much to leave at the end, where it is not needed. Does nothing with another C library.
 */
export function trimHeap(): void {
  if (!available) return;
  const db: Database.Database & ExtensionLoader = new Database(':memory:');
  try {
    db.loadExtension(C_LIBRARY, 'malloc_trim');
  } catch (error) {
    available = error instanceof Error && error.message.startsWith(CALLED);
  } finally {
    db.close();
  }
}
