/**
 * Waits until a program under test is killed. A kill may strike at any moment, so tests of `kill -9` draw one; no
 * expectation depends on the state that the program has reached by then.
 */
export const killMoment = (ms: number): Promise<void> =>
  // Timer: the moment is the input of these tests. Conditions would leave out the states between them.
  new Promise((resolve) => setTimeout(resolve, ms));
