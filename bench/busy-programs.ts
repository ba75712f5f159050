import { spawn } from 'node:child_process';
import { cpus } from 'node:os';

/** Runs a measurement beside programs that keep all processors busy at normal priority, one program a processor. */
export async function besideBusyPrograms<T>(measure: () => Promise<T>): Promise<T> {
  const programs = cpus().map(() => spawn('sh', ['-c', 'while :; do :; done'], { stdio: 'ignore' }));
  try {
    return await measure();
  } finally {
    for (const program of programs) program.kill('SIGKILL');
  }
}
