import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, test } from '@jest/globals';
import { HttpDaemon } from '../../src/daemon/http-daemon.js';
import { parseBlock } from '../../src/monero/cryptonote/block.js';
import { HeaderChain } from '../../src/monero/cryptonote/header-chain.js';
import { chainHeader } from '../../src/monero/cryptonote/header-rules.js';
import { workInput } from '../../src/monero/cryptonote/proof-of-work.js';
import { formatCheckpoint, parseCheckpoint } from '../../src/services/work/checkpoint-file.js';
import { readCheckpoint } from '../../src/services/work/read-checkpoint.js';
import { WorkClient } from '../../src/services/work/work-client.js';
import { systemClock, unixSeconds } from '../../src/util/clock.js';
import { UNRELATED_ADDRESS } from '../support/differential/differential-calls.js';
import { startMonerod, type RunningDaemon } from '../support/processes/monerod.js';
import { startRegtestDaemon } from '../support/processes/regtest-daemon.js';
import { MAIN, startWalletRpc, type WalletRpc } from '../support/processes/wallet-rpc.js';
import { createWallet } from '../support/wallets/create-wallet.js';

/* Blocks of the real monerod with real work, and checkpoints of its chain and of ours. */

/** Difficulty of the blocks of monerod: a second of its work for each. */
const DIFFICULTY = 20;
const BLOCKS = 2;

const SCRIPT = fileURLToPath(new URL('../../../bin/checkpoint', import.meta.url));
const SSL = { mode: 'disabled', allowedFingerprints: [], allowChained: false, allowAnyCert: true } as const;
const run = promisify(execFile);
const now = (): number => unixSeconds(systemClock);

let directory: string;
let monerod: RunningDaemon;
let regtest: RunningDaemon;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'checkpoint-'));
  [monerod, regtest] = await Promise.all([
    startMonerod({ difficulty: DIFFICULTY, isShortened: false, tls: false }),
    startRegtestDaemon(),
  ]);
  await Promise.all([monerod.generate(UNRELATED_ADDRESS, BLOCKS), regtest.generate(UNRELATED_ADDRESS, 40)]);
});

afterAll(async () => {
  await Promise.all([monerod.stop(), regtest.stop()]);
  rmSync(directory, { recursive: true, force: true });
});

describe('the work of blocks that monerod mined', () => {
  const work = new WorkClient({ priority: 0 });
  afterAll(() => work.close());

  it('is that of their difficulty, and changed nonces have none', async () => {
    const daemon = new HttpDaemon({ address: monerod.address, ssl: SSL });
    try {
      const fixedDifficulty = BigInt(DIFFICULTY);
      const { checkpoint } = await readCheckpoint(daemon, { height: 0, fixedDifficulty, now: now() });
      const chain = new HeaderChain(checkpoint);
      for (let height = 1; height <= BLOCKS; height++) {
        const block = parseBlock((await daemon.getBlock(height)).blob);
        const { hash, difficulty } = chain.add(chainHeader(block), now());
        expect(difficulty).toBe(fixedDifficulty);
        const seed = chain.seedOf(hash);
        expect(seed).toEqual(checkpoint.hash);
        expect(await work.check({ seed, input: workInput(block), difficulty })).toMatchObject({
          isMet: true,
        });
        chain.acceptWork(hash);
        expect(chain.verifiedConfirmations(1)).toBe(height);
        // One of twenty nonces has the work by chance, four of them hardly ever.
        const changed = await Promise.all(
          [1, 2, 3, 4].map((step) => {
            const header = { ...block.header, nonce: (block.header.nonce + step) % 2 ** 32 };
            return work.check({ seed, input: workInput({ ...block, header }), difficulty });
          }),
        );
        expect(changed.map(({ isMet }) => isMet)).toContain(false);
      }
    } finally {
      daemon.close();
    }
  });
});

