interface Totals {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numFailedTestSuites: number;
}

/** Closes a run with one plain line that scripts can read. A file that did not load counts as a failure. */
export default class CountReporter {
  onRunComplete(_contexts: unknown, totals: Totals): void {
    const failed = Math.max(totals.numFailedTests, totals.numFailedTestSuites);
    process.stdout.write(`${totals.numPassedTests} passed, ${failed} failed\n`);
  }
}
