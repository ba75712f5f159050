import Database from 'better-sqlite3';
import { migrate } from '../../../src/util/sql-database.js';

/* Migrates a database; the SQL function `kill_process` kills the process. Arguments: the file, the folder of migrations. */

const [, , path = '', folder = ''] = process.argv;
const db = new Database(path);
db.pragma('journal_mode = WAL');
db.pragma('foreign_keys = ON');
db.function('kill_process', () => process.kill(process.pid, 'SIGKILL'));
migrate(db, folder);
db.close();
