/** Counts and limits what is in progress per owner. */
export class InProgress {
  readonly #counts = new Map<string, number>();

  constructor(private readonly max: number) {}

  /** @returns false if the limit is reached */
  begin(owner: string): boolean {
    const count = this.countFor(owner);
    if (count >= this.max) return false;
    this.#counts.set(owner, count + 1);
    return true;
  }

  end(owner: string): void {
    const count = this.countFor(owner);
    if (count > 1) this.#counts.set(owner, count - 1);
    else this.#counts.delete(owner);
  }

  countFor(owner: string): number {
    return this.#counts.get(owner) ?? 0;
  }
}
