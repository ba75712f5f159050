import { adviceFor } from '../../daemon/errors.js';
import { orText, reasonOf, type FaultTable } from './fault-entry.js';

/**
 * Writes the message of the reference for a fork that the wallet does not know. Source: wallet2.cpp
 * `pull_and_parse_next_blocks`.
 */
const unexpectedFork = ({ height, version }: { readonly height: number; readonly version: number }): string =>
  `Unexpected hard fork version v${version} at height ${height}. Make sure your wallet is up to date`;

/** Faults of the daemon and of the settings of its connection. */
export const daemonFaults = {
  daemon_busy: {
    code: -3,
    text: 'daemon is busy',
    explanation: 'the daemon is busy syncing: try again later',
  },
  daemon_unreachable: { code: -38, text: 'no connection to daemon', explanation: reasonOf },
  daemon_misbehaves: {
    code: -4,
    explanation: ({ reason }) => `the daemon gave an invalid answer: ${reason}`,
  },
  newer_fork: {
    code: -1,
    text: unexpectedFork,
    explanation: ({ height, version }) =>
      `block ${height} has version ${version}, whose rules this server does not know: ${adviceFor(version)}`,
  },
  fork_unsupported: {
    code: -4,
    text: unexpectedFork,
    explanation: ({ height, version }) =>
      `from block ${height} on, the chain follows the rules of version ${version}, for which this server builds no transactions: update the server`,
  },
  payments_ended: {
    code: -4,
    explanation: ({ height, version }) =>
      `no payments are made since block ${height}: the network follows the rules of version ${version}, whose transactions have membership proofs, which this server does not make. The money is safe, and other software can spend it with the seed of the wallet`,
    facts: ({ height, version }) => ({ height, version }),
  },
  daemon_untrusted: {
    code: -1,
    text: 'This command requires a trusted daemon.',
    explanation: 'this method needs a trusted daemon: set --trusted-daemon',
  },
  bad_daemon_settings: { code: -38, text: orText('Unable to set daemon'), explanation: reasonOf },
  mining_refused: {
    code: -1,
    text: ({ action }) => `Couldn't ${action} mining due to unknown error.`,
    explanation: ({ action, reason }) => `the daemon did not ${action} mining: ${reason}`,
  },
} satisfies Partial<FaultTable>;
