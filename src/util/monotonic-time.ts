/** Returns the time since an arbitrary moment (ms); the same clock for all threads of the process. */
export const monotonicMs = (): number => Number(process.hrtime.bigint()) / 1e6;
