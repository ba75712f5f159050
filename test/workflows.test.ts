import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

/* The workflows that test and publish, and the container files, as far as their texts show it. */

const ROOT = new URL('../../', import.meta.url);

const filesIn = (folder: string, pattern: RegExp): Map<string, string> =>
  new Map(
    readdirSync(new URL(folder, ROOT), { recursive: true, encoding: 'utf8' })
      .filter((name) => pattern.test(name))
      .map((name) => [name, readFileSync(new URL(`${folder}/${name}`, ROOT), 'utf8')]),
  );

const workflows = filesIn('.github/workflows', /\.ya?ml$/);
const containers = filesIn('packaging', /(?:Dockerfile|compose\.yaml)$/);

/** Splits the jobs of a workflow. The format check holds the indentation by which it finds them. */
function jobsOf(workflow: string): Map<string, string> {
  const [, jobs = ''] = workflow.split(/^jobs:\n/m);
  return new Map(
    jobs.split(/^(?= {2}\S)/m).map((job) => {
      const [name = '', ...lines] = job.split('\n');
      return [name.trim().replace(/:$/, ''), lines.join('\n')];
    }),
  );
}

const valuesOf = (key: string, text: string): string[] =>
  [...text.matchAll(new RegExp(`^[ -]*${key}:? +(.+)$`, 'gm'))].map(([, value = '']) => value);

