import { openTunnel } from '../flows/tunnel.ts';
import { encodeSocks4Reply, parseSocks4Request, SOCKS4_GRANTED } from '../protocol/socks4.ts';
import { COMMAND_CONNECT } from '../protocol/socks5.ts';
import { socks4Code, TunnelFailure } from '../statuses.ts';
import { logIn } from './authenticate.ts';
import type { Handshake, Steps } from './handshake.ts';
import type { ListenerContext } from './listener-context.ts';

/**
 * Serves one client of SOCKS4 or 4a. Its user id is `user:password`, or its address is on an allow-list.
 * @throws TunnelFailure
 */
export function* serveSocks4(context: ListenerContext, handshake: Handshake): Steps {
  const { client } = handshake;
  handshake.encodeRefusal = (cause) => encodeSocks4Reply(socks4Code(cause));
  const { command, target, credentials } = yield* handshake.read(parseSocks4Request);
  const login = yield* handshake.withinDeadline(logIn(context, client, credentials));
  client.authenticated(login.connection);
  if (command !== COMMAND_CONNECT) throw new TunnelFailure('command-unsupported');
  const early = handshake.release();
  const waiting = client.transport.waiting(early.length === 0);
  const { tunnel, exit } = yield* handshake.finish(openTunnel(context, login, 'socks4', { target, client: waiting }));
  client.transport.write(encodeSocks4Reply(SOCKS4_GRANTED, exit.local()));
  tunnel.join({ client: client.toSide(), exit: exit.side, early });
}
