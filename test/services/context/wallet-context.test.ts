import { describe, expect, it } from '@jest/globals';
import { WalletLocks } from '../../../src/services/context/wallet-context.js';
import { turns } from '../../support/fakes/event-loop-turns.js';

/** A task that runs until it is ended, and notes when it starts. */
function taskNamed(name: string, started: string[]) {
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return {
    run: (): Promise<void> => {
      started.push(name);
      return ended;
    },
    end: () => end(),
  };
}

describe('the locks of a wallet', () => {
  it('let a refresh and a payment run side by side', async () => {
    const locks = new WalletLocks();
    const started: string[] = [];
    const [refresh, payment] = [taskNamed('refresh', started), taskNamed('payment', started)];
    const both = [locks.refresh.run(refresh.run), locks.payment.run(payment.run)];
    await turns(3);
    expect(started).toEqual(['refresh', 'payment']);
    refresh.end();
    payment.end();
    await Promise.all(both);
  });

  it.each(['refresh', 'payment'] as const)('keep an exclusive task waiting for a %s', async (lock) => {
    const locks = new WalletLocks();
    const started: string[] = [];
    const [before, exclusive] = [taskNamed(lock, started), taskNamed('exclusive', started)];
    const both = [locks[lock].run(before.run), locks.exclusive(exclusive.run)];
    await turns(3);
    expect(started).toEqual([lock]);
    before.end();
    await turns(3);
    expect(started).toEqual([lock, 'exclusive']);
    exclusive.end();
    await Promise.all(both);
  });

  it('keep refreshes and payments waiting for an exclusive task, also one that fails', async () => {
    const locks = new WalletLocks();
    const started: string[] = [];
    const exclusive = taskNamed('exclusive', started);
    const failing = locks.exclusive(async () => {
      await exclusive.run();
      throw new Error('it failed');
    });
    const [refresh, payment] = [taskNamed('refresh', started), taskNamed('payment', started)];
    await turns(3);
    const both = [locks.refresh.run(refresh.run), locks.payment.run(payment.run)];
    await turns(3);
    expect(started).toEqual(['exclusive']);
    exclusive.end();
    await expect(failing).rejects.toThrow('it failed');
    await turns(3);
    expect(started.slice(1).sort()).toEqual(['payment', 'refresh']);
    refresh.end();
    payment.end();
    await Promise.all(both);
  });
});
