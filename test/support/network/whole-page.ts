import { parseBlocksAnswer, type ParsedBlocksAnswer } from '../../../src/monero/wallet/scan/block-page.js';

/** Parses an answer all of whose blocks must be readable. @throws CodecError of the block that is not. */
export function parseWholePage(answer: Uint8Array, complete = false): ParsedBlocksAnswer {
  const page = parseBlocksAnswer(answer, { complete });
  if (page.unread !== undefined) throw page.unread.cause;
  return page;
}
