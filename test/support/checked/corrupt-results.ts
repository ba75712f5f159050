import { registry } from '../../../src/rpc/registry.js';

/* Preloaded by a server under test: `get_languages` has a member that its schema lacks. */

const method = registry.find('get_languages');
if (method !== undefined) Object.assign(method, { handle: () => ({ languages: [], extra: true }) });
