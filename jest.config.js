/** Tests run from the compiled tree; `bin/test` builds it first. */
export default {
  testEnvironment: 'node',
  transform: {},
  testMatch: ['<rootDir>/build/test/**/*.test.js'],
  testTimeout: 60_000,
};
