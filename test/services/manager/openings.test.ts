import { jest, beforeEach, describe, expect, it } from '@jest/globals';
import { CURRENT, Openings, START } from '../../../src/services/manager/openings.js';
import { turns } from '../../support/fakes/event-loop-turns.js';
import { withFakeTimeouts } from '../../support/fakes/fake-timeouts.js';
import { fault } from '../../support/wallets/service-wallet.js';

let openings: Openings;
let isOpen: boolean;

beforeEach(() => {
  openings = new Openings();
  isOpen = false;
});

const MS = 1000;
const opening = fault({ kind: 'wallet_opening', name: 'shop' });
const hold = (): Promise<void> => openings.hold('shop', () => isOpen, MS);

/** Notes the end of a wait. @returns `waits`, `over`, or the kind of its error. */
function stateOf(wait: Promise<void>): () => Promise<string> {
  let state = 'waits';
  wait.then(
    () => (state = 'over'),
    (error: Error) => (state = error.message),
  );
  return async () => {
    await turns(2);
    return state;
  };
}

describe('a call', () => {
  it('does not wait for a wallet that nobody opens', async () => {
    openings.expect('till');
    await hold();
    expect(openings.isAny).toBe(true);
  });

  it('waits for a wallet of the start, before and during the attempt, and through one of a client that fails', async () => {
    openings.expect('shop');
    const state = stateOf(hold());
    openings.begin('shop')(false);
    expect(await state()).toBe('waits');
    const end = openings.begin('shop');
    expect(await state()).toBe('waits');
    end(true);
    expect([await state(), openings.isAny]).toEqual(['over', false]);
  });

  it('ends its wait where the wallet is open although another attempt is running', async () => {
    openings.begin('shop');
    const end = openings.begin('shop');
    const state = stateOf(hold());
    isOpen = true;
    end(true);
    expect(await state()).toBe('over');
  });

  it.each([
    ['could not be opened', (): void => openings.fail('shop', 'a reason'), 'a reason'],
    ['another process serves', (): void => openings.release('shop'), undefined],
  ])('ends its wait for a wallet that %s, and later ones do not wait', async (_, end, failure) => {
    openings.expect('shop');
    const state = stateOf(hold());
    end();
    expect(await state()).toBe('over');
    await hold();
    expect(openings.failureOf('shop')).toBe(failure);
  });

  it('waits again while a wallet that could not be opened is tried anew, whose success ends the failure', async () => {
    openings.fail('shop', 'a reason');
    const end = openings.begin('shop');
    const state = stateOf(hold());
    expect(await state()).toBe('waits');
    end(true);
    expect([await state(), openings.failureOf('shop')]).toEqual(['over', undefined]);
  });

  it('is refused once its time has passed, and at once if it has none left', async () => {
    openings.expect('shop');
    await withFakeTimeouts(async () => {
      const wait = hold();
      jest.advanceTimersByTime(MS);
      await expect(wait).rejects.toMatchObject(opening);
    });
    await expect(openings.hold('shop', () => isOpen, 0)).rejects.toMatchObject(opening);
  });

  it('is refused at once when the server stops, and so is a later one', async () => {
    openings.expect('shop');
    const wait = hold();
    openings.close();
    await expect(wait).rejects.toMatchObject(opening);
    await expect(hold()).rejects.toMatchObject(opening);
  });

  it('that opens a wallet waits for a running attempt only', async () => {
    openings.expect('shop');
    await openings.holdAttempt('shop', MS);
    const end = openings.begin('shop');
    const state = stateOf(openings.holdAttempt('shop', MS));
    expect(await state()).toBe('waits');
    end(false);
    expect(await state()).toBe('over');
  });

  it('for all wallets waits until each that its client may know of was tried', async () => {
    openings.expect('shop');
    openings.expect('till');
    openings.begin(CURRENT);
    openings.begin(START);
    const state = stateOf(openings.holdStart((name) => name === 'shop', MS));
    expect(await state()).toBe('waits');
    openings.fail('shop', 'a reason');
    expect(await state()).toBe('over');
  });
});

describe('a wallet of the start', () => {
  it('is expected until it is opened, by whomever', () => {
    openings.expect('shop');
    expect(openings.isExpected('shop')).toBe(true);
    openings.begin('shop')(true);
    expect([openings.isExpected('shop'), openings.isAny]).toEqual([false, false]);
  });
});
