import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { portablePackages, type LockFile } from './runtime-lock.js';

/* Asks the registry for the day on which each version in the lock file was published, and writes tools/release-dates.json. Asks
   only for versions that the file lacks, one after the other. */

const ROOT = new URL('../../', import.meta.url);
const FILE = new URL('tools/release-dates.json', ROOT);
const known = JSON.parse(readFileSync(FILE, 'utf8')) as Readonly<Record<string, string>>;
const lock = JSON.parse(readFileSync(new URL('package-lock.json', ROOT), 'utf8')) as LockFile;

const published = (name: string, version: string): string => {
  const answer = execFileSync('npm', ['view', `${name}@${version}`, 'time', '--json'], { encoding: 'utf8' });
  return (JSON.parse(answer) as Readonly<Record<string, string>>)[version]?.slice(0, 10) ?? '';
};

const dates: Record<string, string> = {};
for (const [folder, { name = folder.replace(/^.*node_modules\//, ''), version = '' }] of portablePackages(
  lock,
))
  dates[`${name}@${version}`] = known[`${name}@${version}`] ?? published(name, version);
writeFileSync(FILE, `${JSON.stringify(dates, undefined, 2)}\n`);
