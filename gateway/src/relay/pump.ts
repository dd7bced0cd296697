import type { Socket } from 'node:net';
import type { Direction, ReadAhead } from '../metering/credit.ts';
import type { Meter } from '../metering/meter.ts';
import { BufferPool } from './buffer-pool.ts';
import { moveHandle, shrinkNextRead } from './handle.ts';
import { joinSockets } from './joined-sockets.ts';
import { Lane } from './lane.ts';
import type { Relay, RelayTask, RunningRelay } from './relay.ts';
import { streamsRelay } from './streams.ts';

const KIB = 1024;
/** What a busy lane reads at once; a quarter of it costs half as much again. */
const WIDE_BYTES = 256 * KIB;
/** Both lanes of a tunnel together read at most 64 KiB that nobody has paid for. */
const NARROW_BYTES = 32 * KIB;
/** A read of this size gives the lane a buffer of its own. */
const BUSY_BYTES = 16 * KIB;
const QUIET_BYTES = 4 * KIB;
const QUIET_READS = 16;

/** Reads into pooled buffers instead of new ones, which halves the processor time of bulk traffic. */
export function createPump(buffers: number): Relay {
  const pool = new BufferPool(buffers, WIDE_BYTES);
  // A read and its callback are one step, and small reads are copied out in it: all quiet lanes can share a buffer.
  const shared = Buffer.allocUnsafeSlow(NARROW_BYTES);
  return {
    kind: 'pump',
    get buffersInUse() {
      return pool.inUse;
    },
    start: (task) => {
      const isMovable = task.client.writableLength === 0 && task.exit.writableLength === 0;
      return isMovable ? startPump(task, pool, shared) : streamsRelay.start(task);
    },
  };
}

function startPump(task: RelayTask, pool: BufferPool, shared: Buffer): RunningRelay {
  const earlyFromClient = Buffer.concat([task.early, leftover(task.client)]);
  const earlyFromExit = leftover(task.exit);
  const lanes: { toExit?: PumpLane; toClient?: PumpLane } = {};
  const move = (socket: Socket, lane: 'toExit' | 'toClient') =>
    moveHandle(socket, {
      // The socket asks for its first slice while it is made, before the lane exists.
      buffer: () => lanes[lane]?.nextSlice() ?? shared,
      callback: (count, slice) => lanes[lane]?.received(count, slice) ?? false,
    });
  const client = move(task.client, 'toExit');
  const exit = move(task.exit, 'toClient');
  const toExit = new PumpLane(client, exit, 'toExit', task.meter, pool, shared);
  const toClient = new PumpLane(exit, client, 'toClient', task.meter, pool, shared);
  Object.assign(lanes, { toExit, toClient });
  const released = () => {
    toExit.release();
    toClient.release();
  };
  const running = joinSockets({ client, exit, toExit, toClient, released }, task);
  toExit.start(earlyFromClient);
  toClient.start(earlyFromExit);
  return running;
}

const leftover = (socket: Socket): Buffer => (socket.read() as Buffer | null) ?? Buffer.alloc(0);

/**
 * Ownership of a buffer: after `write`, `writableLength === 0` means that the kernel took the chunk and the buffer is
 * free. Otherwise it is the write's until its callback, and nothing may be read into it before.
 */
class PumpLane extends Lane implements ReadAhead {
  readonly bytes = WIDE_BYTES;
  #own: Buffer | undefined;
  #quietReads = 0;
  #isNextWide = false;
  readonly #written = () => this.goOn();

  constructor(
    source: Socket,
    destination: Socket,
    direction: Direction,
    meter: Meter,
    private readonly pool: BufferPool,
    private readonly shared: Buffer,
  ) {
    super(source, destination, direction, meter);
  }

  nextSlice(): Buffer {
    if (this.#own === undefined) return this.shared;
    return this.#isNextWide ? this.#own : this.#own.subarray(0, NARROW_BYTES);
  }

  received(count: number, slice: Uint8Array): boolean {
    if (this.#isNextWide) this.meter.uncover(this);
    const chunk = Buffer.from(slice.buffer, slice.byteOffset, count);
    const isFlowing = this.forward(this.#own === undefined ? Buffer.from(chunk) : chunk);
    this.#adapt(count, isFlowing);
    // Wide only behind a read that was filled, because more is waiting, and only while credit covers all of it.
    const isBusy = isFlowing && count >= NARROW_BYTES && this.#own !== undefined;
    this.#isNextWide = isBusy && this.meter.cover(this);
    return isFlowing;
  }

  /** Others have used the bytes that covered the slice that lies open. */
  revoked(): void {
    this.#isNextWide = false;
    if (this.#own !== undefined) shrinkNextRead(this.source, this.#own.subarray(0, NARROW_BYTES));
  }

  /** Both sockets have closed. */
  release(): void {
    this.meter.uncover(this);
    if (this.#own !== undefined) this.pool.giveBack(this.#own);
    this.#own = undefined;
  }

  /** Not `'drain'`: it comes only where `write` answered false, and smaller pending chunks would wait for ever. */
  protected override write(chunk: Buffer): boolean {
    this.destination.write(chunk, this.#written);
    return this.destination.writableLength === 0;
  }

  #adapt(count: number, isFlowing: boolean): void {
    if (count >= BUSY_BYTES) this.#own ??= this.pool.take();
    this.#quietReads = count < QUIET_BYTES ? this.#quietReads + 1 : 0;
    if (isFlowing && this.#quietReads >= QUIET_READS) this.release();
  }
}
