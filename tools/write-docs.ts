import { readFileSync, writeFileSync } from 'node:fs';
import { registry } from '../src/rpc/registry.js';
import { OPTIONS } from '../src/cli/config/options.js';
import { withAlerts } from './alerts-table.js';
import { apiPage, type KnownMethod } from './api-page.js';
import { clientTable } from './client-table.js';
import { clientTypes } from './client-types.js';
import { dependenciesTable, withDependencies } from './dependencies-table.js';
import { dependencyFacts } from './dependency-facts.js';
import { flagsPage } from './flags-page.js';

const root = new URL('../../', import.meta.url);
const { methods } = JSON.parse(readFileSync(new URL('test/vectors/rpc/methods.json', root), 'utf8')) as {
  methods: readonly KnownMethod[];
};
writeFileSync(new URL('docs/api.md', root), apiPage(registry.methods, methods));
writeFileSync(new URL('docs/flags.md', root), flagsPage(OPTIONS));
const watching = new URL('docs/watching.md', root);
const alerts = readFileSync(new URL('packaging/prometheus/alerts.yml', root), 'utf8');
writeFileSync(watching, withAlerts(readFileSync(watching, 'utf8'), alerts));
const dependencies = new URL('docs/dependencies.md', root);
const packages = dependenciesTable(dependencyFacts());
writeFileSync(dependencies, withDependencies(readFileSync(dependencies, 'utf8'), packages));
writeFileSync(new URL('src/client/methods.ts', root), clientTypes(registry.methods));
writeFileSync(new URL('src/client/method-table.ts', root), clientTable(registry.methods));
