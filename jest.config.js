/** Tests run from the compiled tree; `bin/test` builds it first. */
export default {
  testEnvironment: '<rootDir>/build/test/support/jest/shared-modules-environment.js',
  runtime: '<rootDir>/build/test/support/jest/shared-modules-runtime.js',
  transform: {},
  roots: ['<rootDir>/build'],
  testMatch: ['<rootDir>/build/test/**/*.test.js'],
  globalSetup: '<rootDir>/build/test/support/jest/begin-run.js',
  globalTeardown: '<rootDir>/build/test/support/jest/end-run.js',
  // Tests of the hash itself import it by another path.
  moduleNameMapper: {
    '^(\\.{1,2}/(crypto/)?slow-hash-worker\\.js|#slow-hash)$':
      '<rootDir>/build/test/support/jest/slow-hash-record.js',
  },
  setupFilesAfterEnv: ['<rootDir>/build/test/support/jest/byte-equality.js'],
  // Outlives the temporary directory of a run: it records how long each file takes.
  cacheDirectory: '<rootDir>/build/.cache/jest',
  testTimeout: 300_000,
  // One more than processors: many tests wait for a time limit or for another program.
  maxWorkers: 3,
  // A worker ends when its last connections and threads have ended: with Jest's half a second it is killed, with a warning.
  workerGracefulExitTimeout: 10_000,
  testSequencer: '<rootDir>/build/test/support/jest/longest-first.js',
  reporters: ['default', '<rootDir>/build/test/support/jest/count-reporter.js'],
};
