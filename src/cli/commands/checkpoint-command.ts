import { writeFileSync } from 'node:fs';
import { Command, Option } from 'commander';
import type { HttpDaemon } from '../../daemon/http-daemon.js';
import {
  CheckpointError,
  differencesOf,
  formatCheckpoint,
  parseCheckpoint,
} from '../../services/work/checkpoint-file.js';
import { readCheckpoint, type ReadCheckpoint } from '../../services/work/read-checkpoint.js';
import { KNOWN_RULES, type ForkRules } from '../../monero/cryptonote/known-forks.js';
import { systemClock, unixSeconds } from '../../util/clock.js';
import { fileErrorCode } from '../../util/files.js';
import { ConfigError } from '../config/config-values.js';
import { readCheckpointFile } from '../config/work-settings.js';
import type { Terminal } from './credential-command.js';
import { withDaemon, type SourceOptions } from './source-daemon.js';

interface ChainOptions extends SourceOptions {
  readonly forkRules?: ForkRules;
}

interface MakeOptions extends ChainOptions {
  readonly height: string;
  readonly fixedDifficulty?: string;
  readonly output?: string;
}

/** Number of differences that are printed. */
const MOST_LINES = 20;

const withSource = (command: Command): Command =>
  command
    .requiredOption('--daemon-address <host:port>', 'node with the whole chain, best your own')
    .option('--proxy <[ip:]port>', 'SOCKS proxy towards the node')
    .addOption(
      new Option(
        '--fork-rules <name>',
        'rules of the next fork; default: as of a server of the network',
      ).choices(KNOWN_RULES),
    )
    .allowExcessArguments(false)
    .exitOverride();

/** Runs a task with a daemon. @throws ConfigError for a daemon that cannot be used, and for a contradiction in its chain. */
async function withChain<T>(source: SourceOptions, task: (daemon: HttpDaemon) => Promise<T>): Promise<T> {
  try {
    return await withDaemon(source, task);
  } catch (error) {
    if (error instanceof CheckpointError) throw new ConfigError(error.message, { cause: error });
    throw error;
  }
}

/** Parses a decimal number. @throws ConfigError */
function readNumber(option: string, text: string, most: bigint): bigint {
  const value = /^\d{1,39}$/.test(text) ? BigInt(text) : most + 1n;
  if (value > most) throw new ConfigError(`${option} takes a whole number up to ${most}`);
  return value;
}

const describeReading = ({ checkpoint, blocks, difficulties, knownPoints }: ReadCheckpoint): string =>
  `block ${checkpoint.height}: ${blocks} blocks linked by their hashes, ${difficulties} difficulties computed, ` +
  `${knownPoints} blocks compared with those that the reference publishes`;

async function makeCheckpoint(options: MakeOptions, { print, hint }: Terminal): Promise<void> {
  const { height, fixedDifficulty, output, forkRules: rules } = options;
  const request = {
    height: Number(readNumber('--height', height, BigInt(Number.MAX_SAFE_INTEGER))),
    ...(fixedDifficulty === undefined
      ? {}
      : { fixedDifficulty: readNumber('--fixed-difficulty', fixedDifficulty, (1n << 128n) - 1n) }),
    ...{ rules, now: unixSeconds(systemClock) },
  };
  const { read, text } = await withChain(options, async (daemon) => {
    const found = await readCheckpoint(daemon, request);
    const written = formatCheckpoint(found);
    // What a daemon says about the oldest blocks may contradict itself.
    parseCheckpoint(written);
    return { read: found, text: written };
  });
  if (output === undefined) print(text.trimEnd());
  else
    try {
      writeFileSync(output, text, { flag: 'wx' });
    } catch (cause) {
      throw new ConfigError(`${output} cannot be written (${fileErrorCode(cause)})`, {
        cause,
      });
    }
  hint(describeReading(read));
}

async function checkCheckpoint(path: string, options: ChainOptions, terminal: Terminal): Promise<void> {
  const { network, checkpoint } = readCheckpointFile(path);
  const { height, fixedDifficulty } = checkpoint;
  const request = {
    height,
    ...(fixedDifficulty === undefined ? {} : { fixedDifficulty }),
    ...{ rules: options.forkRules, now: unixSeconds(systemClock) },
  };
  const read = await withChain(options, (daemon) => readCheckpoint(daemon, request));
  if (read.network !== network)
    throw new ConfigError(`the checkpoint is of ${network}, and the daemon of ${read.network}`);
  const differences = differencesOf(checkpoint, read.checkpoint);
  for (const line of differences.slice(0, MOST_LINES)) terminal.print(line);
  if (differences.length > MOST_LINES) terminal.print(`and ${differences.length - MOST_LINES} more`);
  if (differences.length > 0)
    throw new ConfigError(`${path} differs from the chain of the daemon in ${differences.length} facts`);
  terminal.print(`${path} is on the chain of the daemon, ${describeReading(read)}`);
}

/** Creates the command `wallet-rpc checkpoint`. */
export function checkpointCommand(terminal: Terminal): Command {
  const command = new Command('wallet-rpc checkpoint')
    .description('Makes and checks the checkpoints from which the work of a chain is verified.')
    .exitOverride();
  withSource(command.command('make'))
    .description('Reads a checkpoint from a node, and writes it as JSON.')
    .requiredOption('--height <n>', 'height of the block; best some hundred blocks below the newest one')
    .option('--fixed-difficulty <n>', 'difficulty of a regtest network that fixes it')
    .option('--output <file>', 'new file to write (default: standard output)')
    .action((options: MakeOptions) => makeCheckpoint(options, terminal));
  withSource(command.command('check'))
    .description('Compares a checkpoint with the chain of a node, and says what differs.')
    .argument('<file>', 'file with the checkpoint')
    .action((path: string, options: ChainOptions) => checkCheckpoint(path, options, terminal));
  return command;
}
