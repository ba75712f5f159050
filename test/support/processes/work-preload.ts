import childProcess from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
import { fileURLToPath } from 'node:url';

/*
 * Loaded into a server in front of its program: starts the process of `work-process.ts` here in the place of the one that loads
 * RandomX. It gives work to the blocks that a file names, and to no other block.
 */

const process_ = fileURLToPath(new URL('./listed-work-process.js', import.meta.url));
const { fork } = childProcess;
const list = new URL(import.meta.url).searchParams.get('list') ?? '';

childProcess.fork = ((script: string, args: readonly string[], options: childProcess.ForkOptions) =>
  /work-process\.js$/.test(script)
    ? fork(process_, [list], options)
    : fork(script, args, options)) as typeof fork;
syncBuiltinESMExports();
