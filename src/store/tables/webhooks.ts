import { Secret } from '../../util/secret.js';
import type { SigningSecret } from '../../net/webhooks/signature.js';
import type { SqlDatabase } from '../../util/sql-database.js';

/** An endpoint to which events of the wallet are sent. */
export interface Webhook {
  readonly id: string;
  readonly url: string;
  /** Event types to send; empty: all types. */
  readonly types: readonly string[];
  /** Id of the last event whose first attempt is recorded. */
  readonly position: number;
  /** Time of creation [Unix ms]. */
  readonly created: number;
  /** Reason why nothing is sent to the endpoint; absent while it is enabled. */
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

/**
 * Largest number of secrets of an endpoint that sign at the same time. Each secret lengthens the signature header by 48
 * characters.
 */
const MAX_SECRETS = 5;

const toWebhook = ({ types, disabled, ...row }: WebhookRow): Webhook => ({
  ...row,
  types: types === '' ? [] : types.split(','),
  ...(disabled === null ? {} : { disabled }),
});

/** Reads the endpoints to which events are sent, and their secrets. */
export class WebhookReader {
  protected readonly db: SqlDatabase;

  constructor(db: SqlDatabase) {
    this.db = db;
  }

  /** Returns all endpoints, oldest first. */
  list(): Webhook[] {
    return this.db.rows<WebhookRow>('SELECT * FROM webhook ORDER BY created, id').map(toWebhook);
  }

  byId(id: string): Webhook | undefined {
    const row = this.db.row<WebhookRow>('SELECT * FROM webhook WHERE id = ?', id);
    return row && toWebhook(row);
  }

  /** Returns the secrets of an endpoint, newest first, including expired secrets. */
  secrets(id: string): SigningSecret[] {
    return this.db
      .rows<{ secret: Uint8Array; until: number | null }>(
        'SELECT secret, until FROM webhook_secret WHERE webhook = ? ORDER BY number DESC',
        id,
      )
      .map(({ secret, until }) => ({
        secret: new Secret(Uint8Array.from(secret)),
        ...(until === null ? {} : { until }),
      }));
  }
}

export class WebhookWriter extends WebhookReader {
  /**
   * Adds an endpoint with its first secret. `position` is the id of the last event that is not sent to it.
   * @throws Error if the id is already in use.
   */
  add({ id, url, types, position, created }: Omit<Webhook, 'disabled'>, secret: Secret): void {
    this.db.run(
      'INSERT INTO webhook (id, url, types, position, created) VALUES (?, ?, ?, ?, ?)',
      id,
      url,
      types.join(','),
      position,
      created,
    );
    this.#addSecret(id, secret);
  }

  /** Deletes an endpoint with its secrets and deliveries. @returns false for an unknown id. */
  remove(id: string): boolean {
    return this.db.run('DELETE FROM webhook WHERE id = ?', id).changes > 0;
  }

  /**
   * Makes a secret the current secret of an endpoint. The former secret also signs until it expires. At most the five
   * newest secrets are kept.
   * @param now Unix time [ms].
   * @param overlap time for which the former secret still signs [ms].
   * @returns false for an unknown id.
   */
  rotateSecret(id: string, secret: Secret, now: number, overlap: number): boolean {
    if (this.byId(id) === undefined) return false;
    this.db.run('DELETE FROM webhook_secret WHERE webhook = ? AND until <= ?', id, now);
    this.db.run('UPDATE webhook_secret SET until = ? WHERE webhook = ? AND until IS NULL', now + overlap, id);
    this.#addSecret(id, secret);
    this.db.run(
      `DELETE FROM webhook_secret WHERE webhook = @id AND number <=
           (SELECT max(number) FROM webhook_secret WHERE webhook = @id) - ${MAX_SECRETS}`,
      { id },
    );
    return true;
  }

  /**
   * Disables or enables an endpoint.
   * @param reason reason for disabling; undefined: enables it.
   * @returns false for an unknown id.
   */
  setDisabled(id: string, reason: string | undefined): boolean {
    return this.db.run('UPDATE webhook SET disabled = ? WHERE id = ?', reason ?? null, id).changes > 0;
  }

  #addSecret(id: string, secret: Secret): void {
    this.db.run(
      `INSERT INTO webhook_secret (webhook, number, secret)
           SELECT @id, coalesce(max(number), 0) + 1, @secret FROM webhook_secret WHERE webhook = @id`,
      { id, secret: secret.expose() },
    );
  }
}
