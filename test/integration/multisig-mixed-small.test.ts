import { testGroups } from '../support/wallets/multisig-groups.js';
import { someRows } from '../support/jest/lanes.js';

testGroups(
  someRows([
    [2, 'or'],
    [2, 'ro'],
    [2, 'oro'],
    [3, 'ror'],
  ]),
);
