import { Command } from 'commander';
import { formatAddress } from '../../monero/cryptonote/address.js';
import { formatCoins } from '../../monero/cryptonote/coins.js';
import { ProofError } from '../../monero/wallet/proofs/proof-text.js';
import type { ReserveBundle, ReserveSums } from '../../monero/wallet/proofs/reserve-bundle.js';
import { checkBundle } from '../../monero/wallet/proofs/reserve-bundle-check.js';
import { readReserveBundle } from '../../rpc/wire/reserve-bundle.js';
import {
  bundleOnChain,
  type BundleOnChain,
  type OutputCount,
} from '../../services/proofs/bundle-on-chain.js';
import { toHex } from '../../util/bytes.js';
import { fileErrorCode, readOperatorFile } from '../../util/files.js';
import { ConfigError } from '../config/config-values.js';
import type { Terminal } from './credential-command.js';
import { withDaemon } from './source-daemon.js';

/** Size of the largest file that is read [bytes]: the largest bundle fits, also with spaces between its members. */
const MOST_BYTES = 64 << 20;

/** Number of accounts and of problems that are printed. */
const MOST_LINES = 100;

/** Exit code for a bundle of which outputs were spent since. */
const SPENT_SINCE = 2;

interface VerifyOptions {
  readonly daemonAddress?: string;
  readonly proxy?: string;
}

/** Reads and verifies a file without the chain. @throws ConfigError with the first fact that is wrong */
function readVerified(path: string): ReserveBundle {
  let text;
  try {
    text = readOperatorFile(path, { mostBytes: MOST_BYTES }).toString('utf8');
  } catch (cause) {
    throw new ConfigError(`${path} cannot be read (${fileErrorCode(cause)})`, { cause });
  }
  try {
    const bundle = readReserveBundle(text);
    checkBundle(bundle);
    return bundle;
  } catch (cause) {
    if (!(cause instanceof ProofError)) throw cause;
    throw new ConfigError(`${path} is not proven: ${cause.message}`, { cause });
  }
}

/** Returns the date of a time [Unix s]; the seconds for a time that has no date. */
function dateText(seconds: number): string {
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) ? `${seconds} s` : date.toISOString().replace('.000Z', 'Z');
}

const outputsText = (count: number): string => (count === 1 ? '1 output' : `${count} outputs`);

const sumsText = ({ total, unlocked, locked }: ReserveSums, outputs: number): string =>
  `${formatCoins(total)} XMR in ${outputsText(outputs)} (${formatCoins(unlocked)} unlocked, ${formatCoins(locked)} locked)`;

/** Says what a bundle proves. The message is quoted, so that it cannot look like a line of this text. */
function provenLines(bundle: ReserveBundle): string[] {
  const { address, message, height, blockHash, time, accounts } = bundle;
  const count = accounts.reduce((sum, { outputs }) => sum + outputs.length, 0);
  return [
    'Proven:',
    `  wallet    ${formatAddress(address)} (${address.network})`,
    `  message   ${JSON.stringify(message)}`,
    `  state     after block ${height}, ${toHex(blockHash)}`,
    `  made      ${dateText(time)}, by the clock of the wallet`,
    `  total     ${sumsText(bundle, count)}`,
    ...accounts
      .slice(0, MOST_LINES)
      .map((one) => `  account   ${one.account}: ${sumsText(one, one.outputs.length)}`),
    ...(accounts.length > MOST_LINES ? [`  and ${accounts.length - MOST_LINES} accounts more`] : []),
    'The numbers of accounts are as the wallet says.',
  ];
}

/** Facts that no file can prove. */
const UNKNOWN_OFFLINE = [
  'Not known without the chain:',
  '  whether the transactions are in the blocks that the file names, and the block is in the chain',
  '  whether outputs are spent, at that height or now',
  'Give --daemon-address to ask a node.',
];

const spentText = ({ outputs, amount }: OutputCount): string =>
  `${formatCoins(amount)} XMR in ${outputsText(outputs)}`;

/** Says what a chain adds to a proven bundle without problems. */
function chainLines({ total }: ReserveBundle, { blocks, spent, spentInPool }: BundleOnChain): string[] {
  const gone = spent.amount + spentInPool.amount;
  return [
    `By the word of the node, which has ${blocks} blocks:`,
    '  the block and all transactions are in its chain, at these heights',
    ...(gone === 0n ? ['  none of the outputs is spent'] : []),
    ...(spent.outputs === 0 ? [] : [`  spent by now: ${spentText(spent)}`]),
    ...(spentInPool.outputs === 0 ? [] : [`  being spent in the mempool: ${spentText(spentInPool)}`]),
    ...(gone === 0n
      ? []
      : [
          `  unspent: ${formatCoins(total - gone)} XMR`,
          'A node does not say when an output was spent: ask for a bundle of the newest block to rule out that it was before.',
        ]),
  ];
}

async function verifyReserve(path: string, options: VerifyOptions, { print }: Terminal): Promise<number> {
  const bundle = readVerified(path);
  const { daemonAddress, proxy } = options;
  if (daemonAddress === undefined) {
    if (proxy !== undefined) throw new ConfigError('--proxy is used with --daemon-address only');
    print([...provenLines(bundle), ...UNKNOWN_OFFLINE].join('\n'));
    return 0;
  }
  const source = { daemonAddress, ...(proxy === undefined ? {} : { proxy }) };
  const found = await withDaemon(source, (daemon) => bundleOnChain(daemon, bundle));
  const { problems, spent, spentInPool } = found;
  if (problems.length > 0) {
    for (const problem of problems.slice(0, MOST_LINES)) print(problem);
    if (problems.length > MOST_LINES) print(`and ${problems.length - MOST_LINES} more`);
    throw new ConfigError(`${path} contradicts the chain of the node in ${problems.length} facts`);
  }
  print([...provenLines(bundle), ...chainLines(bundle, found)].join('\n'));
  return spent.outputs + spentInPool.outputs === 0 ? 0 : SPENT_SINCE;
}

/** Creates the command `wallet-rpc verify-reserve`. @param done receives the exit code. */
export const verifyReserveCommand = (terminal: Terminal, done: (code: number) => void): Command =>
  new Command('wallet-rpc verify-reserve')
    .description(
      'Verifies the reserve of a file that get_reserve_bundle made. Exit code 0: proven; 2: proven, but outputs are spent by now; 1: anything is wrong.',
    )
    .argument('<file>', 'file with the bundle')
    .option('--daemon-address <host:port>', 'node to ask what the file cannot prove, best your own')
    .option('--proxy <[ip:]port>', 'SOCKS proxy towards the node')
    .allowExcessArguments(false)
    .exitOverride()
    .action(async (path: string, options: VerifyOptions) => {
      done(await verifyReserve(path, options, terminal));
    });
