/** Types of the part of http-auth that we use; the package has none. */
declare module 'http-auth' {
  import type { IncomingMessage, ServerResponse } from 'node:http';

  export interface DigestResult {
    readonly user?: string;
    readonly pass?: boolean;
    readonly stale?: boolean;
  }

  export interface Digest {
    /** @param credentials parameters of the Authorization header. */
    findUser: (
      req: IncomingMessage,
      credentials: { readonly [parameter: string]: string | undefined },
      done: (result: DigestResult) => void,
    ) => void;
    ask: (res: ServerResponse, result: DigestResult) => void;
    isAuthenticated(req: IncomingMessage, callback: (result: DigestResult | Error) => void): void;
  }

  const httpAuth: {
    digest(
      options: { readonly realm: string; readonly contentType?: string },
      checker: (user: string, done: (ha1: string) => void) => void,
    ): Digest;
  };
  export default httpAuth;
}
