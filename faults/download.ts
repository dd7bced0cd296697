import net from 'node:net';

export interface Download {
  host: string;
  port: number;
  username: string;
  password: string;
  /** An http:// address. */
  target: string;
}

const SILENCE_LIMIT_MS = 8000;

/**
 * Downloads through the proxy with CONNECT and counts the tunnel's payload in both directions, whatever happens to it.
 * Never rejects: a tunnel that is cut is what the script is about.
 */
export function download({
  host,
  port,
  username,
  password,
  target,
}: Download): Promise<{ sent: number; received: number }> {
  const { hostname, port: targetPort, pathname } = new URL(target);
  const request = Buffer.from(
    `GET ${pathname} HTTP/1.1\r\nHost: ${hostname}:${targetPort}\r\nConnection: close\r\n\r\n`,
  );
  const credentials = Buffer.from(`${username}:${password}`).toString('base64');
  return new Promise((resolve) => {
    const bytes = { sent: 0, received: 0 };
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
        bytes.received += chunk.length;
        return;
      }
      head = Buffer.concat([head, chunk]);
      const end = head.indexOf('\r\n\r\n');
      if (end === -1) return;
      if (!head.subarray(0, end).includes(' 200 ')) {
        socket.destroy();
        return;
      }
      isOpen = true;
      bytes.received += head.length - end - 4;
      bytes.sent += request.length;
      socket.write(request);
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(bytes));
  });
}