describe('wallet-rpc checkpoint', () => {
  test('makes a checkpoint from monerod that its check finds on the chain, and says what differs', async () => {
    const path = join(directory, 'monerod.json');
    const source = `--daemon-address=${monerod.address}`;
    const fixed = `--fixed-difficulty=${DIFFICULTY}`;
    const made = await run(SCRIPT, ['make', source, `--height=${BLOCKS}`, fixed, `--output=${path}`]);
    expect(made.stderr).toContain('block 2: 3 blocks linked by their hashes, 2 difficulties computed');
    const { network, checkpoint } = parseCheckpoint(readFileSync(path, 'utf8'));
    expect(network).toBe('regtest');
    expect(checkpoint.window.at(-1)?.cumulativeDifficulty).toBe(BigInt(1 + BLOCKS * DIFFICULTY));
    const { stdout } = await run(process.execPath, [MAIN, 'checkpoint', 'check', path, source]);
    expect(stdout).toContain(`${path} is on the chain of the daemon, block 2`);

    const file = JSON.parse(readFileSync(path, 'utf8')) as { window: { timestamp: number }[] };
    (file.window[2] as { timestamp: number }).timestamp += 1;
    writeFileSync(path, JSON.stringify(file));
    await expect(run(process.execPath, [MAIN, 'checkpoint', 'check', path, source])).rejects.toMatchObject({
      stdout: expect.stringMatching(/^timestamp of block 2: \d+ in the checkpoint, \d+ at the daemon\n$/),
      stderr: `wallet-rpc: ${path} differs from the chain of the daemon in 1 facts\n`,
    });
    await expect(
      run(process.execPath, [MAIN, 'checkpoint', 'make', source, '--height=2']),
    ).rejects.toMatchObject({
      stderr: expect.stringContaining('block 1 has the difficulty 1, and the daemon says 20'),
    });
  });

  test('makes one from our node, which the other node does not have', async () => {
    const { stdout } = await run(process.execPath, [
      ...[MAIN, 'checkpoint', 'make', `--daemon-address=${regtest.address}`],
      ...['--height=40', '--fixed-difficulty=1'],
    ]);
    const { checkpoint } = parseCheckpoint(stdout);
    expect(new HeaderChain(checkpoint).tip).toMatchObject({ height: 40, cumulativeDifficulty: 41n });
    const path = join(directory, 'regtest.json');
    writeFileSync(path, stdout);
    await expect(
      run(process.execPath, [MAIN, 'checkpoint', 'check', path, `--daemon-address=${monerod.address}`]),
    ).rejects.toMatchObject({
      stderr: 'wallet-rpc: the daemon has no block at height 40: it has 3 blocks\n',
    });
  });
});

describe('a server with --verify-work', () => {
  it('takes the blocks of monerod, and none whose work is less than the checkpoint demands', async () => {
    const start = async (fixedDifficulty: bigint): Promise<WalletRpc> => {
      const daemon = new HttpDaemon({ address: monerod.address, ssl: SSL });
      const read = await readCheckpoint(daemon, { height: 0, fixedDifficulty, now: now() });
      daemon.close();
      const path = join(directory, `start-${fixedDifficulty}.json`);
      writeFileSync(path, formatCheckpoint({ ...read, checkpoint: { ...read.checkpoint, fixedDifficulty } }));
      const args = ['--verify-work', `--checkpoint=${path}`, '--refresh-period=0', '--trusted-daemon'];
      return startWalletRpc({ daemon: monerod.address, args, ownProcess: true });
    };
    const server = await start(BigInt(DIFFICULTY));
    await createWallet(server);
    const { address } = await server.rpc('get_address');
    await monerod.generate(address as string, 1);
    await server.rpc('refresh');
    const { in: received } = await server.rpc('get_transfers', { in: true });
    expect(received).toMatchObject([{ confirmations: 1, verified_confirmations: 1 }]);
    await server.stop();

    const strict = await start(2n ** 40n);
    await createWallet(strict);
    const { error } = await strict.call('refresh');
    expect(error?.message).toBe(
      'block 1 of the daemon has not the proof of work of its difficulty 1099511627776',
    );
    expect(await strict.rpc('get_height')).toMatchObject({ height: 1 });
    await strict.stop();
  });
});
