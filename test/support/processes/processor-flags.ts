/** V8 flags that emulate a processor with fewer instructions, and the kernel build that runs there. */
export interface LimitedProcessor {
  readonly title: string;
  readonly flags: readonly string[];
  /** Undefined: plain TypeScript runs. */
  readonly build: 'relaxed' | 'simd' | undefined;
}

/** V8 has these flags on x64 only; other processors have one set of instructions. */
export const LIMITED_PROCESSORS: readonly LimitedProcessor[] =
  process.arch === 'x64'
    ? [
        { title: 'without FMA3', flags: ['--no-enable-fma3'], build: 'simd' },
        { title: 'without AVX', flags: ['--no-enable-avx'], build: 'simd' },
        { title: 'without SSE 4.1', flags: ['--no-enable-sse4-1'], build: undefined },
      ]
    : [{ title: 'as it is', flags: [], build: 'relaxed' }];
