import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { installPacked } from '../support/processes/packed-package.js';
import { startBrowser } from '../support/processes/browser.js';
import { createWallet } from '../support/wallets/create-wallet.js';
import { result, type Loose } from '../support/network/json-rpc.js';
import { freePort, start, stop, untilReady, type RunningProcess } from '../support/processes/process.js';

/* The npm package: packed from the compiled tree, installed in an empty folder, and used for a first payment. */

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const run = promisify(execFile);

/** Blocks until the first mining reward can be spent, with outputs left over for rings. */
const FIRST_BLOCKS = 80;

/** Options of the compiler: strict, and without packages of types. */
const STRICT = {
  ...{ strict: true, exactOptionalPropertyTypes: true, types: [] },
  ...{ module: 'nodenext', target: 'es2023', lib: ['es2023', 'dom'] },
};

/** Compiles programs by their names in the folder of the package. @returns the lines of errors. */
async function compile(programs: Readonly<Record<string, string>>): Promise<string[]> {
  for (const [name, text] of Object.entries(programs)) writeFileSync(join(folder, name), text);
  const files = Object.keys(programs);
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: STRICT, files }));
  const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  const { stdout } = await run(process.execPath, [tsc, '-p', '.'], { cwd: folder }).catch(
    (error: { stdout: string }) => error,
  );
  return stdout.split('\n');
}

/** A wallet with the address 0/1. */
const PAID_BLOCK = JSON.parse(readFileSync(join(ROOT, 'docs/examples/paid-block.json'), 'utf8')) as {
  readonly mnemonic: string;
  readonly proof: { readonly address: string; readonly transaction: string };
};

/** Program that pays twice under one idempotency key, and reads the first event of a payment. */
const CONSUMER = `
import { createClient, WalletRpcError } from 'wallet-rpc/client';

declare const process: { readonly env: Record<string, string | undefined>; readonly argv: readonly string[] };

const XMR = 10n ** 12n;
const wallet = createClient({ url: process.env['URL'] ?? '', timeout: 60_000 });
const { unlocked_balance } = await wallet.get_balance({ account_index: 0 });
if (unlocked_balance < XMR) throw new Error('no money');
const destinations = [{ amount: XMR, address: process.argv[2] ?? '' }];
for (let i = 0; i < 2; i++) {
  const { tx_hash } = await wallet.transfer({ destinations }, { idempotencyKey: 'order 1' });
  console.log(tx_hash);
}
const refused: unknown = await wallet.transfer({ destinations: [] }).catch((error: unknown) => error);
if (!(refused instanceof WalletRpcError) || refused.code >= 0) throw refused;
for await (const event of wallet.events({ types: ['payment.mined'] })) {
  // The types that are asked for narrow the events.
  const amount: bigint = event.data.amount;
  console.log(event.type, String(amount));
  break;
}
wallet.close();
`;

/** Program that derives an address from a mnemonic, hashes a passphrase on a thread, and verifies a message that it signs. */
const LIBRARY = `
import {
  accountKeysOf,
  addSeedOffset,
  decodeMnemonic,
  formatAddress,
  ownAddress,
  removeSeedOffset,
  signMessage,
  spendSecretFromSeed,
  systemRng,
  verifyMessage,
  type AccountKeys,
  type Address,
  type PublicKey,
  type SecretKey,
} from 'wallet-rpc/monero';

declare const process: { readonly argv: readonly string[] };

const PASSPHRASE = 'a passphrase';
const secret: SecretKey = spendSecretFromSeed(decodeMnemonic(process.argv[2] ?? '').seed);
const encrypted = await addSeedOffset(secret, PASSPHRASE);
const keys: AccountKeys = accountKeysOf(await removeSeedOffset(encrypted, PASSPHRASE));
const spendPublicKey: PublicKey = keys.spendPublicKey;
const index = { major: 0, minor: 1 };
const address: Address = ownAddress(keys, 'mainnet', index);
console.log(formatAddress(address));
const message = new TextEncoder().encode('a message');
const signature = signMessage({ message, keys, spendPublicKey, index, key: 'spend' }, systemRng);
const verdict = verifyMessage({ message, address, signature });
console.log(verdict.good ? verdict.key : 'bad');
`;

