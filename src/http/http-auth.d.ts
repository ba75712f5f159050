/** Types of the part of http-auth that this server uses; the package has no types. */
declare module 'http-auth' {
  import type { IncomingMessage, ServerResponse } from 'node:http';

  export interface Digest<Result> {
    /** Reads the Authorization header. @returns its parameters; undefined for another kind of login. */
    parseAuthorization: (header: string) => { readonly [parameter: string]: string | undefined } | undefined;
    /** Finds a user and checks the password. @param credentials parameters of the Authorization header. */
    findUser: (
      req: IncomingMessage,
      credentials: { readonly [parameter: string]: string | undefined },
      done: (result: Result) => void,
    ) => void;
    ask: (res: ServerResponse, result: Partial<Result>) => void;
    /** Calls back with the result of `findUser`; with an empty result for a request without a digest login. */
    isAuthenticated(req: IncomingMessage, callback: (result: Partial<Result> | Error) => void): void;
  }

  const httpAuth: {
    digest<Result>(
      options: { readonly realm: string; readonly contentType?: string },
      checker: (user: string, done: (ha1: string) => void) => void,
    ): Digest<Result>;
  };
  export default httpAuth;
}
