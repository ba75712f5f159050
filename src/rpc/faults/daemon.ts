import { orText, reasonOf, type FaultTable } from './fault-entry.js';

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
