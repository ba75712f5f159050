import type { OptionGroup, OptionSpec } from './option-spec.js';

/** Options of one side of TLS, beside its mode. @param prefix name of the option with the mode. */
export const sslOptions = (prefix: string, group: OptionGroup): readonly OptionSpec[] => [
  { name: `${prefix}-private-key`, argument: 'file', group, help: 'private key, PEM' },
  { name: `${prefix}-certificate`, argument: 'file', group, help: 'certificate, PEM' },
  {
    name: `${prefix}-ca-certificates`,
    argument: 'file',
    group,
    help: 'certificates that the peer must chain to, PEM',
  },
  {
    name: `${prefix}-allowed-fingerprints`,
    argument: 'list',
    group,
    help: 'SHA-256 fingerprints of accepted peer certificates, comma separated',
  },
  { name: `${prefix}-allow-chained`, group, help: 'accept peer certificates that a listed CA issued' },
];
