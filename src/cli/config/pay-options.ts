import type { OptionSpec } from './option-spec.js';

/** Options of the pay pages. */
export const PAY_OPTIONS: readonly OptionSpec[] = [
  {
    name: 'pay-bind',
    argument: '[ip:]port',
    group: 'Pay pages',
    help: 'serve the pay pages of payment requests on this address, without a login, 127.0.0.1 if only a port is given (docs/pay-page.md); absent: there are none',
  },
  {
    name: 'pay-url',
    argument: 'url',
    group: 'Pay pages',
    help: 'address under which customers reach --pay-bind, to which pay/<token> is appended; absent: http://, the address of --pay-bind and /',
  },
];
