import { testGroups } from '../support/wallets/multisig-groups.js';

testGroups([
  [2, 'oo'],
  [2, 'ooo'],
  [3, 'ooo'],
  [1, 'oo'],
]);
