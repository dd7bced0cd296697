import { execFileSync } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, type Server, type Socket } from 'node:net';
import path from 'node:path';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryDirectory } from '../../../tools/temporary-directory.ts';
import { acceleratorFile } from '../../test/accelerator.ts';
import { socks5Connect, startHarness } from '../../test/gateway-harness.ts';
import { listenLocally, patternedBytes, sha256 } from '../../test/sockets.ts';
import { checkNativeFile } from './native-file.ts';
import { openAccelerator } from './open-accelerator.ts';
import { createPump } from './pump.ts';

const PIPES = 4;
/** Its event has the server that now listens. */
const LISTENING = 'tracing:net.server.listen:asyncEnd';
const [OWN_PROCESSOR, OTHER_PROCESSOR] = process.arch === 'arm64' ? [0xb7, 0x3e] : [0x3e, 0xb7];

function capture() {
  const lines: { msg: string }[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  return { log, messages: () => lines.map(({ msg }) => msg) };
}

function write(bytes: Buffer): string {
  const file = path.join(temporaryDirectory(), 'accelerator.node');
  writeFileSync(file, bytes);
  return file;
}

/** The header of a shared object, and of nothing else. */
function headerOf(machine: number, type = 3): Buffer {
  const header = Buffer.alloc(64);
  header.write('\x7fELF\x02\x01\x01', 'latin1');
  header.writeUInt16LE(type, 16);
  header.writeUInt16LE(machine, 18);
  return header;
}

const isChecked = process.arch === 'x64' || process.arch === 'arm64';

it('says that none was built', async () => {
  const { log, messages } = capture();
  expect(await openAccelerator('/nowhere/accelerator.node', PIPES, log)).toBeUndefined();
  expect(messages()).toEqual(['No accelerator was built; tunnels use TypeScript']);
});

it('says that a folder is no file', async () => {
  const folder = path.join(temporaryDirectory(), 'accelerator.node');
  mkdirSync(folder);
  const { log, messages } = capture();
  expect(await openAccelerator(folder, PIPES, log)).toBeUndefined();
  expect(messages()).toEqual([
    expect.stringMatching(/^The accelerator does not work here \(.+\); tunnels use TypeScript$/),
  ]);
});

it.runIf(isChecked).each([
  ['an empty file', Buffer.alloc(0), 'the file is empty'],
  ['a text', Buffer.from('this is no program'), 'the file is no native code of 64-bit Linux'],
  ['an object that is not linked', headerOf(0x3e, 1), 'the file is no native code of 64-bit Linux'],
  ['a file for RISC-V', headerOf(0xf3), `the file is for another processor, and this is ${process.arch}`],
  [
    'a file of the other archive',
    headerOf(OTHER_PROCESSOR),
    `the file is for ${process.arch === 'arm64' ? 'x64' : 'arm64'}, and this is ${process.arch}`,
  ],
  ['part of a header', headerOf(OWN_PROCESSOR).subarray(0, 40), 'the file is incomplete'],
])('says of %s why it does not work', async (_, bytes, reason) => {
  const { log, messages } = capture();
  expect(await openAccelerator(write(bytes), PIPES, log)).toBeUndefined();
  expect(messages()).toEqual([`The accelerator does not work here (${reason}); tunnels use TypeScript`]);
});

it('leaves files for processors without archives to the system', () => {
  expect(() => checkNativeFile('/nowhere', 'riscv64')).not.toThrow();
});

// Without a compiler, test/accelerator.ts says so.
describe.runIf(acceleratorFile !== undefined)('native code', () => {
  it('is used where it works', async () => {
    const { log, messages } = capture();
    const accelerator = await openAccelerator(acceleratorFile!, PIPES, log);
    expect(messages()).toEqual([]);
    expect(accelerator?.measure()).toMatchObject({ tunnels: 0 });
    expect(createPump(1, accelerator).kind).toBe('splice');
  });

  it.each(['request', 'reset', 'silence'])(
    'is used although others connect to the ports of its tests: %s',
    async (kind) => {
      const strangers: Socket[] = [];
      const visit = (event: unknown) => {
        const { port } = (event as { server: Server }).server.address() as AddressInfo;
        const stranger = connect({ port, host: '127.0.0.1' }).on('error', () => stranger.destroy());
        strangers.push(stranger);
        if (kind === 'request') stranger.write('POST / HTTP/1.1\r\n\r\n');
        if (kind === 'reset') stranger.once('connect', () => stranger.resetAndDestroy());
      };
      subscribe(LISTENING, visit);
      const { log, messages } = capture();
      const accelerator = await openAccelerator(acceleratorFile!, PIPES, log).finally(() =>
        unsubscribe(LISTENING, visit),
      );
      for (const stranger of strangers) stranger.destroy();
      expect(messages()).toEqual([]);
      expect(strangers).toHaveLength(2);
      expect(accelerator?.sockets.open).toBe(0);
    },
  );

  it.runIf(isChecked)('is not loaded after a cut at any place, which would end the process', async () => {
    const whole = readFileSync(acceleratorFile!);
    const lengths = [63, 64, 1_000, 4_096, 8_192, 16_384, whole.length - 4_096, whole.length - 1];
    for (const length of lengths) {
      const { log, messages } = capture();
      expect(await openAccelerator(write(whole.subarray(0, length)), PIPES, log)).toBeUndefined();
      expect(messages()).toEqual([
        'The accelerator does not work here (the file is incomplete); tunnels use TypeScript',
      ]);
    }
    expect(() => checkNativeFile(write(whole))).not.toThrow();
  });

  it.each([
    [
      'for a newer Node.js, whose functions this one lacks',
      NEWER_FUNCTION,
      /undefined symbol: napi_of_a_later_version/,
    ],
    ['for the internal interface of another Node.js', OTHER_MODULE_VERSION, /different Node\.js version/],
    ['that is no module of Node.js', 'int unused;', /did not self-register/],
  ])('%s is refused when it is loaded', async (_, source, reason) => {
    const { log, messages } = capture();
    expect(await openAccelerator(compile(source), PIPES, log)).toBeUndefined();
    expect(messages()).toHaveLength(1);
    expect(messages()[0]).toMatch(/^The accelerator does not work here \(.+\); tunnels use TypeScript$/);
    expect(messages()[0]).toMatch(reason);
  });

  it('that was cut off leaves a gateway whose tunnels work', async () => {
    const whole = readFileSync(acceleratorFile!);
    const harness = await startHarness({ accelerator: write(whole.subarray(0, whole.length / 2)) });
    onTestFinished(() => harness.stop());
    expect(await harness.gateway.metrics.registry.metrics()).toContain('gateway_relay_info{relay="pump"} 1');
    const body = patternedBytes(3_000_000);
    const { port } = await listenLocally((socket) => void socket.end(body));
    const connection = harness.control.sell();
    const { client } = await socks5Connect(harness.gateway, connection, '127.0.0.1', port);
    expect(sha256((await client.rest()).bytes)).toBe(sha256(body));
  });
});

/** Called by the second tunnel, say, and not when the module is registered. */
const NEWER_FUNCTION = `
extern int napi_of_a_later_version(void);
int later(void) { return napi_of_a_later_version(); }
void *napi_register_module_v1(void *env, void *exports) { (void)env; return exports; }`;
/** As NODE_MODULE of node.h does. */
const OTHER_MODULE_VERSION = `
struct module { int version; unsigned flags; void *handle; const char *file; void *init, *init_context; const char *name; void *private, *next; };
extern void node_module_register(void *module);
static void init(void) {}
static struct module module = { 1, 0, 0, "accelerator.c", (void *)init, 0, "accelerator", 0, 0 };
__attribute__((constructor)) static void enter(void) { node_module_register(&module); }`;

function compile(source: string): string {
  const file = write(Buffer.alloc(0));
  const code = `${file}.c`;
  writeFileSync(code, source);
  execFileSync('cc', ['-shared', '-fPIC', code, '-o', file]);
  return file;
}
