import type { Socket } from 'node:net';
import { type SecureContext, TLSSocket } from 'node:tls';
import { TunnelFailure } from '../statuses.ts';

interface Undocumented {
  secureConnecting: boolean;
  _releaseControl(): void;
}

/** A client's connection after the TLS handshake of this node, which is its server. Bytes before `early` are gone. */
export class SecureSocket extends TLSSocket {
  constructor(
    private readonly transport: Socket,
    secureContext: SecureContext,
  ) {
    super(transport, { isServer: true, secureContext, ALPNProtocols: ['h2', 'http/1.1'] });
  }

  /**
   * The handshake is done. The library does this for the clients of its own server, which would keep their sockets to itself: until then later errors
   * are not reported, and HTTP/2 waits. The tests of HTTP/2 fail if it changes.
   */
  establish(): void {
    const socket = this as unknown as Undocumented;
    socket.secureConnecting = false;
    socket._releaseControl();
  }

  /** TLS has no reset: the connection below ends without `close_notify`, so that truncated data never looks complete. */
  override resetAndDestroy(): this {
    this.transport.resetAndDestroy();
    return this.destroy();
  }
}

/**
 * @param transport paused
 * @param early what was read of it
 * @returns when the handshake is done
 * @throws TunnelFailure if it fails, or if the client has disconnected
 */
export function openSecureSocket(transport: Socket, early: Buffer, context: SecureContext): Promise<SecureSocket> {
  return new Promise((fulfil, reject) => {
    if (early.length > 0) transport.unshift(early);
    const socket = new SecureSocket(transport, context);
    let cause: 'client-closed' | 'tls-failed' = 'client-closed';
    const onError = (error: NodeJS.ErrnoException) => {
      // Errors of the system say that the client has gone.
      if (error.code?.startsWith('ERR_') === true) cause = 'tls-failed';
    };
    const onClose = () => reject(new TunnelFailure(cause));
    // Emitted by the library for each side, in contrast to `secureConnect`.
    socket.once('secure', () => {
      socket.off('close', onClose).off('error', onError);
      socket.establish();
      socket.on('error', () => socket.destroy());
      fulfil(socket);
    });
    socket.once('close', onClose).on('error', onError);
  });
}
