import { rmSync } from 'node:fs';
import { SLOW_HASHES } from './slow-hashes.js';

/** Removes the directory that `begin-run.ts` made. */
export default function endRun(): void {
  rmSync(process.env[SLOW_HASHES] ?? '', { recursive: true, force: true });
}
