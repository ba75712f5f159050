import { parseFingerprint } from '../../../src/util/certificates.js';
import { readInstant } from '../../../src/util/clock.js';
import { textParser, type Target } from '../target.js';

export const targets: readonly Target[] = [
  {
    name: 'instant',
    errors: [],
    modules: ['util/clock'],
    maxBytes: 256,
    prepare: () =>
      textParser(
        ['2026-01-31', '2026-01-31T12:00:00Z', '2026-01-31T12:00:00.5+02:00', '1700000000'],
        (text) => {
          const seconds = readInstant(text);
          if (seconds !== undefined && !Number.isSafeInteger(seconds))
            throw new Error(`a time of ${seconds}`);
        },
      ),
  },
  {
    name: 'fingerprint',
    errors: [],
    modules: ['util/certificates'],
    maxBytes: 512,
    prepare: () => textParser(['ab'.repeat(32), 'AB:'.repeat(31) + 'AB'], parseFingerprint),
  },
];
