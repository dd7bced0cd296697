import { canonicalAddress } from '@cellhop/contract/network';
import type { Socket } from 'node:net';
import type { Login } from '../connections/connection.ts';
import type { Endpoint } from '../exits/exit.ts';
import { parseHost } from '../protocol/host.ts';
import { encodeReply, SUCCEEDED } from '../protocol/socks5.ts';
import { toCause, TunnelFailure } from '../statuses.ts';
import { Association } from '../udp/association.ts';
import type { Handshake } from './handshake.ts';
import type { ListenerContext } from './listener-context.ts';

/** TCP keep-alive after this silence: a client that lost its network does not close its connection. */
const KEEP_ALIVE_MS = 60_000;

/**
 * Serves UDP ASSOCIATE (RFC 1928, sections 4 and 7). The association lives as long as its control connection, on which
 * further data has no meaning. DST.ADDR and DST.PORT of the request are ignored: the first datagram shows from where the client sends.
 * @throws TunnelFailure
 */
export async function serveUdpAssociate(context: ListenerContext, handshake: Handshake, login: Login): Promise<void> {
  const { socket } = handshake.client;
  try {
    if (login.connection.exit.udp === 'none') throw new TunnelFailure('udp-unsupported');
    context.flows.admitAssociation(login);
    const { association, bound } = await openAssociation(context, login, socket);
    handshake.release();
    socket.write(encodeReply(SUCCEEDED, bound));
    socket.on('data', () => {}).resume();
    // It may have ended while the port was opened.
    if (socket.readableEnded) association.flow.close('completed');
  } catch (error) {
    const cause = toCause(error);
    if (cause === 'descriptors-exhausted') context.descriptors.exhausted();
    login.connection.lastRefusal.record(cause);
    context.log.info({ connectionId: login.connection.id, protocol: 'socks5-udp', cause }, 'Association refused');
    throw error;
  }
}

/** @throws TunnelFailure */
async function openAssociation(
  context: ListenerContext,
  login: Login,
  socket: Socket,
): Promise<{ association: Association; bound: Endpoint }> {
  const address = canonicalAddress(socket.remoteAddress ?? '');
  const localAddress = canonicalAddress(socket.localAddress ?? '');
  // A closed socket has no addresses.
  if (address === undefined || localAddress === undefined) throw new TunnelFailure('client-closed');
  let isOpen = false;
  const association = new Association(context, login, { address, localAddress }, () => {
    if (isOpen) socket.destroySoon();
  });
  const ended = () => association.flow.close('completed');
  socket.once('end', ended).once('close', ended).setKeepAlive(true, KEEP_ALIVE_MS);
  const port = await association.open();
  isOpen = true;
  return { association, bound: { address: publicAddress(context.publicAddresses, localAddress), port } };
}

/** Where the client must send its datagrams: the address to which it connected, unless a NAT is in front of this node. */
function publicAddress(publicAddresses: readonly string[], localAddress: string): Uint8Array {
  const [local, ...others] = [localAddress, ...publicAddresses].flatMap((text) => {
    const host = parseHost(text);
    return host?.kind === 'address' ? [host.bytes] : [];
  });
  return others.find(({ length }) => length === local?.length) ?? local ?? new Uint8Array(4);
}
