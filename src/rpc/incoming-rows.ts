import { JsonRows } from '../http/calls/json-rows.js';
import * as wire from '../http/methods/wire.js';
import type { Paged } from '../util/paged.js';
import type { Json } from '../util/json.js';
import { Field, type RowTemplate } from '../util/row-template.js';
import type { IncomingField } from '../monero/wallet/model/records.js';
import { indexSchema } from './shapes.js';

/** Reads rows as JSON made from a template; the rows of one page are separated by commas. */
export type ReadRows = (template: RowTemplate<IncomingField>) => Paged<Uint8Array | undefined>;

const field = (name: IncomingField): Field<IncomingField> => new Field(name);

/** Row template of incoming_transfers. Source: wallet_rpc_server_commands_defs.h `transfer_details`. */
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

/** Schema of a row of {@link INCOMING}. */
export const incomingSchema = () =>
  wire.object({
    amount: wire.amount('Amount of the output'),
    block_height: wire.uint('Height of its block'),
    frozen: wire.flag('The output is frozen'),
    global_index: wire.uint('Index of the output in the chain'),
    key_image: wire.hex('Key image; empty while it is unknown'),
    pubkey: wire.hash('Public key of the output'),
    spent: wire.flag('The output is spent'),
    subaddr_index: indexSchema('Receiving address'),
    tx_hash: wire.hash('Transaction hash'),
    tx_size: wire.uint('Size of the transaction [bytes]; 0 if it is unknown'),
    unlocked: wire.flag('The output can be spent now, as far as its lock is concerned'),
  });

/** Returns the rows of {@link INCOMING}, which the store writes as JSON. */
export function incomingRows(open: ReadRows): JsonRows {
  let release = (): void => undefined;
  return JsonRows.written({
    read: async function* (adapt) {
      const template = adapt === undefined ? INCOMING : adapt(INCOMING as Json);
      const rows = open(template as RowTemplate<IncomingField>);
      ({ release } = rows);
      for await (const page of rows.pages) if (page !== undefined) yield [page];
    },
    release: () => release(),
  });
}
