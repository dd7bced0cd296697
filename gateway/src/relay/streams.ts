import { joinSockets } from './joined-sockets.ts';
import { Lane } from './lane.ts';
import type { Relay, RelayTask } from './relay.ts';

/** The plain relay: nothing but documented streams. It serves where the pump cannot. */
export const streamsRelay: Relay = {
  kind: 'streams',
  buffersInUse: 0,
  start: (task: RelayTask) => {
    const { client, exit, meter } = task;
    const toExit = new StreamLane(client, exit, 'toExit', meter);
    const toClient = new StreamLane(exit, client, 'toClient', meter);
    const running = joinSockets({ client, exit, toExit, toClient, released: () => {} }, task);
    toExit.listen();
    toClient.listen();
    toExit.start(task.early);
    toClient.start(Buffer.alloc(0));
    return running;
  },
};

class StreamLane extends Lane {
  listen(): void {
    this.destination.on('drain', () => this.goOn());
    // A paused stream does not begin to flow because of a listener; `start` decides that.
    this.source.pause();
    this.source.on('data', (chunk: Buffer) => {
      if (!this.forward(chunk)) this.source.pause();
    });
  }

  protected override write(chunk: Buffer): boolean {
    return this.destination.write(chunk);
  }
}
