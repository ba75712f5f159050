import { RpcError } from '../../http/calls/errors.js';

/** Error codes of the daemon's JSON-RPC. Source: core_rpc_server_error_codes.h. */
export const CODE = {
  wrongParam: -1,
  tooBigHeight: -2,
  tooBigReserve: -3,
  wrongAddress: -4,
  internal: -5,
  wrongBlob: -6,
  notAccepted: -7,
  wrongBlobSize: -10,
  subaddress: -12,
  restricted: -19,
} as const;

export const refuse = (code: keyof typeof CODE, message: string): RpcError =>
  new RpcError(CODE[code], message);
