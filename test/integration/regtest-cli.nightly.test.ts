import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Monerod } from '../support/processes/monerod.js';
import { referenceEnv } from '../support/processes/reference-preload.js';
import { startRegtestDaemon } from '../support/processes/regtest-daemon.js';

/* The reference's command-line wallet on our daemon: one process per command, prompts answered on standard input. */

const PRICE = '1.5';
const directory = mkdtempSync(join(tmpdir(), 'wallet-cli-'));
let daemon: Monerod;
let address: string;

/** Runs one wallet command. @param answers lines for its prompts. @returns its output. */
function cli(command: readonly string[], answers = '', wallet = ['--wallet-file', 'w']): Promise<string> {
  const child = spawn(
    'monero-wallet-cli',
    [
      ...wallet,
      `--daemon-address=${daemon.address}`,
      '--daemon-ssl=disabled',
      '--trusted-daemon',
      '--password',
      '',
      '--log-file=cli.log',
      '--shared-ringdb-dir=rings',
      '--command',
      ...command,
    ],
    { cwd: directory, env: referenceEnv(), stdio: ['pipe', 'pipe', 'pipe'] },
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')));
  child.stdin.end(answers);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => resolve(output));
  });
}

const submitted = (output: string): string =>
  /submitted, transaction <([0-9a-f]{64})>/.exec(output)?.[1] ?? `nothing submitted: ${output.slice(-500)}`;

const waiting = async (): Promise<unknown> => (await daemon.plain('/get_transaction_pool_hashes')).tx_hashes;

beforeAll(async () => {
  daemon = await startRegtestDaemon();
  const created = await cli(['address'], '', [
    '--generate-new-wallet',
    'w',
    '--mnemonic-language',
    'English',
  ]);
  address = /Generated new wallet: (4\w{94})/.exec(created)?.[1] ?? '';
  for (const setting of ['ask-password', 'always-confirm-transfers'])
    await cli(['set', setting, '0'], '\n\n');
  await daemon.generate(address, 80);
});

afterAll(async () => {
  await daemon?.stop();
  rmSync(directory, { recursive: true, force: true });
});

describe('monero-wallet-cli on our daemon', () => {
  it('syncs, and shows mined money', async () => {
    const output = await cli(['refresh']);
    expect(output).toMatch(/Refresh done, blocks received: 80/);
    expect(output).toMatch(/Balance: 2814\.\d{12}, unlocked balance: 738\.\d{12}/);
  });

  it('pays, sees the payment in its history, and sweeps the rest', async () => {
    const paid = submitted(await cli(['transfer', address, PRICE], 'y\n'));
    expect(await waiting()).toEqual([paid]);
    await daemon.generate(address, 1);
    await cli(['refresh']);
    expect(await cli(['show_transfers', 'out'])).toMatch(new RegExp(`81 +out .* ${paid} .*:${PRICE}0+ `));
    const swept = submitted(await cli(['sweep_all', address], 'y\ny\n'));
    expect(await waiting()).toEqual([swept]);
  });
});
