import { createServer, type Server, type Socket } from 'node:net';
import { acceptDirectly } from '../pipe/direct-socket.ts';
import { listeningDescriptor } from '../pipe/handle.ts';
import type { RawSocket } from '../pipe/raw-sockets.ts';
import { type ClientTransport, SocketTransport } from './client-transport.ts';
import type { ListenerContext } from './listener-context.ts';
import { RawTransport } from './raw-transport.ts';

export interface Acceptor {
  readonly server: Server;
  /** Call it when the server listens: native code accepts from now on, if there is any. */
  listening(): void;
  stop(): void;
}

/** Accepts clients as sockets of native code, or of Node. */
export function createAcceptor(
  { relay: { sockets }, descriptors, log }: Pick<ListenerContext, 'relay' | 'descriptors' | 'log'>,
  accept: (transport: ClientTransport) => void,
): Acceptor {
  const acceptSocket = (socket: Socket) => accept(new SocketTransport(socket));
  const server = createServer({ allowHalfOpen: true, noDelay: true }, acceptSocket);

  function listening(): void {
    // A failed `accept` (for example EMFILE) affects one client only.
    server.on('error', (error) => log.error({ err: error }, 'A client could not be accepted'));
    acceptDirectly(server, acceptSocket);
    const descriptor = listeningDescriptor(server);
    if (!sockets || descriptor === undefined) return;
    const events = {
      accepted: (socket: RawSocket) => accept(new RawTransport(socket)),
      exhausted: () => descriptors.exhausted(),
    };
    // The listening socket lives on when the server has closed its descriptor.
    if (sockets.listen(descriptor, events)) server.close();
    else log.warn('Native code cannot watch the public port; Node accepts its clients');
  }

  function stop(): void {
    server.close();
    sockets?.stopListening();
  }

  return { server, listening, stop };
}
