import { describe, expect, it } from '@jest/globals';
import {
  clientManifest,
  declarationFor,
  declarationImports,
  moduleText,
} from '../../tools/client-package.js';

const SERVER = { version: '1.2.3', license: 'MIT', publishConfig: { access: 'public', provenance: true } };
const GIT = { type: 'git', url: 'git+https://example.org/wallet.git' };

describe('the manifest of the package of the client', () => {
  it('has version, licence and the ways of publication of the server', () => {
    expect(clientManifest(SERVER)).toMatchObject({ name: 'wallet-rpc-client', ...SERVER });
    expect(clientManifest(SERVER)).not.toHaveProperty('repository');
  });

  it('has the repository of the server, and its folder there', () => {
    const repository = { ...GIT, directory: 'src/client' };
    expect(clientManifest({ ...SERVER, repository: GIT })).toMatchObject({ repository });
    expect(clientManifest({ ...SERVER, repository: GIT.url })).toMatchObject({ repository });
  });
});

describe('the declarations of the package', () => {
  const text =
    "import type { A } from './a.js';\nexport * from './b-c.js';\nexport type B = import('./d.js').D;\n";

  it('import each other by the names of their format', () => {
    expect(declarationFor('mts', text)).toBe(text.replaceAll('.js', '.mjs'));
    expect(declarationFor('cts', text)).toBe(text.replaceAll('.js', '.cjs'));
    expect(declarationImports(text)).toEqual(['a', 'b-c', 'd']);
  });

  it('are refused if they import a file that the package lacks', () => {
    for (const name of ['../util/json.js', 'node:http', 'zod'])
      expect(() => declarationFor('mts', `import type { A } from '${name}';`)).toThrow(name);
  });

  it('stand beside a module that passes on the names of the CommonJS module', () => {
    expect(moduleText(['a', 'b'])).toBe(
      "import client from './index.cjs';\nexport const {\n  a,\n  b,\n} = client;\n",
    );
  });
});
