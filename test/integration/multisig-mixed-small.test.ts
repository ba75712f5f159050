import { testGroups } from '../support/wallets/multisig-groups.js';

testGroups([
  [2, 'or'],
  [2, 'ro'],
  [2, 'oro'],
  [3, 'ror'],
]);
