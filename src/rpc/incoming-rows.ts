import type { JsonRows } from '../jsonrpc/json-rows.js';
import type { Paged } from '../services/history/history.js';
import type { Json } from '../util/json.js';
import { Field, type RowTemplate } from '../util/row-template.js';
import type { IncomingField } from '../wallet/model/records.js';

/** Reads rows of a shape, each page with commas between its rows. */
export type ReadRows = (shape: RowTemplate<IncomingField>) => Paged<Uint8Array | undefined>;

const field = (name: IncomingField): Field<IncomingField> => new Field(name);

/** A row of incoming_transfers. Source: wallet_rpc_server_commands_defs.h `transfer_details`. */
const INCOMING: RowTemplate<IncomingField> = {
  amount: field('amount'),
  block_height: field('height'),
  frozen: field('frozen'),
  global_index: field('globalIndex'),
  key_image: field('keyImage'),
  pubkey: field('publicKey'),
  spent: field('spent'),
  subaddr_index: { major: field('account'), minor: field('minor') },
  tx_hash: field('txHash'),
  tx_size: field('txSize'),
  unlocked: field('unlocked'),
};

/** Rows that are written where they are stored: only their shape is known here. */
export class IncomingRows implements JsonRows {
  readonly #read: ReadRows;
  readonly #shape: RowTemplate<IncomingField>;
  #release: () => void = () => undefined;

  constructor(read: ReadRows, shape = INCOMING) {
    this.#read = read;
    this.#shape = shape;
  }

  map(adapt: (row: Json) => Json): JsonRows {
    return new IncomingRows(this.#read, adapt(this.#shape as Json) as RowTemplate<IncomingField>);
  }

  async *pages(): AsyncGenerator<readonly Uint8Array[]> {
    const { pages, release } = this.#read(this.#shape);
    this.#release = release;
    for await (const page of pages) if (page !== undefined) yield [page];
  }

  release(): void {
    this.#release();
  }
}
