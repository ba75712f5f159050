/** A processor as Node can be made to take this one for, and the kernel's build that runs there. */
export interface LesserProcessor {
  readonly title: string;
  readonly flags: readonly string[];
  /** Undefined: plain TypeScript. */
  readonly build: 'relaxed' | 'simd' | undefined;
}

/** V8 has these flags on x64; other processors have but one set of instructions. */
export const LESSER_PROCESSORS: readonly LesserProcessor[] =
  process.arch === 'x64'
    ? [
        { title: 'without FMA3', flags: ['--no-enable-fma3'], build: 'simd' },
        { title: 'without AVX', flags: ['--no-enable-avx'], build: 'simd' },
        { title: 'without SSE 4.1', flags: ['--no-enable-sse4-1'], build: undefined },
      ]
    : [{ title: 'as it is', flags: [], build: 'relaxed' }];