/** Lists the actions of a workflow that no commit hash pins, or without their version in a comment. */
const loose = (workflow: string): string[] =>
  valuesOf('uses', workflow).filter(
    (value) =>
      !/^[\w.-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(value) &&
      !/^\.\/\.github\/workflows\/\w+\.yml$/.test(value),
  );

/** Lists the images that no digest pins. */
const floating = (text: string): string[] =>
  [...valuesOf('container', text), ...valuesOf('image', text), ...valuesOf('FROM', text)].filter(
    (value) => !/^[\w./-]+:[\w.-]+@sha256:[0-9a-f]{64}(?: AS \w+)?$/.test(value),
  );

/** Supported major versions of Node.js. */
const supported = [
  ...new Set(readFileSync(new URL('bin/node-packages', ROOT), 'utf8').trim().match(/^\d+/gm) ?? []),
];

/** Texts of the workflows that test and publish. */
interface Publication {
  readonly ci: string;
  readonly nightly: string;
  readonly release: string;
}

/** Jobs that publish, each with its package. */
const PACKAGES = [
  ['publish', 'wallet-rpc'],
  ['publish-client', 'wallet-rpc-client'],
] as const;

/** Returns the defects of a publication: an untested package, or a suite that is not the whole one. */
function defects({ ci, nightly, release }: Publication): string[] {
  const found: string[] = [];
  const jobs = jobsOf(release);
  const tests = jobs.get('test');
  const suite = jobsOf(ci).get('test') ?? '';
  for (const [job, name] of PACKAGES) {
    const publish = jobs.get(job) ?? '';
    if (!publish.includes(`- run: npm publish "./${name}-\${GITHUB_REF_NAME#v}.tgz"\n`))
      found.push(`${job} publishes nothing`);
    else if (!/^ {4}needs: \[test, nightly\]$/m.test(publish)) found.push(`${job} does not need the tests`);
    if (!jobs.get('release')?.includes(`needs: [${PACKAGES.map(([one]) => one).join(', ')}]\n`))
      found.push('the release does not wait for both packages');
  }
  if (!/^ {4}uses: \.\/\.github\/workflows\/ci\.yml$/m.test(tests ?? '')) found.push('release has no tests');
  if (!/^ {4}uses: \.\/\.github\/workflows\/nightly\.yml$/m.test(jobsOf(release).get('nightly') ?? ''))
    found.push('release has no campaigns');
  if (!/^ {2}workflow_call:$/m.test(ci)) found.push('ci cannot be called');
  if (!/^ {2}workflow_call:$/m.test(nightly) || !/^ {2}schedule:$/m.test(nightly))
    found.push('nightly does not run');
  if (!/^ +- run: bin\/test --all$/m.test(nightly)) found.push('the long tests are not run');
  for (const campaign of ['soak', 'test:lies', 'test:payouts', 'test:crash', 'test:cluster', 'fuzz'])
    if (!nightly.includes(`- run: npm run ${campaign} -- `)) found.push(`${campaign} is not run`);
  if (!/^ +- run: \.ci\/run$/m.test(suite)) found.push('.ci/run is not run');
  const [, versions = ''] = /^ {8}node: \[(.*)\]$/m.exec(suite) ?? [];
  if (versions !== supported.join(', ') || !suite.includes('node-version: ${{ matrix.node }}\n'))
    found.push('the suite does not run on every supported version');
  if (!/^ {4}container: debian:/m.test(suite)) found.push('the suite does not run on Debian');
  const artifacts = / +- uses: actions\/upload-artifact@.*\n +if: always\(\)\n/g;
  if (
    /^ +(?:if|continue-on-error):/m.test(`${release}\n${tests}\n${suite}\n${nightly.replace(artifacts, '')}`)
  )
    found.push('a job may be skipped');
  return found;
}

const texts: Publication = {
  ci: workflows.get('ci.yml') ?? '',
  nightly: workflows.get('nightly.yml') ?? '',
  release: workflows.get('release.yml') ?? '',
};

describe('the workflows', () => {
  it.each([...workflows])('pin the actions of %s by the hash of a commit', (_, text) => {
    expect(valuesOf('uses', text).length).toBeGreaterThan(0);
    expect(valuesOf('uses', text).length).toBe(text.split(/\buses:/).length - 1);
    expect(loose(text)).toEqual([]);
  });

  it('are refused with an action by its tag, by a short hash, or without its version', () => {
    const hash = '3d3c42e5aac5ba805825da76410c181273ba90b1';
    expect(loose(`      - uses: actions/checkout@${hash} # v7.0.1`)).toEqual([]);
    for (const version of ['v7', 'main', hash.slice(0, 39), hash, `${hash} # latest`])
      expect(loose(`      - uses: actions/checkout@${version}`)).toHaveLength(1);
  });

  it('publish once .ci/run has passed, and not otherwise', () => {
    expect(defects(texts)).toEqual([]);
  });

  it.each([
    ['publish does not need the tests', 'release', '    needs: [test, nightly]\n', ''],
    ['publish does not need the tests', 'release', 'needs: [test, nightly]', 'needs: [nightly]'],
    ['publish does not need the tests', 'release', 'needs: [test, nightly]', 'needs: [test]'],
    ['release has no campaigns', 'release', 'uses: ./.github/workflows/nightly.yml', 'uses: ./x.yml'],
    ['nightly does not run', 'nightly', '  schedule:\n', ''],
    ['the long tests are not run', 'nightly', 'bin/test --all', 'bin/test'],
    ['test:cluster is not run', 'nightly', 'npm run test:cluster', 'echo'],
    ['test:lies is not run', 'nightly', 'npm run test:lies', 'echo'],
    [
      'a job may be skipped',
      'nightly',
      '      - run: bin/test --all',
      '      - run: bin/test --all\n        if: false',
    ],
    [
      'release has no tests',
      'release',
      'uses: ./.github/workflows/ci.yml',
      'uses: ./.github/workflows/codeql.yml',
    ],
    ['ci cannot be called', 'ci', '  workflow_call:\n', ''],
    ['.ci/run is not run', 'ci', 'run: .ci/run', 'run: npm run check'],
    ['the suite does not run on every supported version', 'ci', 'node: [22, ', 'node: ['],
    ['the suite does not run on every supported version', 'ci', '${{ matrix.node }}', '26'],
    ['the suite does not run on Debian', 'ci', 'container: debian:', 'container: ubuntu:'],
    [
      'a job may be skipped',
      'ci',
      '      - run: .ci/run',
      '      - run: .ci/run\n        continue-on-error: true',
    ],
    ['publish publishes nothing', 'release', 'run: npm publish', 'run: echo'],
    ['publish-client publishes nothing', 'release', 'npm publish "./wallet-rpc-client-', 'echo "'],
    ['the release does not wait for both packages', 'release', '[publish, publish-client]', 'publish'],
  ] as const)('are refused if %s', (defect, name, from, to) => {
    expect(texts[name]).toContain(from);
    expect(defects({ ...texts, [name]: texts[name].replace(from, to) })).toContain(defect);
  });

  it('publish in one place', () => {
    const places = [...workflows].filter(([, text]) => text.includes('npm publish')).map(([name]) => name);
    expect(places).toEqual(['release.yml']);
    expect(texts.release.split('npm publish')).toHaveLength(1 + PACKAGES.length);
  });

  it.each([...workflows])('give %s no right to write but to jobs that need it', (_, text) => {
    const [top = ''] = text.split(/^jobs:\n/m);
    expect(top).toMatch(/^permissions:\n {2}contents: read\n(?! )/m);
    expect(text).not.toContain('pull_request_target');
  });
});

describe('container images', () => {
  const all = [...workflows, ...containers];

  it('are pinned by digest', () => {
    expect(all.flatMap(([name, text]) => floating(text).map((image) => `${name}: ${image}`))).toEqual([]);
    expect([...containers.values()].filter((text) => /^FROM /m.test(text)).length).toBeGreaterThan(3);
  });

  it('are refused by their tag alone', () => {
    const digest = `sha256:${'0'.repeat(64)}`;
    expect(floating(`FROM debian:trixie-slim@${digest}\n    container: debian:bookworm@${digest}`)).toEqual(
      [],
    );
    expect(
      floating('FROM node:26 AS package\n    container: debian:bookworm\n    image: postgres:15\n'),
    ).toEqual(['debian:bookworm', 'postgres:15', 'node:26 AS package']);
  });
});
