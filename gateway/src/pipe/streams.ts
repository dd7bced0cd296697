import { JoinedSides } from './joined-sides.ts';
import type { Relay } from './pipe.ts';

/** The portable relay: it uses only documented streams, and works between any two sides. */
export const streams: Relay = {
  kind: 'streams',
  buffersInUse: 0,
  start: (task) => {
    const pipe = new JoinedSides(task);
    pipe.start(task.early, Buffer.alloc(0));
    return pipe;
  },
};
