import net from 'node:net';

export interface Download {
  host: string;
  port: number;
  username: string;
  password: string;
  /** An http:// URL; `bodyBytes` is the length of its body. */
  target: string;
  bodyBytes: number;
}

export interface Outcome {
  /** Payload in both directions; updated while the download runs. */
  bytes: number;
  /** The complete body was received, or no tunnel was opened. */
  isComplete: boolean;
}

const SILENCE_LIMIT_MS = 8000;

/**
 * Downloads through the proxy with CONNECT and counts the tunnel's payload in both directions. Never rejects, because broken
 * tunnels are expected here.
 */
export function download(
  { host, port, username, password, target, bodyBytes }: Download,
  outcome: Outcome,
): Promise<void> {
  const { hostname, port: targetPort, pathname } = new URL(target);
  const request = Buffer.from(
    `GET ${pathname} HTTP/1.1\r\nHost: ${hostname}:${targetPort}\r\nConnection: close\r\n\r\n`,
  );
  const credentials = Buffer.from(`${username}:${password}`).toString('base64');
  return new Promise((resolve) => {
    let head = Buffer.alloc(0);
    let isOpen = false;
    const socket = net.connect(port, host, () =>
      socket.write(
        `CONNECT ${hostname}:${targetPort} HTTP/1.1\r\nHost: ${hostname}:${targetPort}\r\nProxy-Authorization: Basic ${credentials}\r\n\r\n`,
      ),
    );
    socket.setTimeout(SILENCE_LIMIT_MS, () => socket.destroy());
    socket.on('data', (chunk) => {
      if (isOpen) {
        outcome.bytes += chunk.length;
        outcome.isComplete = outcome.bytes >= bodyBytes + request.length;
        return;
      }
      head = Buffer.concat([head, chunk]);
      const end = head.indexOf('\r\n\r\n');
      if (end === -1) return;
      if (!head.subarray(0, end).includes(' 200 ')) {
        outcome.isComplete = true; // Refused: no tunnel, no bytes.
        socket.destroy();
        return;
      }
      isOpen = true;
      outcome.bytes += head.length - end - 4 + request.length;
      socket.write(request);
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve());
  });
}
