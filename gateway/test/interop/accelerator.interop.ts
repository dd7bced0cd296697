import { execFile, execFileSync, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { performance } from 'node:perf_hooks';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../../../tools/temporary-directory.ts';
import { buildAccelerator } from '../../native/build.mjs';
import { Accelerator, loadNative } from '../../src/pipe/accelerator.ts';
import { createPump } from '../../src/pipe/pump.ts';
import { acceleratorFile } from '../accelerator.ts';
import { closePipes, joined } from '../joined-sockets.ts';
import { listenLocally, Reader } from '../sockets.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const SANITIZERS = [
  '-O1',
  '-g',
  '-fno-omit-frame-pointer',
  '-fsanitize=address,undefined',
  '-fno-sanitize-recover=all',
];
const TESTS = [
  'gateway/src/pipe/pipe.test.ts',
  'gateway/src/pipe/accelerator.test.ts',
  'gateway/src/pipe/raw-sockets.test.ts',
  'gateway/src/listeners/client-disconnects.test.ts',
  'gateway/src/listeners/client-sockets.test.ts',
  'gateway/src/listeners/socks5.test.ts',
];
const TIMEOUT_MS = 600_000;
/** Without the urgent bytes, which the gateway skips. */
const SENT_BYTES = 60_000_100;

/** Node cannot send urgent data. */
const URGENT = `use IO::Socket::INET; use Socket;
my $socket = IO::Socket::INET->new(PeerAddr => "127.0.0.1:$ARGV[0]") or die;
<STDIN>;
for (1 .. 20) { print $socket "x" x 3000000; $socket->flush; send($socket, "!", MSG_OOB); select(undef, undef, undef, 0.05); }
print $socket "y" x 100; $socket->flush;
<STDIN>;`;

/** Needs a compiler with its sanitizers (Debian: gcc). */
describe('the accelerator', () => {
  it(
    'has no fault of memory and no undefined behaviour in the tests of tunnels',
    async () => {
      const file = path.join(temporaryDirectory(), 'accelerator.node');
      expect(buildAccelerator(file, { flags: SANITIZERS })).toBeUndefined();
      // Node itself is not built with the sanitizer, so it is loaded first. V8 frees little of what it has at the end.
      const library = execFileSync('cc', ['-print-file-name=libasan.so'], { encoding: 'utf8' }).trim();
      const { stdout } = await promisify(execFile)(
        process.execPath,
        [path.join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--project=programs', ...TESTS],
        {
          cwd: root,
          timeout: TIMEOUT_MS,
          env: { ...process.env, ACCELERATOR: file, LD_PRELOAD: library, ASAN_OPTIONS: 'detect_leaks=0' },
        },
      );
      expect(stdout).toContain('native code');
    },
    TIMEOUT_MS,
  );

  it('is not kept busy by urgent data, for which a socket stays readable', async () => {
    const accelerator = new Accelerator(loadNative(acceleratorFile!), 4);
    const relay = createPump(1, accelerator);
    const accepted = Promise.withResolvers<Socket>();
    const { server, port } = await listenLocally((socket) => accepted.resolve(socket.pause()));
    const program = spawn('perl', ['-e', URGENT, String(port)], { stdio: ['pipe', 'inherit', 'inherit'] });
    const near = await accepted.promise;
    const { origin, meter } = await joined(relay, undefined, undefined, Promise.resolve([near, near]));
    // What comes before the tunnel is written by TypeScript, which may keep the tunnel then.
    const { loopCount } = performance.nodeTiming.uvMetricsInfo;
    program.stdin.write('\n');
    await new Reader(origin).take(SENT_BYTES);
    expect(meter.usedBytes.toExit).toBe(SENT_BYTES);
    const { tunnels, passedBytes } = accelerator.measure();
    expect(tunnels).toBe(1);
    expect(passedBytes).toBeGreaterThan(0);
    await new Promise((fulfil) => setTimeout(fulfil, 1_000));
    // A turn for each 64 KB are a thousand; a loop that is kept busy for 50 ms after each urgent byte takes ten times as many.
    expect(performance.nodeTiming.uvMetricsInfo.loopCount - loopCount).toBeLessThan(10_000);
    program.stdin.end();
    server.close();
    closePipes();
  });
});