/** Program for a browser, which derives an address from a mnemonic and verifies a proof, with random bytes and Polyseed. */
const BROWSER = `
import {
  accountKeysOf,
  checkTxProof,
  decodeMnemonic,
  formatAddress,
  fromHex,
  ownAddress,
  parseAddress,
  parseBlock,
  POLYSEED_LANGUAGES,
  polyseedKey,
  removeSeedOffset,
  addSeedOffset,
  scanBlock,
  spendSecretFromSeed,
  SubaddressTable,
  randomPolyseed,
  systemRng,
  toHex,
} from 'wallet-rpc/monero';

export async function run(given) {
  const { viewSecret, spendPublicKey, spendSecret } = accountKeysOf(spendSecretFromSeed(decodeMnemonic(given.mnemonic).seed));
  const block = parseBlock(fromHex(given.block));
  const txs = block.txHashes.map((hash, i) => ({ hash, blob: fromHex(given.transactions[i]) }));
  const table = new SubaddressTable(spendPublicKey, viewSecret, { major: 1, minor: 20 });
  table.expandTo({ major: 0, minor: 0 });
  const { transaction, address, message, text } = given.proof;
  const verdict = checkTxProof({
    tx: txs.find(({ hash }) => toHex(hash) === transaction),
    address: parseAddress(address, 'mainnet'),
    message: new TextEncoder().encode(message),
    proof: text,
  });
  return {
    address: formatAddress(ownAddress({ viewSecret, spendPublicKey }, 'mainnet', { major: 0, minor: 1 })),
    paid: scanBlock(block, txs, { viewSecret }, table).map(({ hash }) => toHex(hash)),
    good: verdict.good,
    received: String(verdict.received),
    key: polyseedKey(randomPolyseed(systemRng, 1_700_000_000, POLYSEED_LANGUAGES[0])).length,
    isSame: toHex(await removeSeedOffset(await addSeedOffset(spendSecret, 'p'), 'p')) === toHex(spendSecret),
  };
}
`;

/** Largest size of a bundle that parses addresses and does nothing else [bytes]. */
const PARSER_BYTES = 40 * 1024;

/** Bundles a program for browsers, minified. @returns the script, whose exports are members of the global `program`. */
async function bundled(name: string, text: string): Promise<string> {
  writeFileSync(join(folder, name), text);
  const esbuild = join(ROOT, 'node_modules', 'esbuild', 'bin', 'esbuild');
  const options = ['--bundle', '--minify', '--platform=browser', '--format=iife', '--global-name=program'];
  const { stdout } = await run(process.execPath, [esbuild, name, ...options], {
    ...{ cwd: folder, maxBuffer: 2 ** 24 },
  });
  return stdout;
}

let folder: string;
let server: RunningProcess | undefined;

const installed = (...path: string[]): string => join(folder, 'node_modules', 'wallet-rpc', ...path);

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'npm-package-'));
  await installPacked(folder);
});

afterAll(async () => {
  if (server !== undefined) await stop(server);
  rmSync(folder, { recursive: true, force: true });
});

