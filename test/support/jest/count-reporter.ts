interface Totals {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numFailedTestSuites: number;
}

/** Ends a run with one line that scripts can parse. A file that does not load counts as a failure. */
export default class CountReporter {
  onRunComplete(_contexts: unknown, totals: Totals): void {
    const failed = Math.max(totals.numFailedTests, totals.numFailedTestSuites);
    process.stdout.write(`${totals.numPassedTests} passed, ${failed} failed\n`);
  }
}
