import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../tools/ports.mjs';
import { PASSWORD, USERNAME } from './credentials.ts';
import { isListening, launchProgram, PROXY_CORE } from './processes.ts';

const DANTE = '/usr/sbin/danted';

/** The oldest hash, because a program that checks each login would otherwise be measured by its hash. */
export const hashedPassword = () =>
  execFileSync('perl', ['-e', 'print crypt($ARGV[0], "ab")', PASSWORD], { encoding: 'latin1' });

/**
 * Dante checks passwords of system accounts, which a benchmark must not create. So it gets files of accounts of its own in a mount
 * namespace, for which it needs root.
 */
export async function startDante(
  directory: string,
): Promise<{ port: number; processId: number | undefined } | undefined> {
  if (!existsSync(DANTE) || process.getuid?.() !== 0) {
    console.log('Missing: dante (Debian package dante-server; it needs root for a login)');
    return undefined;
  }
  const port = await freePort();
  const path = (name: string) => join(directory, name);
  writeFileSync(
    path('passwd'),
    `root:x:0:0::/root:/bin/sh\nnobody:x:65534:65534::/:/bin/false\n${USERNAME}:x:1999:1999::/:/bin/false\n`,
  );
  writeFileSync(path('shadow'), `root:*:1::::::\n${USERNAME}:${hashedPassword()}:1::::::\n`, { mode: 0o600 });
  const lines = [
    `internal: 127.0.0.1 port = ${port}`,
    'external: lo',
    'clientmethod: none',
    'socksmethod: username',
    'user.privileged: root',
    'user.unprivileged: nobody',
    'client pass { from: 127.0.0.0/8 to: 0.0.0.0/0 }',
    'socks pass { from: 127.0.0.0/8 to: 0.0.0.0/0 protocol: tcp udp }',
  ];
  writeFileSync(path('danted.conf'), `${lines.join('\n')}\n`);
  const script =
    'mount --bind "$0/passwd" /etc/passwd && mount --bind "$0/shadow" /etc/shadow && exec "$1" -f "$0/danted.conf" -p "$0/danted.pid"';
  const child = launchProgram(PROXY_CORE, 'unshare', '--mount', 'sh', '-c', script, directory, DANTE);
  if (!(await isListening(port))) throw new Error('dante did not start');
  return { port, processId: child.pid };
}
