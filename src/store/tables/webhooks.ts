import type { Statement } from 'better-sqlite3';
import { Secret } from '../../util/secret.js';
import type { SigningSecret } from '../../net/webhooks/secret.js';
import type { Db } from '../file/database.js';

/** Endpoint that events of the wallet are sent to. */
export interface Webhook {
  readonly id: string;
  readonly url: string;
  /** Event types; empty: all. */
  readonly types: readonly string[];
  /** Id of the last event with a recorded attempt. */
  readonly position: number;
  /** Unix time [ms]. */
  readonly created: number;
  /** Reason for which nothing is sent; absent while enabled. */
  readonly disabled?: string;
}

interface WebhookRow {
  readonly id: string;
  readonly url: string;
  readonly types: string;
  readonly position: number;
  readonly created: number;
  readonly disabled: string | null;
}

/** Secrets of an endpoint that may sign at the same time: each lengthens the signature header by 48 characters. */
const MAX_SECRETS = 5;

const toWebhook = ({ types, disabled, ...row }: WebhookRow): Webhook => ({
  ...row,
  types: types === '' ? [] : types.split(','),
  ...(disabled === null ? {} : { disabled }),
});

export class WebhookReader {
  protected readonly db: Db;
  readonly #byId: Statement<[string], WebhookRow>;

  constructor(db: Db) {
    this.db = db;
    this.#byId = db.prepare('SELECT * FROM webhook WHERE id = ?');
  }

  /** Returns all endpoints, oldest first. */
  list(): Webhook[] {
    return this.db.prepare<[], WebhookRow>('SELECT * FROM webhook ORDER BY created, id').all().map(toWebhook);
  }

  byId(id: string): Webhook | undefined {
    const row = this.#byId.get(id);
    return row && toWebhook(row);
  }

  /** Returns the secrets of an endpoint, newest first, expired ones included. */
  secrets(id: string): SigningSecret[] {
    return this.db
      .prepare<[string], { secret: Uint8Array; until: number | null }>(
        'SELECT secret, until FROM webhook_secret WHERE webhook = ? ORDER BY number DESC',
      )
      .all(id)
      .map(({ secret, until }) => ({
        secret: new Secret(Uint8Array.from(secret)),
        ...(until === null ? {} : { until }),
      }));
  }
}

export class WebhookWriter extends WebhookReader {
  /** @param position id of the last event that is not sent to the endpoint. @throws Error if the id is used. */
  add({ id, url, types, position, created }: Omit<Webhook, 'disabled'>, secret: Secret): void {
    this.db
      .prepare('INSERT INTO webhook (id, url, types, position, created) VALUES (?, ?, ?, ?, ?)')
      .run(id, url, types.join(','), position, created);
    this.#addSecret(id, secret);
  }

  /** Deletes an endpoint with its secrets and deliveries. @returns false for an unknown id. */
  remove(id: string): boolean {
    return this.db.prepare('DELETE FROM webhook WHERE id = ?').run(id).changes > 0;
  }

  /**
   * Makes a secret the current one. The one before it signs as well until it expires; of all, the newest five are kept.
   * @param now Unix time [ms]. @param overlap time for which the replaced secret signs [ms].
   * @returns false for an unknown id.
   */
  rotateSecret(id: string, secret: Secret, now: number, overlap: number): boolean {
    if (this.byId(id) === undefined) return false;
    this.db.prepare('DELETE FROM webhook_secret WHERE webhook = ? AND until <= ?').run(id, now);
    this.db
      .prepare('UPDATE webhook_secret SET until = ? WHERE webhook = ? AND until IS NULL')
      .run(now + overlap, id);
    this.#addSecret(id, secret);
    this.db
      .prepare(
        `DELETE FROM webhook_secret WHERE webhook = @id AND number <=
           (SELECT max(number) FROM webhook_secret WHERE webhook = @id) - ${MAX_SECRETS}`,
      )
      .run({ id });
    return true;
  }

  /** @param reason absent enables the endpoint. @returns false for an unknown id. */
  setDisabled(id: string, reason: string | undefined): boolean {
    return (
      this.db.prepare('UPDATE webhook SET disabled = ? WHERE id = ?').run(reason ?? null, id).changes > 0
    );
  }

  #addSecret(id: string, secret: Secret): void {
    this.db
      .prepare(
        `INSERT INTO webhook_secret (webhook, number, secret)
           SELECT @id, coalesce(max(number), 0) + 1, @secret FROM webhook_secret WHERE webhook = @id`,
      )
      .run({ id, secret: secret.expose() });
  }
}
