import { testGroups } from '../support/multisig-groups.js';

testGroups([
  [3, 'oror'],
  [2, 'roor'],
  [3, 'ororo'],
]);
