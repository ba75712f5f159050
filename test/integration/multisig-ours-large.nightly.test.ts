import { testGroups } from '../support/wallets/multisig-groups.js';

// Each group takes most of a minute: one runs by default, all of them with `npm run test:groups`.
testGroups([
  [3, 'oooo'],
  ...(process.env.ALL_GROUPS === '1'
    ? ([
        [2, 'oooo'],
        [3, 'ooooo'],
      ] as const)
    : []),
]);
