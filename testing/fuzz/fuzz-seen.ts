import { isSeen } from './fuzz-values.ts';

const MOST = 200;

/** Values of earlier replies by member name, so that later requests can refer to existing records. */
export class SeenValues {
  readonly #values = new Map<string, unknown[]>();

  /** Records every number and text of a reply. */
  learn(value: unknown, name = '', depth = 0): void {
    if (depth > 6) return;
    if (typeof value === 'string' || typeof value === 'number') {
      if (name !== '' && String(value).length <= 200) this.#add(name, value);
    } else if (Array.isArray(value)) for (const member of value.slice(0, 20)) this.learn(member, name, depth + 1);
    else if (typeof value === 'object' && value !== null)
      for (const [key, member] of Object.entries(value)) this.learn(member, key, depth + 1);
  }

  #add(name: string, value: unknown): void {
    const known = this.#values.get(name) ?? [];
    if (known.includes(value)) return;
    known.push(value);
    if (known.length > MOST) known.shift();
    this.#values.set(name, known);
  }

  /** Fills the placeholders in a value. */
  fill(value: unknown): unknown {
    if (isSeen(value)) {
      const all = this.#values.get(value.$seen) ?? this.#values.get(value.$seen.replace(/s$/, '')) ?? [];
      const known = all.filter((one) => typeof one === value.type);
      return known.length === 0 ? value.otherwise : known[value.pick % known.length];
    }
    if (Array.isArray(value)) return value.map((member) => this.fill(member));
    if (typeof value !== 'object' || value === null) return value;
    const filled = {};
    for (const [key, member] of Object.entries(value))
      Object.defineProperty(filled, key, { value: this.fill(member), enumerable: true, configurable: true });
    return filled;
  }
}
