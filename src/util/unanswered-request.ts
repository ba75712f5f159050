import type { ClientRequest } from 'node:http';

/**
 * Calls a listener when a request closes without an answer, in addition to its `error` event: an answer with status 101,
 * which ends the use of HTTP on the connection, only closes a request that expects no such answer.
 */
export function onClosedUnanswered(request: ClientRequest, listener: (error: Error) => void): void {
  let isAnswered = false;
  request.once('response', () => (isAnswered = true));
  request.once('close', () => {
    if (!isAnswered) listener(new Error('the connection was closed without an answer'));
  });
}
