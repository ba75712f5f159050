import Database from 'better-sqlite3';

type Method = 'run' | 'get' | 'all';
type Execute = (this: Database.Statement, ...params: unknown[]) => unknown;

/**
 * Calls a function after each SQL statement of this process that may change a database, or begins or ends a transaction,
 * as long as it is not stopped. Statements that the function executes are left out.
 * @returns function that stops it.
 */
export function watchStatements(after: (sql: string) => void): () => void {
  const db = new Database(':memory:');
  const prototype = Object.getPrototypeOf(db.prepare('SELECT 1')) as Record<Method, Execute>;
  db.close();
  const methods: readonly Method[] = ['run', 'get', 'all'];
  const originals = methods.map((name) => [name, prototype[name]] as const);
  let isInside = false;
  const changed = (sql: string): void => {
    if (isInside) return;
    isInside = true;
    try {
      after(sql);
    } finally {
      isInside = false;
    }
  };
  for (const [name, original] of originals)
    prototype[name] = function execute(...params) {
      const result = original.apply(this, params);
      if (!this.readonly || /^(BEGIN|COMMIT|SAVEPOINT|RELEASE)/.test(this.source)) changed(this.source);
      return result;
    };
  return () => {
    for (const [name, original] of originals) prototype[name] = original;
  };
}
