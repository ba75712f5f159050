import { readdirSync } from 'node:fs';
import { getPriority } from 'node:os';
import { expect, it } from '@jest/globals';
import { createWallet } from '../support/wallets/create-wallet.js';
import { startRegtestDaemon } from '../support/processes/regtest-daemon.js';
import { startWalletProcess } from '../support/processes/wallet-rpc.js';

/** Nice values of the threads of a process. */
const threadPriorities = (pid: number): readonly number[] =>
  readdirSync(`/proc/${pid}/task`).flatMap((thread) => {
    try {
      // Linux counts a thread as a process of its own here.
      return [getPriority(Number(thread))];
    } catch {
      // It has ended since it was listed.
      return [];
    }
  });

it('every thread of a server that reads the chain has the priority of its process: none waits for other programs', async () => {
  const daemon = await startRegtestDaemon();
  const server = await startWalletProcess({ daemon: daemon.address });
  try {
    await createWallet(server);
    await daemon.generate((await server.rpc('get_address')).address as string, 3);
    await server.rpc('refresh');
    const { pid = 0 } = server.process.child;
    const ofThreads = threadPriorities(pid);
    expect(ofThreads).toEqual(ofThreads.map(() => getPriority(pid)));
  } finally {
    await server.stop();
    await daemon.stop();
  }
});
