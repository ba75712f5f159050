import type { SqlDatabase } from '../../util/sql-database.js';

/** Id of the latest event at a time. */
export interface EventMark {
  readonly last: number;
  /** Latest time that it may have been [Unix s]. */
  readonly time: number;
}

/** Reads marks, which tell how old events are at least. */
export class EventMarkReader {
  protected readonly db: SqlDatabase;

  constructor(db: SqlDatabase) {
    this.db = db;
  }

  /** Returns the mark of the greatest id; undefined if there is none. */
  newest(): EventMark | undefined {
    return this.db.row<EventMark>('SELECT last, time FROM event_mark ORDER BY last DESC LIMIT 1');
  }

  /** Returns the greatest id of an event that certainly existed before a time [Unix s]; 0 if none is known. */
  upTo(time: number): number {
    return this.db.value<number | null>('SELECT max(last) FROM event_mark WHERE time < ?', time) ?? 0;
  }
}

/** Writes marks. As every writer, it exists only for the task of `WalletStore.write`. */
export class EventMarkWriter extends EventMarkReader {
  /** Adds a mark, in place of marks with later times. */
  add({ last, time }: EventMark): void {
    this.db.run('DELETE FROM event_mark WHERE time > ?', time);
    this.db.run('INSERT INTO event_mark (last, time) VALUES (?, ?) ON CONFLICT DO NOTHING', last, time);
  }

  /** Deletes the marks below an id, which say no more than its own. */
  dropBelow(last: number): void {
    this.db.run('DELETE FROM event_mark WHERE last < ?', last);
  }
}
