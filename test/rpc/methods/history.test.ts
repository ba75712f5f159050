import { expect, test } from '@jest/globals';
import type { JsonRows } from '../../../src/http/calls/json-rows.js';
import { adaptReply, type ApiVersion } from '../../../src/rpc/api-version.js';
import { incomingRows } from '../../../src/rpc/methods/history.js';
import { rowParts } from '../../../src/util/row-template.js';

const MEMBERS = '"amount":?,"block_height":?,"frozen":?,"global_index":?,"key_image":?,"pubkey":?,"spent":?,';

test.each([
  ['1.3', `{${MEMBERS}"subaddr_index":?,"tx_hash":?,"tx_size":?,"unlocked":?}`],
  ['1.32', `{${MEMBERS}"subaddr_index":{"major":?,"minor":?},"tx_hash":?,"unlocked":?}`],
] as [ApiVersion, string][])(
  'a row of incoming_transfers has the fields of version %s',
  async (version, row) => {
    let text = '';
    const rows = incomingRows((template) => {
      text = rowParts(template).texts.join('?');
      return { pages: (async function* () {})(), release: () => undefined };
    });
    const { transfers } = adaptReply(version, 'incoming_transfers', { transfers: rows });
    expect(await (transfers as JsonRows).pages()[Symbol.asyncIterator]().next()).toMatchObject({
      done: true,
    });
    expect(text).toBe(row);
  },
);
