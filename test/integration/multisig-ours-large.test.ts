import { testGroups } from '../support/multisig-groups.js';

testGroups([
  [3, 'oooo'],
  [2, 'oooo'],
  [3, 'ooooo'],
]);
