/** Of gateway/native/sockets.c, which explains them. */
export interface NativeSockets {
  startSockets(onEvents: (count: number) => void, events: Float64Array, buffer: Uint8Array): boolean;
  listen(descriptor: number): boolean;
  stopListening(): void;
  connect(addressBytes: number, port: number, localBytes: number, localPort: number): number;
  read(id: number, mayRead: boolean): void;
  write(id: number, bytes: Uint8Array): number;
  shutdown(id: number): number;
  local(id: number): number;
  lend(id: number): number;
  held(id: number): Buffer | undefined;
  take(id: number): number;
  drop(id: number, isReset: boolean): void;
  countSockets(): number;
}
