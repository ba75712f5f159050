/** Variable with which `bin/test --all` asks for all runs of random tests. */
export const RANDOM_RUNS = 'RANDOM_RUNS';

/**
 * Number of runs of a random test that takes seconds: an eighth in the suite of a commit.
 * @param atNight number in `bin/test --all`, which the nightly workflow runs.
 */
export const randomRuns = (atNight: number): number =>
  process.env[RANDOM_RUNS] === 'all' ? atNight : Math.ceil(atNight / 8);
