import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Terminal } from '../../../src/cli/commands/credential-command.js';
import { verifyReserveCommand } from '../../../src/cli/commands/verify-reserve-command.js';
import { formatAddress } from '../../../src/monero/cryptonote/address.js';
import { proveBundle } from '../../../src/monero/wallet/proofs/reserve-bundle-proof.js';
import type { ReserveBundle } from '../../../src/monero/wallet/proofs/reserve-bundle.js';
import { reserveBundleShape } from '../../../src/rpc/wire/reserve-bundle.js';
import type { Json } from '../../../src/util/json.js';
import { writeJson } from '../../../src/util/json-writer.js';
import { bundleFacts, bundleOf, oneAccount, twoAccounts } from '../../monero/wallet/bundle-fixture.js';
import { seededRng } from '../../support/fakes/seeded-rng.js';

let directory: string;
let path: string;
let printed: string[];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'reserve-'));
  path = join(directory, 'reserve.json');
  printed = [];
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const run = async (...args: string[]): Promise<number> => {
  let code = 0;
  const terminal: Terminal = {
    print: (lines) => printed.push(...lines.split('\n')),
    hint: () => undefined,
  };
  await verifyReserveCommand(terminal, (given) => (code = given)).parseAsync(args, { from: 'user' });
  return code;
};

const textOf = (bundle: ReserveBundle): string => writeJson(reserveBundleShape(bundle) as unknown as Json);

const verify = (content: string): Promise<number> => {
  writeFileSync(path, content);
  return run(path);
};

describe('wallet-rpc verify-reserve', () => {
  it('prints what a file proves, and what only a chain knows', async () => {
    expect(await verify(textOf(twoAccounts))).toBe(0);
    expect(printed).toEqual([
      'Proven:',
      `  wallet    ${formatAddress(bundleFacts.address)} (mainnet)`,
      '  message   "audit, ünïcode"',
      `  state     after block 100, ${'03'.repeat(32)}`,
      '  made      2026-01-03T00:26:40Z, by the clock of the wallet',
      '  total     0.000000000399 XMR in 6 outputs (0.000000000075 unlocked, 0.000000000324 locked)',
      '  account   0: 0.000000000325 XMR in 4 outputs (0.000000000005 unlocked, 0.000000000320 locked)',
      '  account   1: 0.000000000074 XMR in 2 outputs (0.000000000070 unlocked, 0.000000000004 locked)',
      'The numbers of accounts are as the wallet says.',
      'Not known without the chain:',
      '  whether the transactions are in the blocks that the file names, and the block is in the chain',
      '  whether outputs are spent, at that height or now',
      'Give --daemon-address to ask a node.',
    ]);
  });

  it('takes a file that another program has formatted', async () => {
    expect(await verify(JSON.stringify(JSON.parse(textOf(oneAccount)), null, 2))).toBe(0);
  });

  it('prints no line of a message as its own', async () => {
    const given = bundleOf([0]);
    const facts = { ...given.facts, message: 'x"\n  total     1000000 XMR\u001b[2J' };
    expect(await verify(textOf(proveBundle({ ...given, facts }, seededRng('lines'))))).toBe(0);
    expect(printed.filter((line) => line.startsWith('  total'))).toHaveLength(1);
    expect(printed).toContain('  message   "x\\"\\n  total     1000000 XMR\\u001b[2J"');
  });

  it.each<[string, (text: string) => string, string]>([
    ['an empty file', () => '', 'no value'],
    ['no JSON', () => '{"format"', 'ends early'],
    ['another document', () => '{"format":"reserve-bundle-2"}', 'is not proven: format'],
    ['deep JSON', () => '['.repeat(1000), 'nested too deeply'],
    ['many values', () => `[${'0,'.repeat(500_000)}0]`, 'too many values'],
    ['a long number', (text) => text.replace('"height":100', `"height":1${'0'.repeat(100)}`), 'too long'],
    [
      'a member twice, of which a program may read either',
      (text) => text.replace('"height":100', '"height":999,"height":100'),
      'two members of one name',
    ],
    ['another height', (text) => text.replace('"height":100', '"height":101'), 'is wrong'],
    ['another message', (text) => text.replace('audit', 'Audit'), 'is wrong'],
  ])('refuses %s', async (_, change, reason) => {
    await expect(verify(change(textOf(twoAccounts)))).rejects.toThrow(reason);
    expect(printed).toEqual([]);
  });

  it('refuses a file that does not exist, or is too large', async () => {
    await expect(run(path)).rejects.toThrow('cannot be read (ENOENT)');
    writeFileSync(path, '');
    truncateSync(path, 65 * 1024 * 1024);
    await expect(run(path)).rejects.toThrow('cannot be read (EFBIG)');
  });

  it('refuses a proxy without a node, and reports a node that does not answer', async () => {
    writeFileSync(path, textOf(oneAccount));
    await expect(run(path, '--proxy', '9050')).rejects.toThrow('--daemon-address');
    await expect(run(path, '--daemon-address', '127.0.0.1:1')).rejects.toThrow('127.0.0.1:1');
    expect(printed).toEqual([]);
  });
});
