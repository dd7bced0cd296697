import type { Socket } from 'node:net';
import { type Answer, isAnswerTo, readAnswer } from '../protocol/dns.ts';
import { TunnelFailure } from '../statuses.ts';

const LENGTH_BYTES = 2;

/**
 * Asks one question over a new TCP connection (RFC 7766). Takes over the socket, and closes it.
 * @throws TunnelFailure
 */
export function askOverTcp(socket: Socket, asked: Buffer, timeoutMs: number): Promise<Answer> {
  return new Promise((fulfil, reject) => {
    const chunks: Buffer[] = [];
    let receivedBytes = 0;
    const fail = () => {
      clearTimeout(timer);
      socket.destroy();
      reject(new TunnelFailure('resolver-silent'));
    };
    const timer = setTimeout(fail, timeoutMs);
    socket.on('error', fail);
    socket.on('end', fail);
    socket.on('close', fail);
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      receivedBytes += chunk.length;
      if (receivedBytes < LENGTH_BYTES) return;
      const received = chunks.length === 1 ? chunk : Buffer.concat(chunks);
      const end = LENGTH_BYTES + received.readUInt16BE(0);
      if (receivedBytes < end) return;
      const message = received.subarray(LENGTH_BYTES, end);
      const answer = isAnswerTo(asked, message) ? readAnswer(message) : undefined;
      if (!answer) return fail();
      clearTimeout(timer);
      fulfil(answer);
      socket.destroy();
    });
    const length = Buffer.alloc(LENGTH_BYTES);
    length.writeUInt16BE(asked.length);
    socket.write(Buffer.concat([length, asked]));
    socket.resume();
  });
}
