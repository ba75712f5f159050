import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { POSTGRES_TEMPLATE } from '../processes/postgres-template.js';
import { SLOW_HASHES } from './slow-hashes.js';

/**
 * Makes the directories of recorded hashes and of an empty database before Jest starts its workers, which pass the
 * variables to the servers that they start. Each run has its own, so that no run relies on the hashes of other sources, or
 * on the files of another release of PostgreSQL.
 */
export default function beginRun(): void {
  process.env[SLOW_HASHES] = mkdtempSync(join(tmpdir(), 'slow-hashes-'));
  const template = mkdtempSync(join(tmpdir(), 'postgres-template-'));
  // PostgreSQL runs as another user, and must reach its own directory in this one.
  chmodSync(template, 0o711);
  process.env[POSTGRES_TEMPLATE] = template;
}
