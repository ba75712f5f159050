import { execFileSync } from 'node:child_process';

/** Tried in this order. */
const COMPILERS = ['cc', 'gcc', 'clang', 'tcc'];

/** True where libraries of tests can run: their C sources assume 64-bit integers in `struct timespec`. */
export const canPreload = process.platform === 'linux' && process.arch === 'x64';

/**
 * Compiles a C source without headers and libraries to a library for LD_PRELOAD.
 * @param flags further flags of the compiler. @returns false without a compiler.
 */
export const compileLibrary = (source: string, library: string, flags: readonly string[] = []): boolean =>
  COMPILERS.some((compiler) => {
    try {
      execFileSync(compiler, ['-shared', '-fPIC', '-nostdlib', ...flags, '-o', library, source], {
        stdio: 'ignore',
      });
      return true;
    } catch {
      return false;
    }
  });
