import type { Connection } from '../connections/connection.ts';
import type { RequestClient } from '../listeners/request-client.ts';
import type { Transport } from '../pipe/handle.ts';

/** A stream that carries a request, as a client of its own. Deadlines and limits of sockets are those of the connection with all its streams. */
export class StreamClient implements RequestClient {
  interrupt: RequestClient['interrupt'] = () => {};

  constructor(
    private readonly carrier: Pick<RequestClient, 'address' | 'networks' | 'network' | 'authenticated' | 'inTurn'>,
    readonly socket: Transport,
  ) {}

  get address(): string {
    return this.carrier.address;
  }

  get networks(): readonly string[] {
    return this.carrier.networks;
  }

  get network(): string {
    return this.carrier.network;
  }

  authenticated(connection: Connection): void {
    this.carrier.authenticated(connection);
  }

  inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.carrier.inTurn(work);
  }

  requestStarted(): void {}

  awaitRequest(): void {}
}
