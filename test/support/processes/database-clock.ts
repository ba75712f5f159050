import type { PostgresServer } from './postgres-cluster.js';

/** Clock of a database, which a test sets. */
export interface DatabaseClock {
  /** Sets the clock ahead of the time of the machine, or back behind it [s]. */
  set(seconds: number): Promise<void>;
}

/**
 * Puts a clock in place of that of one database: `clock_timestamp()` of every statement of later connections is that of the
 * test. The program has no other access to the clock of its database.
 */
export async function databaseClock(server: PostgresServer, database: string): Promise<DatabaseClock> {
  await server.sql(
    `CREATE SCHEMA moved;
     CREATE TABLE moved.clock (ahead interval NOT NULL);
     INSERT INTO moved.clock VALUES (interval '0');
     CREATE FUNCTION moved.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE
       AS 'SELECT pg_catalog.clock_timestamp() + ahead FROM moved.clock';
     ALTER DATABASE ${database} SET search_path = moved, pg_catalog, public`,
    database,
  );
  return {
    set: async (seconds) =>
      void (await server.sql(`UPDATE moved.clock SET ahead = interval '${seconds} seconds'`, database)),
  };
}
