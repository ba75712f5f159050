/** Processor time that this process has used [ms]. Unlike the time of day, it does not grow while other programs run. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/**
 * Processor time that this thread has used [ms], without that of the threads that collect garbage or compile beside it. Before
 * Node.js 23.9: that of the process.
 */
export function threadCpuMs(): number {
  const { threadCpuUsage } = process as { readonly threadCpuUsage?: typeof process.cpuUsage };
  const { user, system } = threadCpuUsage?.call(process) ?? process.cpuUsage();
  return (user + system) / 1000;
}
