import { testGroups } from '../support/wallets/multisig-groups.js';
import { someRows } from '../support/jest/lanes.js';

testGroups(
  someRows([
    [2, 'oo'],
    [2, 'ooo'],
    [3, 'ooo'],
    [1, 'oo'],
  ]),
);
