import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/*
 * The few values of the framework of Medusa that the payment provider uses, for tests that do without its 800 MB. That they are
 * those of the framework is shown at night.
 */

const UTILS = `
exports.AbstractPaymentProvider = class {
  constructor(container, config) {
    Object.assign(this, { container, config });
  }
};
exports.MedusaError = class MedusaError extends Error {
  static Types = {
    INVALID_DATA: 'invalid_data',
    NOT_ALLOWED: 'not_allowed',
    NOT_FOUND: 'not_found',
    UNAUTHORIZED: 'unauthorized',
    UNEXPECTED_STATE: 'unexpected_state',
  };
  constructor(type, message) {
    super(message);
    this.type = type;
  }
};
exports.PaymentSessionStatus = {
  CANCELED: 'canceled',
  CAPTURED: 'captured',
  PENDING: 'pending',
  PENDING_AUTHORIZATION: 'pending_authorization',
};
exports.PaymentActions = { ...exports.PaymentSessionStatus, SUCCESSFUL: 'captured', NOT_SUPPORTED: 'not_supported' };
exports.Modules = { PAYMENT: 'payment' };
exports.ModuleProvider = (module, { services }) => ({ module, services });
`;

/** Writes the package `@medusajs/framework` for programs of a folder. */
export function writeMedusaFramework(folder: string): void {
  const framework = join(folder, 'node_modules/@medusajs/framework');
  mkdirSync(framework, { recursive: true });
  writeFileSync(join(framework, 'package.json'), '{"name":"@medusajs/framework"}');
  writeFileSync(join(framework, 'utils.js'), UTILS);
}
