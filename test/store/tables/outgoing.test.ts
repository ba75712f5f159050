import { expect, it } from '@jest/globals';
import { openDatabase } from '../../../src/store/file/database.js';
import { NEW_CIPHER } from '../../../src/store/file/store-cipher.js';
import { DROP_BLOBS } from '../../../src/store/tables/outgoing.js';

it('a page of blocks finds the blobs that it deletes by an index of payments with a blob', () => {
  const db = openDatabase(':memory:', { key: new Uint8Array(32), cipher: NEW_CIPHER });
  const plan = db.rows<{ readonly detail: string }>(`EXPLAIN QUERY PLAN ${DROP_BLOBS}`, 7);
  expect(plan.map(({ detail }) => detail)).toEqual([
    'SEARCH outgoing_tx USING INDEX outgoing_tx_blob (height<?)',
  ]);
  db.close();
});
