import type * as node from '../node/load-now.js';

export const loadNow: typeof node.loadNow = () => {
  throw new Error('this browser lacks SIMD instructions in WebAssembly');
};
