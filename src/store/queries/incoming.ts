import type { Statement } from 'better-sqlite3';
import { rowParts, type RowTemplate } from '../../util/row-template.js';
import type { IncomingField } from '../../wallet/model/records.js';
import type { Db } from '../file/database.js';
import { HeightPages, type HeightRange } from '../sql/height-pages.js';
import { rowFormat, type RowColumn } from '../sql/sqlite-json.js';
import { unlockedColumn, type ChainView } from '../sql/unlocked-column.js';

export interface IncomingFilter extends ChainView {
  readonly account: number;
  /** Absent: every address. */
  readonly minors?: readonly number[];
  /** Absent: whether or not. */
  readonly spent?: boolean;
}

type Columns = Readonly<Record<IncomingField, RowColumn>>;

const integer = (sql: string): RowColumn => ({ sql, kind: 'integer' });
const bytes = (sql: string): RowColumn => ({ sql, kind: 'bytes' });
const flag = (sql: string): RowColumn => ({ sql, kind: 'flag' });

const COMMON = {
  account: integer('account'),
  amount: integer('amount'),
  frozen: flag('frozen'),
  globalIndex: integer('global_index'),
  keyImage: bytes('key_image'),
  minor: integer('minor'),
  publicKey: bytes('public_key'),
};

type Source = 'chain' | 'reused' | 'told';

const FOUND = {
  ...COMMON,
  height: integer('height'),
  spent: flag('spent_by IS NOT NULL'),
  txHash: bytes('tx_hash'),
  txSize: integer(
    'COALESCE((SELECT size FROM received_tx WHERE received_tx.tx_hash = owned_output.tx_hash), 0)',
  ),
  unlocked: flag(unlockedColumn('height', 'unlock_time')),
};

/** Where outputs stand: found in the chain, or told to an offline wallet, which knows less of them. */
const SOURCES: Readonly<Record<Source, { columns: Columns; from: string; order: string }>> = {
  chain: {
    columns: FOUND,
    from: 'owned_output WHERE burnt = 0 AND height > :min AND height <= :max',
    // An index has them in this order. Outputs from before RingCT may share a place: then the one found first is first.
    order: 'height, global_index, rowid',
  },
  // As `chain`, where a larger output on a reused key has the place of the first one: pages are sorted.
  reused: {
    columns: FOUND,
    from: `owned_output WHERE burnt = 0 AND (height > :min AND height <= :max AND first_height IS NULL
      OR first_height > :min AND first_height <= :max)`,
    order: 'coalesce(first_height, height), coalesce(first_index, global_index), rowid',
  },
  told: {
    columns: {
      ...COMMON,
      height: integer('0'),
      spent: flag('spent'),
      txHash: bytes('zeroblob(32)'),
      txSize: integer('0'),
      unlocked: flag(unlockedColumn('0', "'0'")),
    },
    from: 'imported_output WHERE true',
    order: 'place',
  },
};

interface Query extends ChainView, Partial<HeightRange> {
  readonly format: string;
  readonly account: number;
  readonly minors: string | null;
  readonly spent: number | null;
}

type List = Statement<[Query], Uint8Array | null>;

interface Prepared {
  readonly source: Source;
  readonly shape: RowTemplate<IncomingField>;
  readonly list: List;
  readonly format: string;
}

/** Lists what an account received, as JSON. */
export class IncomingReader {
  readonly #db: Db;
  readonly #pages: HeightPages;
  readonly #anyMoved: Statement<[], unknown>;
  /** By what they select. */
  readonly #lists = new Map<string, List>();
  #last: Prepared | undefined;

  constructor(db: Db) {
    this.#db = db;
    this.#pages = new HeightPages(db, 'owned_output');
    this.#anyMoved = db.prepare('SELECT 1 FROM owned_output WHERE first_height IS NOT NULL LIMIT 1');
  }

  /** Height up to which a range holds so many outputs, whole blocks; undefined when it holds fewer. */
  pageEnd(range: HeightRange, outputs: number): number | undefined {
    return this.#pages.end(range, outputs);
  }

  /** In the order of the chain, commas between them; burnt ones are left out. @returns undefined for none. */
  rows(
    shape: RowTemplate<IncomingField>,
    filter: IncomingFilter,
    heights: HeightRange,
  ): Uint8Array | undefined {
    const source = this.#anyMoved.get() === undefined ? 'chain' : 'reused';
    return this.#written(source, shape, filter, heights);
  }

  /** {@link rows} of what an offline wallet was told of, in its order. */
  toldRows(shape: RowTemplate<IncomingField>, filter: IncomingFilter): Uint8Array | undefined {
    return this.#written('told', shape, filter, {});
  }

  #written(
    source: Source,
    shape: RowTemplate<IncomingField>,
    { account, minors, spent, chainHeight, now }: IncomingFilter,
    heights: Partial<HeightRange>,
  ): Uint8Array | undefined {
    const { list, format } = this.#prepared(source, shape);
    const written = list.get({
      ...heights,
      format,
      account,
      minors: minors === undefined ? null : JSON.stringify(minors),
      spent: spent === undefined ? null : Number(spent),
      chainHeight,
      now: Math.floor(now),
    });
    return written ?? undefined;
  }

  /** Pages of one list have one shape. */
  #prepared(source: Source, shape: RowTemplate<IncomingField>): Prepared {
    if (this.#last?.source === source && this.#last.shape === shape) return this.#last;
    const { columns, from, order } = SOURCES[source];
    const { sql, format } = rowFormat(rowParts(shape), columns);
    // SQLite keeps the order of a subquery that is not merely counted. Sorting within group_concat takes half as long
    // again: it sorts copies of the texts.
    const select = `SELECT CAST(group_concat(line, ',') AS BLOB) FROM (
      SELECT ${sql} AS line FROM ${from}
        AND account = :account
        AND (:minors IS NULL OR minor IN (SELECT value FROM json_each(:minors)))
        AND (:spent IS NULL OR (${columns.spent.sql}) = :spent)
      ORDER BY ${order})`;
    const list = this.#lists.get(select) ?? this.#db.prepare<[Query], Uint8Array | null>(select).pluck();
    this.#lists.set(select, list);
    this.#last = { source, shape, list, format };
    return this.#last;
  }
}
