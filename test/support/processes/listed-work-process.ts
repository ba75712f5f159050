import { readFileSync } from 'node:fs';
import type { HashedWork, LoadedRandomX, WorkInput } from '../../../src/services/work/work-process.js';
import { bytes32, toHex } from '../../../src/util/bytes.js';
import { parentProcessPort } from '../../../src/util/child-worker.js';
import { answerCalls, job } from '../../../src/util/thread-jobs.js';

/* Stands for the process that loads RandomX: the blocks that a file lists have any work, and other blocks have none. */

const [, , list = ''] = process.argv;
const memory = 1_048_576;

answerCalls(
  {
    load: job((): Promise<LoadedRandomX> => Promise.resolve({ isCompiled: true, memory })),
    check: job(({ input }: WorkInput): Promise<HashedWork> => {
      const isMet = readFileSync(list, 'utf8').includes(toHex(input));
      return Promise.resolve({
        ...{ hash: bytes32(new Uint8Array(32).fill(isMet ? 0 : 255), 'Hash'), isMet },
        ...{ ms: 1, seedMs: 0, memory },
      });
    }),
  },
  () => undefined,
  parentProcessPort(),
);
