import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { runHandlers, type Handler } from './handler.js';

export interface DirectCallsOptions {
  /** Path of calls without a target. */
  readonly path: string;
  /** Path of calls for a target, with `:target` in place of its percent-encoded name; absent: there is none. */
  readonly targetPath?: string | undefined;
  /** Checks of a call, in order: those that the application makes, too. */
  readonly checks: readonly Handler[];
  /** Answers a call that all checks have passed. */
  readonly answer: (req: IncomingMessage, res: ServerResponse, target?: string) => Promise<void>;
  readonly onError: (error: unknown, req: IncomingMessage, res: ServerResponse) => void;
}

/**
 * Answers POST to the paths of calls without the router of Express, which takes as long as a short call itself. All other
 * requests go to the application.
 */
export function directCalls(
  app: RequestListener,
  { path, targetPath, checks, answer, onError }: DirectCallsOptions,
): RequestListener {
  const targetIn = targetPath === undefined ? () => undefined : targetReader(targetPath);
  return (req, res) => {
    const { method, url = '' } = req;
    const target = url === path ? undefined : targetIn(url);
    if (method !== 'POST' || (target === undefined && url !== path)) return void app(req, res);
    const fail = (error: unknown): void => onError(error, req, res);
    return runHandlers(checks, req, res, () => void answer(req, res, target).catch(fail), fail);
  };
}

/** Returns a function that reads the target in a URL; undefined if the URL is not exactly the path of a target. */
function targetReader(targetPath: string): (url: string) => string | undefined {
  const [before = '', after = ''] = targetPath.split(':target');
  return (url) => {
    if (!url.startsWith(before) || !url.endsWith(after)) return undefined;
    const encoded = url.slice(before.length, url.length - after.length);
    if (!/^[^/?#]+$/.test(encoded)) return undefined;
    try {
      return decodeURIComponent(encoded);
    } catch {
      return undefined;
    }
  };
}
