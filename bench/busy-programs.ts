import { spawn } from 'node:child_process';
import { cpus } from 'node:os';

/**
 * Runs a measurement beside programs that keep processors busy at normal priority.
 * @param count number of programs, each of which keeps one processor busy; absent: one for each processor.
 */
export async function besideBusyPrograms<T>(measure: () => Promise<T>, count = cpus().length): Promise<T> {
  const programs = Array.from({ length: count }, () =>
    spawn('sh', ['-c', 'while :; do :; done'], { stdio: 'ignore' }),
  );
  try {
    return await measure();
  } finally {
    for (const program of programs) program.kill('SIGKILL');
  }
}
