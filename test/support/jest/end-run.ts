import { rmSync } from 'node:fs';
import { POSTGRES_TEMPLATE } from '../processes/postgres-template.js';
import { SLOW_HASHES } from './slow-hashes.js';

/** Removes the directories that `begin-run.ts` made. */
export default function endRun(): void {
  for (const name of [SLOW_HASHES, POSTGRES_TEMPLATE])
    rmSync(process.env[name] ?? '', { recursive: true, force: true });
}
