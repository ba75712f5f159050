import { testGroups } from '../support/wallets/multisig-groups.js';

// Each group takes most of a minute: one runs by default, all of them with `npm run test:groups`.
testGroups([
  [2, 'roor'],
  ...(process.env.ALL_GROUPS === '1'
    ? ([
        [3, 'oror'],
        [3, 'ororo'],
      ] as const)
    : []),
]);
