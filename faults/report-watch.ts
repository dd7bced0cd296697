/** What gateways have told the API, read off the wire between them: so it is known even of a gateway that was killed. */

const MESSAGE = /"runId":"([0-9a-f-]{36})"|"connectionId":"([0-9a-f-]{36})","usedBytes":(\d+),/g;
/** Longer than any match. */
const TAIL_CHARACTERS = 200;

export class ReportWatch {
  /** Of the process that has spoken last. */
  lastRunId: string | undefined;
  readonly #totals = new Map<string, number>();

  /** @returns takes what one TCP connection carries to the API, piece by piece */
  listen(): (piece: Buffer) => void {
    let text = '';
    let runId = '';
    return (piece) => {
      text += piece.toString('latin1');
      let readTo = 0;
      for (const match of text.matchAll(MESSAGE)) {
        const [whole, run, connectionId, usedBytes] = match;
        readTo = match.index + whole.length;
        if (run !== undefined) this.lastRunId = runId = run;
        else
          this.#totals.set(
            `${runId} ${connectionId}`,
            Math.max(this.reported(runId, connectionId!), Number(usedBytes)),
          );
      }
      text = text.slice(Math.max(readTo, text.length - TAIL_CHARACTERS));
    };
  }

  reported(runId: string, connectionId: string): number {
    return this.#totals.get(`${runId} ${connectionId}`) ?? 0;
  }
}
