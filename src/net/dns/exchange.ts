import { createSocket } from 'node:dgram';
import { connect, isIPv6 } from 'node:net';
import { ByteQueue } from '../byte-queue.js';
import { CodecError } from '../../util/codec.js';
import { readAnswer, type DnsAnswer, type DnsName } from './message.js';

/** Address and port of a resolver. */
export interface Nameserver {
  readonly ip: string;
  readonly port: number;
}

/** A question for one resolver. */
export interface Question {
  readonly id: number;
  readonly name: DnsName;
  readonly message: Uint8Array;
  readonly timeoutMs: number;
}

/**
 * Parses an answer. @returns undefined for the answer to another question. @throws CodecError for bytes that are not an
 * answer.
 */
function answerTo({ id, name }: Question, message: Uint8Array): DnsAnswer | undefined {
  const answer = readAnswer(message);
  // A resolver that cannot parse the question leaves the question out of its answer.
  const matches = answer.question === name || (answer.question === undefined && answer.rcode !== 0);
  return answer.id === id && matches ? answer : undefined;
}

/**
 * Sends a question over UDP, from a new port. Ignores messages that do not answer the question.
 * @throws Error if the resolver cannot be reached or does not answer in time.
 */
export function askUdp(server: Nameserver, question: Question): Promise<DnsAnswer> {
  return new Promise((resolve, reject) => {
    const socket = createSocket(isIPv6(server.ip.replace(/%.*$/, '')) ? 'udp6' : 'udp4');
    const finish = (settle: () => void): void => {
      clearTimeout(timer);
      socket.removeAllListeners();
      socket.on('error', () => undefined);
      socket.close();
      settle();
    };
    const fail = (error: Error): void => finish(() => reject(error));
    const timer = setTimeout(() => fail(new Error('the resolver does not answer')), question.timeoutMs);
    socket.on('error', fail);
    socket.on('message', (message) => {
      try {
        const answer = answerTo(question, message);
        if (answer !== undefined) finish(() => resolve(answer));
      } catch (error) {
        if (!(error instanceof CodecError)) fail(error as Error);
      }
    });
    // A connected UDP socket receives only from the address and port of the resolver.
    socket.on('connect', () =>
      socket.send(question.message, (error) => {
        if (error) fail(error);
      }),
    );
    socket.connect(server.port, server.ip);
  });
}

/** Sends a question over TCP, for an answer that is too long for UDP. @throws Error, CodecError */
export function askTcp(server: Nameserver, question: Question): Promise<DnsAnswer> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: server.ip, port: server.port });
    const finish = (settle: () => void): void => {
      clearTimeout(timer);
      socket.destroy();
      settle();
    };
    const fail = (error: Error): void => finish(() => reject(error));
    const timer = setTimeout(() => fail(new Error('the resolver does not answer')), question.timeoutMs);
    const queue = new ByteQueue();
    socket.on('error', fail);
    socket.on('close', () => fail(new Error('the resolver closed the connection')));
    socket.on('connect', () => {
      const length = Buffer.alloc(2);
      length.writeUInt16BE(question.message.length);
      socket.write(Buffer.concat([length, question.message]));
    });
    socket.on('data', (chunk) => {
      queue.append(chunk);
      if (queue.length < 2) return;
      const received = queue.view();
      const length = received.readUInt16BE(0);
      if (received.length < 2 + length) return;
      try {
        const answer = answerTo(question, received.subarray(2, 2 + length));
        if (answer === undefined || answer.truncated)
          return fail(new CodecError('the resolver answered another question'));
        finish(() => resolve(answer));
      } catch (error) {
        fail(error as Error);
      }
    });
  });
}
