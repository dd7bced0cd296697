/** A map of limited size: a key beyond it evicts the one that was set least recently. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  constructor(private readonly sizeMax: number) {
    super();
  }

  override set(key: Key, value: Value): this {
    this.delete(key);
    super.set(key, value);
    if (this.size > this.sizeMax) this.delete(this.keys().next().value!);
    return this;
  }
}
