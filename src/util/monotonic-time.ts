/** Returns the time since an arbitrary moment [ms], from the same clock in all threads of the process. */
export const monotonicMs = (): number => Number(process.hrtime.bigint()) / 1e6;
