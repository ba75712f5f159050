/* Flags that the programs of campaigns share. */

/** Ends the program because of its flags. */
export function refuseFlags(text: string): never {
  process.stderr.write(`${text}\n`);
  process.exit(2);
}

/** Parses a positive number of the command line; a wrong one ends the program. */
export function positiveFlag(name: string, text: string): number {
  const number = Number(text);
  return number > 0 ? number : refuseFlags(`--${name} takes a positive number`);
}

/** Notes the first SIGINT or SIGTERM, which then do not end the program. @returns whether there was one. */
export function notingInterrupts(): () => boolean {
  let isInterrupted = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => (isInterrupted = true));
  return () => isInterrupted;
}
