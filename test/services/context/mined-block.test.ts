import { beforeEach, describe, expect, it } from '@jest/globals';
import type { DaemonBlock } from '../../../src/daemon/daemon.js';
import { DaemonError, NewerBlock } from '../../../src/daemon/errors.js';
import type { Hash } from '../../../src/monero/crypto/types.js';
import { parseBlock } from '../../../src/monero/cryptonote/block.js';
import { transactionHash } from '../../../src/monero/cryptonote/transaction.js';
import { CARROT_ONLY_FORK } from '../../../src/monero/fork-rules.js';
import type { BlockRef } from '../../../src/monero/wallet/scan/findings.js';
import { minedBlock } from '../../../src/services/context/mined-block.js';
import { bytes } from '../../store/fixtures.js';
import { blockWith } from '../../support/chain/work-chain.js';

const hash = (n: number): Hash => bytes<Hash>(n);

/** Answer of the daemon for a height, block of the wallet at that height, and blocks that the gates were asked about. */
let answer: DaemonBlock;
let held: BlockRef | undefined;
let admitted: BlockRef[];
let refusal: Error | undefined;

beforeEach(() => {
  answer = blockWith(7, [hash(1), hash(2)], 1007);
  held = { height: 7, hash: answer.hash };
  admitted = [];
  refusal = undefined;
});

/** Asks a daemon that answers requests for one block alone. */
const mined = (...txHashes: Hash[]) =>
  minedBlock(
    {
      daemon: {
        client: () => ({ getBlock: () => Promise.resolve(answer) }),
        admit: (block: BlockRef) => {
          admitted.push(block);
          return refusal && Promise.reject(refusal);
        },
      },
      store: { blockAt: () => held },
    } as never,
    7,
    txHashes,
  );

describe('a block that is to contain transactions', () => {
  it('is the block of the wallet, with its hash and time, which passes the gates', async () => {
    const expected = { hash: answer.hash, timestamp: 1007 };
    expect(await mined(hash(1), hash(2))).toEqual(expected);
    expect(await mined()).toEqual(expected);
    expect(admitted).toEqual([held, held]);
  });

  it('contains its miner transaction', async () => {
    expect(await mined(transactionHash(parseBlock(answer.blob).minerTx))).toMatchObject({ timestamp: 1007 });
  });

  it('proves its contents where the wallet has not read it', async () => {
    held = undefined;
    expect(await mined(hash(1))).toMatchObject({ hash: answer.hash });
    await expect(mined(hash(1), hash(3))).rejects.toThrow('block 7 of the daemon lacks transaction');
  });

  it('is refused where the gates refuse it', async () => {
    refusal = new DaemonError('forged', 'no work');
    await expect(mined(hash(1))).rejects.toBe(refusal);
  });

  it.each<[string, () => void, string]>([
    [
      'is another block than that of the wallet',
      () => void (held = { height: 7, hash: hash(9) }),
      'malformed',
    ],
    ['has another hash than the daemon says', () => void (answer = { ...answer, hash: hash(9) }), 'forged'],
    ['is of another height', () => void (answer = blockWith(8, [hash(1)])), 'forged'],
    ['cannot be read', () => void (answer = { ...answer, blob: answer.blob.subarray(0, 60) }), 'malformed'],
    ['is empty', () => void (answer = { ...answer, blob: new Uint8Array() }), 'malformed'],
  ])('is refused if it %s', async (_, change, kind) => {
    change();
    await expect(mined(hash(1))).rejects.toMatchObject({ name: 'DaemonError', kind });
    expect(admitted).toEqual([]);
  });

  it('is of a fork that is not known if it cannot be read and has a newer version', async () => {
    answer = { ...answer, blob: Uint8Array.of(CARROT_ONLY_FORK + 1, 0, 0) };
    await expect(mined(hash(1))).rejects.toBeInstanceOf(NewerBlock);
  });
});
