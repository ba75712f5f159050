// Puts the README for npm in the place of the repository's one while the package is packed: npm shows README.md.
// `bin/npm-readme.js write` keeps the repository's README in build/; `bin/npm-readme.js restore` puts it back.
// Links are absolute, since npm does not have the files: to the tag of the version in the repository that the field
// `repository` of package.json names, which the release sets; without that field to the files of the published package.
import { copyFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const SOURCE = 'packaging/npm/README.md';
const readme = `${root}README.md`;
const kept = `${root}build/README.repository.md`;

const { name, version, repository } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));

/** Returns the address of the folder in which links end. */
function base() {
  const url = (typeof repository === 'string' ? repository : repository?.url)?.replace(/^git\+|\.git$/g, '');
  return url === undefined ? `https://unpkg.com/${name}@${version}/` : `${url}/blob/v${version}/`;
}

/** Makes the links between files absolute. */
const absolute = (text) =>
  text.replace(
    /\]\((?!https?:|#|mailto:)([^)\s]+)\)/g,
    (_, target) => `](${base()}${posix.join(posix.dirname(SOURCE), target)})`,
  );

const [action] = process.argv.slice(2);
if (action === 'write') {
  // After an interrupted run the README is the one for npm already.
  if (!existsSync(kept)) copyFileSync(readme, kept);
  writeFileSync(readme, absolute(readFileSync(`${root}${SOURCE}`, 'utf8')));
} else if (action === 'restore') {
  if (existsSync(kept)) renameSync(kept, readme);
} else {
  throw new Error('npm-readme.js write|restore');
}
