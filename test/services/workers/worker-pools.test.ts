import { describe, expect, it } from '@jest/globals';
import { WorkerPools } from '../../../src/services/workers/worker-pools.js';

describe('the worker pools of a server', () => {
  it('end all together: none takes a task afterwards', async () => {
    const pools = new WorkerPools();
    await pools.close();
    const viewSecret = new Uint8Array(32) as never;
    const later = [
      () => pools.signing.run('unusableDecoys', []),
      () => pools.multisig.run('createInfo', { outputs: [], signer: viewSecret, shares: [] }),
      () => pools.proofs.run('readReserveProof', ''),
      () =>
        pools.keyImages.locate(
          [{ publicKey: viewSecret, outputIndex: 0, txPublicKey: viewSecret, additionalKeys: [] }],
          {
            viewSecret,
          },
        ),
    ];
    for (const run of later) await expect(run()).rejects.toThrow('worker pool is closed');
  });

  it('reject tasks under way when they end', async () => {
    const pools = new WorkerPools();
    const rejected = expect(pools.signing.run('unusableDecoys', [])).rejects.toThrow('worker pool is closed');
    await pools.close();
    await rejected;
  });
});
