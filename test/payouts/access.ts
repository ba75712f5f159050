import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Random } from '../support/fakes/seeded-random.js';
import { CredentialFile } from '../support/processes/credential-file.js';
import { ALL } from '../support/processes/credential-server.js';
import { ROOT } from './payer.js';
import type { ApprovalRule } from './approval-model.js';

/** Credential that creates the payouts of a round with approvals. */
export const CREATOR = 'clerk';
export const APPROVERS = ['anna', 'bert'] as const;
export const CANCELLER = 'carl';

const XMR = 1_000_000_000_000;
/** Limits of a day of the creator [atomic units]. */
const LIMITS = [20 * XMR, 80 * XMR, 400 * XMR] as const;

/** File of the credentials of a round, with rules of approval that are changed on the way. */
export class Access {
  /** Limit of a day of the creator [atomic units]. */
  readonly limit: number;
  readonly #directory = mkdtempSync(join(tmpdir(), 'payout-access-'));
  readonly #file = new CredentialFile(join(this.#directory, 'credentials.json'));
  readonly #wallet: string;
  rules: readonly ApprovalRule[];

  private constructor(wallet: string, limit: number, rules: readonly ApprovalRule[]) {
    this.#wallet = wallet;
    this.limit = limit;
    this.rules = rules;
  }

  /** Writes the file of a round. */
  static async create(wallet: string, random: Random): Promise<Access> {
    const access = new Access(wallet, random.pick(LIMITS), []);
    await access.#file.add(ROOT, { wallet: '*', method: ALL });
    await access.#file.add(CREATOR, {
      ...{ wallet, method: ['view', 'payout_create', 'payout_approve'] },
      'spend-day': String(access.limit),
    });
    for (const name of APPROVERS)
      await access.#file.add(name, { wallet, method: ['view', 'payout_approve'] });
    await access.#file.add(CANCELLER, { wallet, method: ['view', 'payout_cancel'] });
    access.write(drawRules(random, true));
    return access;
  }

  get flag(): string {
    return `--credentials=${this.#file.path}`;
  }

  get tokens(): Readonly<Record<string, string>> {
    return this.#file.tokens;
  }

  /** Writes other rules: those of the creator to his credential, the others beside the credentials. */
  write(rules: readonly ApprovalRule[]): void {
    const { credentials } = JSON.parse(readFileSync(this.#file.path, 'utf8')) as {
      readonly credentials: readonly { readonly name: string; readonly payouts?: object }[];
    };
    const own = rules.find(({ creator }) => creator === CREATOR);
    const changed = {
      credentials: credentials.map((credential) =>
        // Without a rule the member is left out of the file.
        credential.name === CREATOR
          ? { ...credential, payouts: own === undefined ? undefined : membersOf(own) }
          : credential,
      ),
      payouts: rules
        .filter(({ creator }) => creator === undefined)
        .map((rule) => ({
          wallets: [this.#wallet],
          ...(rule.accounts === undefined ? {} : { accounts: rule.accounts }),
          ...membersOf(rule),
        })),
    };
    writeFileSync(this.#file.path, JSON.stringify(changed), { mode: 0o600 });
    this.rules = rules;
  }

  remove(): void {
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

const membersOf = ({ above, approvals, delay, own }: ApprovalRule): object => ({
  ...{ approve_above: String(above), approvals, delay, own },
});

/** Draws the rules of a file: one of the creator, and perhaps one of an account. @param isFirst true: some payouts wait. */
export function drawRules(random: Random, isFirst = false): readonly ApprovalRule[] {
  const rule = (): ApprovalRule => ({
    above: random.pick([0, 0, XMR / 2, XMR]),
    approvals: random.pick([2, 2, 1, 0]),
    delay: random.pick([0, 0, 0, 30, 700]),
    own: random.chance(0.25),
  });
  return [
    ...(isFirst || random.chance(0.8)
      ? [{ ...rule(), creator: CREATOR, ...(isFirst ? { approvals: random.pick([1, 2]) } : {}) }]
      : []),
    ...(random.chance(0.5) ? [{ ...rule(), ...(random.chance(0.5) ? { accounts: [1] } : {}) }] : []),
  ];
}
