/** Processor time that this process has used [ms]. Unlike the time of day, it does not grow while other programs run. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
