/** A control plane in a process of its own that sells one connection and grants what is asked for. */
import { ControlPlane } from '../../gateway/test/control-plane.ts';

const control = await new ControlPlane().start();
const { username, password } = control.sell({
  username: 'bench',
  password: 'a-password-for-the-bench',
  grantStepBytes: Number.MAX_SAFE_INTEGER,
});
process.send?.({ url: control.url, token: control.token, username, password });