describe('the npm package', () => {
  it('installs without compilers and test tools', () => {
    const names = readdirSync(join(folder, 'node_modules'));
    for (const name of ['typescript', 'assemblyscript', 'jest', 'oxlint', 'monero-ts'])
      expect(names).not.toContain(name);
  });

  it('has a changelog entry of its version', () => {
    const { version } = JSON.parse(readFileSync(installed('package.json'), 'utf8')) as { version: string };
    expect(readFileSync(installed('CHANGELOG.md'), 'utf8')).toMatch(
      new RegExp(`^## ${version.replaceAll('.', '\\.')}$`, 'm'),
    );
  });

  it('is run by npx', async () => {
    const { version } = JSON.parse(readFileSync(installed('package.json'), 'utf8')) as { version: string };
    const { stdout } = await run('npx', ['--no-install', 'wallet-rpc', '--version'], { cwd: folder });
    expect(stdout.trim()).toBe(version);
  });

  it('has a client whose types serve strict TypeScript, without packages of types', async () => {
    const wrong = CONSUMER.replace('get_balance', 'get_blance').replace('10n ** 12n', "'10'");
    const errors = await compile({ 'consumer.mts': CONSUMER, 'wrong.mts': wrong });
    // Lines that continue an error are indented.
    expect(errors.filter((line) => /^(?!wrong\.mts|\s|$)/.test(line))).toEqual([]);
    const stdout = errors.join('\n');
    expect(stdout).toContain("'get_blance' does not exist");
    expect(stdout).toContain("Type 'string' is not assignable to type 'number | bigint");
  });

  it('has a protocol library that runs, and whose types serve strict TypeScript without packages of types', async () => {
    const wrong = LIBRARY.replace('removeSeedOffset(encrypted', 'removeSeedOffset(PASSPHRASE').replace(
      'spendPublicKey: PublicKey',
      'spendPublicKey: SecretKey',
    );
    const errors = await compile({ 'library.mts': LIBRARY, 'wrong-library.mts': wrong });
    expect(errors.filter((line) => /^(?!wrong-library\.mts|\s|$)/.test(line))).toEqual([]);
    expect(errors.join('\n')).toContain("Type 'PublicKey' is not assignable to type 'SecretKey'");
    expect(errors.join('\n')).toContain(
      "Argument of type 'string' is not assignable to parameter of type 'Uint8Array",
    );
    const { stdout } = await run(process.execPath, ['library.mjs', PAID_BLOCK.mnemonic], { cwd: folder });
    expect(stdout.split('\n')).toEqual([PAID_BLOCK.proof.address, 'spend', '']);
  });

  it('has a protocol library that a CommonJS program can require', async () => {
    const program = `
      const { parseAddress } = require('wallet-rpc/monero');
      console.log(parseAddress(process.argv[2]).kind);`;
    writeFileSync(join(folder, 'required.cjs'), program);
    const { stdout } = await run(process.execPath, ['required.cjs', PAID_BLOCK.proof.address], {
      cwd: folder,
    });
    expect(stdout.trim()).toBe('subaddress');
  });

  it('has a protocol library of which a browser loads only what a program uses', async () => {
    const script = await bundled('parser.ts', `export { parseAddress } from 'wallet-rpc/monero';`);
    expect(script.length).toBeLessThan(PARSER_BYTES);
    expect(script).not.toMatch(/node:|require\(/);
  });

  it('has a protocol library that finds payments and verifies a proof in a browser', async () => {
    const browser = await startBrowser();
    try {
      const page = await browser.newPage();
      await page.addScriptTag({ content: await bundled('browser.ts', BROWSER) });
      expect(await page.evaluate(`program.run(${JSON.stringify(PAID_BLOCK)})`)).toEqual({
        address: PAID_BLOCK.proof.address,
        paid: [expect.stringMatching(/^[0-9a-f]{64}$/), PAID_BLOCK.proof.transaction],
        good: true,
        received: '250000000000',
        key: 32,
        isSame: true,
      });
    } finally {
      await browser.close();
    }
  });

  it('starts a server with a regtest node and makes a payment', async () => {
    const [port, daemonPort] = [await freePort(), await freePort()];
    server = start(join(folder, 'node_modules', '.bin', 'wallet-rpc'), [
      ...['--regtest', `--daemon-port=${daemonPort}`, `--wallet-dir=${join(folder, 'wallets')}`],
      ...[`--rpc-bind-port=${port}`, '--disable-rpc-login'],
    ]);
    const { output } = server;
    await untilReady(server, 'the server', () => output().includes('Starting wallet RPC server'));
    const rpc = (method: string, params?: object): Promise<Loose> => result(port, method, params);
    await createWallet({ rpc }, 'shop');
    const { address } = await rpc('get_address');
    await result(daemonPort, 'generateblocks', { amount_of_blocks: FIRST_BLOCKS, wallet_address: address });
    await rpc('refresh');
    const { tx_hash } = await rpc('transfer', { destinations: [{ amount: 1_000_000_000_000, address }] });
    const { pending } = await rpc('get_transfers', { pending: true });
    expect((pending as Loose[]).map(({ txid }) => txid)).toEqual([tx_hash]);
    const env = { ...process.env, URL: `http://127.0.0.1:${port}` };
    const { stdout } = await run(process.execPath, ['consumer.mjs', String(address)], { cwd: folder, env });
    const [paid = '', again, event] = stdout.trim().split('\n');
    expect(paid).toMatch(/^[0-9a-f]{64}$/);
    expect(again).toBe(paid);
    expect(event).toMatch(/^payment\.mined \d+$/);
    // Nothing is installed or compiled at a start.
    expect(existsSync(installed('.node'))).toBe(false);
    expect(output()).not.toMatch(/Installing|Compiling/);
  });
});
