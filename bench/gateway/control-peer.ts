/** A fake control plane in a separate process, with one connection and unlimited grants. */
import { ControlPlane } from '../../gateway/test/control-plane.ts';

const control = await new ControlPlane().start();
const { username, password } = control.sell({
  username: 'bench',
  password: 'a-password-for-the-bench',
  grantStepBytes: Number.MAX_SAFE_INTEGER,
  dnsPort: Number(process.env['DNS_PORT']) || null,
});
process.send?.({ url: control.url, token: control.token, username, password });
