/** The random scripts of the billing model. */

/** What one customer and their gateway do in one step. If a precondition is missing, the step establishes it instead. */
export interface Step {
  kind:
    | 'traffic'
    | 'topUp'
    | 'adjust'
    | 'buy'
    | 'endRun'
    | 'disconnect'
    | 'loseExit'
    | 'passWindow'
    | 'idle'
    | 'cap'
    | 'replace';
  connection: number;
  node: number;
  /** Goes through an older process of the node, if one is still alive. */
  isOnOlderRun: boolean;
  /** Percent of the unused grant; below 0 reports an old total, above 100 one beyond the grant. */
  sharePercent: number;
  uploadPercent: number;
  wantedMegabytes: number;
  delivery: 'now' | 'twice' | 'late' | 'lost' | 'answerLost';
  delayTurns: number;
}

/**
 * What happens to a whole gateway before a step. `drain`: a newer process of the node starts while the older one runs. `exit`: an older one
 * is gone without its last totals.
 */
export interface GatewayEvent {
  kind: 'none' | 'crash' | 'silence' | 'drain' | 'exit';
  node: number;
}

export interface Script {
  priceDollars: number;
  startMegabytes: number;
  /** An amount below the price of a megabyte. */
  spareMicros: bigint;
  steps: Step[];
}
