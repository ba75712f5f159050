import { execFile } from 'node:child_process';
import { MAIN } from './wallet-rpc.js';

/** Time limit of a run [ms]: a program that waits for input fails its test. */
const RUN_MS = 120_000;

/** Exit code and texts of a program that has ended. */
export interface WalletRpcRun {
  /** Null after a signal. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Standard output, then standard error. */
  readonly output: string;
}

/** Runs our server until it exits, with an empty standard input. */
export const runWalletRpc = (args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<WalletRpcRun> =>
  new Promise((resolve) => {
    const options = { timeout: RUN_MS, env: { ...process.env, ...env } };
    const child = execFile(process.execPath, [MAIN, ...args], options, (_, stdout, stderr) =>
      resolve({ code: child.exitCode, stdout, stderr, output: stdout + stderr }),
    );
    child.stdin?.end();
  });
