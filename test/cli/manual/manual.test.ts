import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, test } from '@jest/globals';
import { commandModels } from '../../../src/cli/commands/commands.js';
import { completionCommand, manCommand } from '../../../src/cli/commands/manual-commands.js';
import { OPTIONS } from '../../../src/cli/config/options.js';
import { withCommands } from '../../../src/cli/manual/command-model.js';

/* The manual page and the completions, tried with groff and the shells themselves. */

const SHELLS = ['bash', 'zsh', 'fish'] as const;

/** Returns what a command prints. */
async function printed(create: typeof manCommand, args: readonly string[] = []): Promise<string> {
  let text = '';
  const terminal = { print: (lines: string) => void (text += `${lines}\n`), hint: () => undefined };
  await create(commandModels, terminal).parseAsync([...args], { from: 'user' });
  return text;
}

let folder: string;
let page: string;
const completions: Record<string, string> = {};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'manual-'));
  page = await printed(manCommand);
  for (const shell of SHELLS) {
    completions[shell] = await printed(completionCommand, [shell]);
    writeFileSync(join(folder, shell), completions[shell] ?? '');
  }
  writeFileSync(join(folder, 'known-file'), '');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a program in the folder. @throws Error if the program is missing. */
function run(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): { stdout: string; stderr: string } {
  const { error, ...output } = spawnSync(program, args, {
    ...{ cwd: folder, encoding: 'utf8', input: '', timeout: 30_000 },
    env: { ...process.env, ...env },
  });
  if (error !== undefined)
    throw new Error(`${program} cannot be run: bin/install-test-packages installs it`, { cause: error });
  return output;
}

const COMMANDS = commandModels().flatMap(withCommands);

describe('the manual page', () => {
  it('is rendered without a warning, with each flag and each command', () => {
    writeFileSync(join(folder, 'wallet-rpc.1'), page);
    const { stdout, stderr } = run('groff', ['-ww', '-man', '-Tascii', '-P-cbou', 'wallet-rpc.1']);
    expect(stderr).toBe('');
    for (const { name, argument } of OPTIONS)
      if (argument === undefined || /^[\x20-\x7e]*$/.test(argument))
        expect(stdout).toContain(`\n       --${name}${argument === undefined ? '' : ` ${argument}`}`);
    for (const { path, commands } of COMMANDS)
      if (commands.length === 0) expect(stdout).toMatch(new RegExp(`^   wallet-rpc ${path}`, 'm'));
  });

  it('begins no line with a control character of a text', () => {
    const requests = new Set((page.match(/^[.'][^ \n]*/gm) ?? []).map(String));
    expect([...requests].sort()).toEqual([
      ...['.B', '.PP', '.SH', '.SS', '.TH', '.TP', '.\\"', '.ad', '.br', '.fi', '.nf', '.nh'],
    ]);
  });
});

test.each(SHELLS)('the completions of %s have each flag and each command', (shell) => {
  const text = completions[shell] ?? '';
  const long = shell === 'fish' ? '-l ' : '--';
  for (const { name } of OPTIONS) expect(text).toMatch(new RegExp(`${long}${name}\\b`));
  for (const { path, flags } of COMMANDS) {
    expect(text).toContain(path.split(' ').at(-1));
    for (const { name } of flags) expect(text).toMatch(new RegExp(`${long}${name}\\b`));
  }
});

/** Typed lines, each with its completion: the whole last word. */
const TYPED: readonly (readonly [line: string, word: string])[] = [
  ['wallet-rpc exp', 'export'],
  ['wallet-rpc verify-r', 'verify-reserve'],
  ['wallet-rpc --wallet-d', '--wallet-dir'],
  ['wallet-rpc --wallet-dir x --api', '--api-version'],
  ['wallet-rpc --rpc-ssl d', 'disabled'],
  ['wallet-rpc --config-file known', 'known-file'],
  ['wallet-rpc cluster in', 'init'],
  ['wallet-rpc cluster init --cluster-se', '--cluster-secret-file'],
  ['wallet-rpc credential add shop --met', '--method'],
  ['wallet-rpc export --format k', 'koinly'],
  ['wallet-rpc export shop --acc', '--account'],
  ['wallet-rpc completion z', 'zsh'],
  ['wallet-rpc verify-reserve known', 'known-file'],
];

const BASH = `
source ./bash
while read -r -a COMP_WORDS; do
  COMP_CWORD=$(( \${#COMP_WORDS[@]} - 1 ))
  _wallet_rpc
  printf '%s\\n' "\${COMPREPLY[*]}"
done`;

/** Types lines into an interactive zsh, with the key that completes, and a key that notes the line. */
const ZSH = `
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "source ./setup.zsh; print RE''ADY"
zpty -r shell out '*READY*'
integer n=0
for line in "$@"; do
  n+=1
  zpty -w -n shell "$line"$'\\t\\x07'
  while [[ ! -f noted ]] || (( $(wc -l < noted) < n )); do
    while zpty -rt shell out; do :; done
  done
done`;

const ZSH_SETUP = `
autoload -Uz compinit
compinit -u -D
setopt no_beep
note() { print -r -- "$BUFFER" >> noted; BUFFER=''; }
zle -N note
bindkey '^G' note
source ./zsh`;

const lastWordOf = (line: string): string => line.trim().split(/[ =]/).at(-1) ?? '';

describe('a line', () => {
  it('is completed in bash', () => {
    const lines = TYPED.map(([line]) => line).join('\n');
    const { stdout } = spawnSync('bash', ['-c', BASH], {
      cwd: folder,
      encoding: 'utf8',
      input: `${lines}\n`,
    });
    expect(stdout.trimEnd().split('\n')).toEqual(TYPED.map(([, word]) => word));
  });

  it('is completed in bash after a flag with = and its value', () => {
    const typed = ['wallet-rpc --rpc-ssl = d', 'wallet-rpc export --format = k'].join('\n');
    const { stdout } = spawnSync('bash', ['-c', BASH], {
      cwd: folder,
      encoding: 'utf8',
      input: `${typed}\n`,
    });
    expect(stdout).toBe('disabled\nkoinly\n');
  });

  it('is completed in zsh', () => {
    writeFileSync(join(folder, 'zsh.sh'), ZSH);
    writeFileSync(join(folder, 'setup.zsh'), ZSH_SETUP);
    run('zsh', ['-f', 'zsh.sh', ...TYPED.map(([line]) => line)], { TERM: 'dumb' });
    const noted = readFileSync(join(folder, 'noted'), 'utf8').trimEnd().split('\n');
    expect(noted.map((line) => lastWordOf(line.replace(/=\s*$/, '')))).toEqual(TYPED.map(([, word]) => word));
  });

  it('is completed in fish', () => {
    const script = `source ./fish; for line in $argv; complete -C $line; end`;
    const { stdout } = run('fish', ['-N', '-c', script, ...TYPED.map(([line]) => line)], { HOME: folder });
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => line.split('\t')[0]),
    ).toEqual(TYPED.map(([, word]) => word));
  });
});
