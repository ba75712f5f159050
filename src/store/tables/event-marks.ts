import type { Statement } from '../../util/sql-database.js';
import type { Db } from '../file/database.js';

/** Id of the latest event at a time. */
export interface EventMark {
  readonly last: number;
  /** Latest time that it may have been [Unix s]. */
  readonly time: number;
}

/** Reads marks, which tell how old events are at least. */
export class EventMarkReader {
  protected readonly db: Db;
  readonly #newest: Statement<[], EventMark>;
  readonly #upTo: Statement<[number], number | null>;

  constructor(db: Db) {
    this.db = db;
    this.#newest = db.prepare('SELECT last, time FROM event_mark ORDER BY last DESC LIMIT 1');
    this.#upTo = db
      .prepare<[number], number | null>('SELECT max(last) FROM event_mark WHERE time < ?')
      .pluck();
  }

  /** Returns the mark of the greatest id; undefined if there is none. */
  newest(): EventMark | undefined {
    return this.#newest.get();
  }

  /** Returns the greatest id of an event that certainly existed before a time [Unix s]; 0 if none is known. */
  upTo(time: number): number {
    return this.#upTo.get(time) ?? 0;
  }
}

/** Writes marks. As every writer, it exists only for the task of `WalletStore.write`. */
export class EventMarkWriter extends EventMarkReader {
  /** Adds a mark, in place of marks with later times. */
  add({ last, time }: EventMark): void {
    this.db.prepare('DELETE FROM event_mark WHERE time > ?').run(time);
    this.db
      .prepare('INSERT INTO event_mark (last, time) VALUES (?, ?) ON CONFLICT DO NOTHING')
      .run(last, time);
  }

  /** Deletes the marks below an id, which say no more than its own. */
  dropBelow(last: number): void {
    this.db.prepare('DELETE FROM event_mark WHERE last < ?').run(last);
  }
}
