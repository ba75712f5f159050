import { answerCalls, job } from '../../util/thread-jobs.js';
import type { SchemaUpgrade } from '../../util/sql-database.js';
import { WalletError, type Fault } from '../../model/wallet-error.js';
import { closeDatabase, openDatabase, type StoreKey } from './database.js';

interface UpgradeTask {
  readonly path: string;
  readonly key: StoreKey;
  readonly isReplicated: boolean;
}

/** Reason why a store cannot be upgraded. */
export interface UpgradeRefusal {
  readonly fault: Fault;
}

/** Applies the migrations that a store lacks. The log of a replicated store remains. */
function upgrade({ path, key, isReplicated }: UpgradeTask): SchemaUpgrade | undefined {
  const db = openDatabase(path, key, { isReplicated });
  const applied = db.upgrade;
  closeDatabase(db, path, key, isReplicated);
  return applied;
}

const JOBS = { upgrade: job(upgrade, { secretsOf: ({ key }) => [key.key] }) };

export type UpgradeJobs = typeof JOBS;

answerCalls<UpgradeRefusal>(JOBS, (error) =>
  error instanceof WalletError ? { fault: error.fault } : undefined,
);
