/** Variable that names the directory of recorded hashes (`slow-hash-record.ts`); absent: every hash is computed. */
export const SLOW_HASHES = 'SLOW_HASHES';
