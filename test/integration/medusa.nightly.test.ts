import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { installPackedClient, type PackedClient } from '../support/network/packed-client.js';
import { installMedusa, PLAIN } from '../support/processes/medusa.js';
import { startPostgres, type PostgresCluster } from '../support/processes/postgres-cluster.js';
import { PASSWORD } from '../support/processes/postgres-template.js';
import { startShopServer, type ShopServer } from '../support/wallets/shop-server.js';

/* The payment provider for Medusa in the framework itself, with its own test harness. */

const run = promisify(execFile);

let client: PackedClient;
let database: PostgresCluster;
let shop: ShopServer;
let folder: string;

beforeAll(async () => {
  client = await installPackedClient();
  folder = await installMedusa(client);
  [database, shop] = await Promise.all([startPostgres({ isPlain: true, standbys: 0 }), startShopServer()]);
}, 1_200_000);

afterAll(async () => {
  await Promise.all([database?.stop(), shop?.stop()]);
  client?.remove();
});

/** Runs a script of the package. @returns what it prints, whether or not it fails. */
async function script(...args: readonly string[]): Promise<string> {
  const env = {
    ...{ ...PLAIN, ...shop.env, DB_HOST: 'localhost', DB_PORT: String(database.primary().port) },
    ...{ DB_USERNAME: 'postgres', DB_PASSWORD: PASSWORD },
  };
  const { stdout, stderr } = await run('npm', ['run', '--silent', ...args], { cwd: folder, env }).catch(
    (error: { stdout: string; stderr: string }) => error,
  );
  return stdout + stderr;
}

describe('the payment provider for Medusa', () => {
  it('compiles with the types of the framework, and passes its tests in it', async () => {
    const printed = await script('test');
    expect(printed).toMatch(/^Tests: +[1-9]\d* passed, [1-9]\d* total$/m);
  }, 600_000);
});
