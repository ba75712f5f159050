import { requireModule } from '../../util/require-module.js';
import { fastestKernel } from './fastest.js';
import type { ScanKernel } from './kernel.js';

/** Loads the fastest kernel that works on this machine. */
export const loadKernel = (): ScanKernel => fastestKernel() ?? loadReferenceKernel();

/**
 * Loads the plain kernel, for an engine in which no build works. It takes longer to load than all other modules of a
 * thread.
 */
function loadReferenceKernel(): ScanKernel {
  const module = requireModule(new URL('./reference-kernel.js', import.meta.url));
  return (module as { readonly referenceKernel: ScanKernel }).referenceKernel;
}
