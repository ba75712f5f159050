import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Dispatcher } from '../../src/jsonrpc/dispatcher.js';
import { createHttpApp } from '../../src/jsonrpc/http-app.js';
import { HttpServer } from '../../src/jsonrpc/http-server.js';
import { ListedRows, writeRows } from '../../src/jsonrpc/json-rows.js';
import { WrittenJson } from '../../src/util/json-writer.js';
import { post } from '../support/json-rpc.js';

const ROWS_A_PAGE = 400;
const PAGES = 30;
const row = (page: number, place: number): string => `${page} ${place} `.repeat(40);

async function* pages(): AsyncGenerator<string[]> {
  for (let page = 0; page < PAGES; page++)
    yield await Promise.resolve(Array.from({ length: ROWS_A_PAGE }, (_, place) => row(page, place)));
}

/** Written once, and part of every answer. */
const kept = new WrittenJson([Buffer.from(`"${'k'.repeat(1 << 17)}"`)]);

let server: HttpServer;
let port: number;

beforeAll(async () => {
  const dispatcher = new Dispatcher({
    call: () => writeRows({ kept, list: new ListedRows(pages(), () => undefined) }),
    onBug: () => undefined,
  });
  server = new HttpServer({
    handler: createHttpApp({ dispatcher, origins: [], hosts: [], onBug: () => undefined }),
    maxConnections: 10,
    maxPerPrivateIp: 10,
    maxPerPublicIp: 10,
  });
  port = await server.listen('127.0.0.1', 0);
});

afterAll(() => server.close(0));

describe('an answer of many pages', () => {
  it('arrives whole, again and again, for several at once', async () => {
    const all = Array.from({ length: PAGES }, (_, page) =>
      Array.from({ length: ROWS_A_PAGE }, (_row, place) => row(page, place)),
    ).flat();
    const result = { kept: 'k'.repeat(1 << 17), list: all };
    const expected = JSON.stringify({ id: 1, jsonrpc: '2.0', result });
    for (let round = 0; round < 3; round++) {
      const answers = await Promise.all(
        [1, 2, 3].map(() => post(port, '/json_rpc', { id: 1, method: 'list' })),
      );
      for (const { status, text } of answers) expect([status, text === expected]).toEqual([200, true]);
    }
  });
});
