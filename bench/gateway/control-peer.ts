/**
 * A fake control plane in a separate process, with unlimited grants: one plain connection, one with a speed limit, one whose exit is
 * an upstream proxy, and some of one client each. They differ in their usernames.
 */
import { ControlPlane } from '../../gateway/test/control-plane.ts';
import {
  EACH_CONNECTIONS,
  EACH_USERNAME,
  LIMITED_BYTES_PER_SECOND,
  LIMITED_USERNAME,
  PASSWORD,
  UPSTREAM_USERNAME,
  USERNAME,
} from './credentials.ts';

const control = await new ControlPlane().start();
const sold = { password: PASSWORD, grantStepBytes: Number.MAX_SAFE_INTEGER };
control.sell({ ...sold, username: USERNAME, dnsPort: Number(process.env['DNS_PORT']) || null });
control.sell({
  ...sold,
  username: LIMITED_USERNAME,
  limits: { ports: null, tunnels: null, bytesPerSecond: LIMITED_BYTES_PER_SECOND },
});
for (let client = 0; client < EACH_CONNECTIONS; client += 1)
  control.sell({ ...sold, username: EACH_USERNAME.replace('*', String(client)) });
const upstreamPort = Number(process.env['UPSTREAM_PORT']);
if (upstreamPort)
  control.sell({
    ...sold,
    username: UPSTREAM_USERNAME,
    exit: { kind: 'socks5', host: '127.0.0.1', port: upstreamPort },
  });
process.send?.({ url: control.url, token: control.token, username: USERNAME, password: PASSWORD });
