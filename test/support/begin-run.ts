import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SLOW_HASHES } from './slow-hashes.js';

/**
 * Makes the directory of recorded hashes before Jest starts its workers, which pass the variable to the servers that
 * they start. Each run has its own, so that no run relies on the hashes of other sources.
 */
export default function beginRun(): void {
  process.env[SLOW_HASHES] = mkdtempSync(join(tmpdir(), 'slow-hashes-'));
}
