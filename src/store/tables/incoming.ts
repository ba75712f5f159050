import { rowParts, type RowParts, type RowTemplate } from '../../util/json-writer.js';
import type { SqlDatabase } from '../../util/sql-database.js';
import { divide, type Division, type HeightRange } from './pages.js';
import { unlockedColumn, type ChainView } from './columns.js';

/** Names of the fields of an output in the list of incoming transfers. */
export type IncomingField =
  | 'account'
  | 'amount'
  | 'frozen'
  | 'globalIndex'
  | 'height'
  | 'keyImage'
  | 'minor'
  | 'publicKey'
  | 'spent'
  | 'txHash'
  | 'txSize'
  | 'unlocked';

/** SQL expression of a JSON field. Bytes are written in hex, NULL as an empty text, flags as true or false. */
interface RowColumn {
  readonly sql: string;
  readonly kind: 'integer' | 'bytes' | 'flag';
}

const SPECIFIER = { integer: '%d', bytes: '"%s"', flag: '%s' } as const;

const value = ({ sql, kind }: RowColumn): string =>
  kind === 'integer' ? sql : kind === 'bytes' ? `lower(hex(${sql}))` : `iif(${sql}, 'true', 'false')`;

/**
 * Makes SQLite write whole rows as JSON, which takes a fraction of the time of reading each column and writing JSON
 * here.
 */
interface RowFormat {
  /** SQL expression of the row's JSON, with the parameter `:format`. */
  readonly sql: string;
  readonly format: string;
}

/** Returns the SQL and the format text that write rows as JSON by a template. */
function rowFormat<Name extends string>(
  { texts, fields }: RowParts<Name>,
  columns: Readonly<Record<Name, RowColumn>>,
): RowFormat {
  const literals = texts.map((text) => text.replaceAll('%', '%%'));
  return {
    sql: `format(${[':format', ...fields.map((name) => value(columns[name]))].join(', ')})`,
    format: literals
      .map((text, i) => {
        const name = fields[i];
        return name === undefined ? text : text + SPECIFIER[columns[name].kind];
      })
      .join(''),
  };
}

/** Outputs to list, and the chain state at which their locks are evaluated. */
export interface IncomingFilter extends ChainView {
  readonly account: number;
  /** Minor indices of the addresses; absent: every address. */
  readonly minors?: readonly number[];
  /** True: spent outputs only; false: unspent outputs only; absent: both. */
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

type Source = 'chain' | 'reused' | 'imported' | 'listed';

const CHAIN_COLUMNS = {
  ...COMMON,
  height: integer('height'),
  spent: flag('spent_by IS NOT NULL'),
  txHash: bytes('tx_hash'),
  txSize: integer('coalesce(tx_size, 0)'),
  unlocked: flag(unlockedColumn('height', 'unlock_time')),
};

/**
 * Tables of outputs: outputs found in the chain, and outputs imported into an offline wallet, which have fewer columns.
 */
const SOURCES: Readonly<Record<Source, { columns: Columns; from: string; order: string }>> = {
  chain: {
    columns: CHAIN_COLUMNS,
    from: 'owned_output WHERE burnt = 0 AND height > :min AND height <= :max',
    // An index has this order. Global indices of outputs before RingCT may be equal; such outputs are ordered by
    // insertion.
    order: 'height, global_index, rowid',
  },
  // Like `chain`, but an output with a reused key takes the position of the first output with that key. No index has
  // this order, so pages must be sorted.
  reused: {
    columns: CHAIN_COLUMNS,
    from: `owned_output WHERE burnt = 0 AND (height > :min AND height <= :max AND first_height IS NULL
      OR first_height > :min AND first_height <= :max)`,
    order: 'coalesce(first_height, height), coalesce(first_index, global_index), rowid',
  },
  listed: {
    columns: CHAIN_COLUMNS,
    from: 'json_each(:numbers) AS listed CROSS JOIN owned_output ON owned_output.rowid = listed.value WHERE burnt = 0',
    order: 'listed.key',
  },
  imported: {
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

/**
 * Outputs that are read: all outputs in a range of heights, the outputs with given row numbers, or the imported
 * outputs.
 */
type Chosen = HeightRange | { readonly numbers: string } | Record<never, never>;

/** Written query of a list. */
interface Written {
  readonly source: Source;
  readonly template: RowTemplate<IncomingField>;
  readonly sql: string;
  readonly format: string;
}

/** Lists the outputs that an account has received, as JSON text. */
export class IncomingReader {
  readonly #db: SqlDatabase;
  #last: Written | undefined;

  constructor(db: SqlDatabase) {
    this.#db = db;
  }

  /**
   * Divides a range after approximately the given number of outputs, at a boundary between blocks; undefined if the
   * range has fewer outputs.
   */
  divide(range: HeightRange, outputs: number): Division<HeightRange> | undefined {
    return divide(this.#db, 'outputs', range, outputs);
  }

  /**
   * Writes the outputs as JSON rows in chain order, separated by commas; burnt outputs are left out.
   * @returns undefined if there are no outputs.
   */
  rows(
    template: RowTemplate<IncomingField>,
    filter: IncomingFilter,
    heights: HeightRange,
  ): Uint8Array | undefined {
    const source =
      this.#db.row('SELECT 1 FROM owned_output WHERE first_height IS NOT NULL LIMIT 1') === undefined
        ? 'chain'
        : 'reused';
    return this.#read(source, template, filter, heights);
  }

  /**
   * Writes some outputs of the account as {@link rows} does, in the order of their row numbers' list.
   * @param numbers row numbers of outputs.
   */
  listedRows(
    template: RowTemplate<IncomingField>,
    filter: IncomingFilter,
    numbers: readonly number[],
  ): Uint8Array | undefined {
    return this.#read('listed', template, filter, { numbers: JSON.stringify(numbers) });
  }

  /** Writes outputs that were imported into an offline wallet, as {@link rows} does, in the order of the import. */
  importedRows(template: RowTemplate<IncomingField>, filter: IncomingFilter): Uint8Array | undefined {
    return this.#read('imported', template, filter, {});
  }

  #read(
    source: Source,
    template: RowTemplate<IncomingField>,
    { account, minors, spent, chainHeight, now }: IncomingFilter,
    chosen: Chosen,
  ): Uint8Array | undefined {
    const { sql, format } = this.#write(source, template);
    const json = this.#db.value<Uint8Array | null>(sql, {
      ...chosen,
      format,
      account,
      minors: minors === undefined ? null : JSON.stringify(minors),
      spent: spent === undefined ? null : Number(spent),
      chainHeight,
      now: Math.floor(now),
    });
    return json ?? undefined;
  }

  /** Writes a query. All pages of one list have the same template, so the latest query is reused. */
  #write(source: Source, template: RowTemplate<IncomingField>): Written {
    if (this.#last?.source === source && this.#last.template === template) return this.#last;
    const { columns, from, order } = SOURCES[source];
    const { sql: line, format } = rowFormat(rowParts(template), columns);
    // SQLite keeps the order of this subquery. ORDER BY inside of group_concat takes 1.5 times as long, because it
    // sorts copies of the texts.
    const sql = `SELECT CAST(group_concat(line, ',') AS BLOB) FROM (
      SELECT ${line} AS line FROM ${from}
        AND account = :account
        AND (:minors IS NULL OR minor IN (SELECT value FROM json_each(:minors)))
        AND (:spent IS NULL OR (${columns.spent.sql}) = :spent)
      ORDER BY ${order})`;
    this.#last = { source, template, sql, format };
    return this.#last;
  }
}
