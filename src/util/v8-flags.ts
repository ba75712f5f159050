import { setFlagsFromString } from 'node:v8';

const numbersOf = (version: string): [major: number, minor: number] => {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return [major, minor];
};

/** True if a V8 version is not newer than `last`. @param version of two or more parts, such as 11.3.244.8-node.38. */
export function isUpTo(version: string, last: string): boolean {
  const [major, minor] = numbersOf(version);
  const [lastMajor, lastMinor] = numbersOf(last);
  return major < lastMajor || (major === lastMajor && minor <= lastMinor);
}

/**
 * Sets a V8 flag if the running version is known to have it. V8 has no query for its flags, and prints an error for an
 * unknown one.
 * @param last newest V8 version, major and minor, that was checked to have the flag.
 */
export function setV8Flag(flag: string, last: string): void {
  if (isUpTo(process.versions.v8, last)) setFlagsFromString(flag);
}
