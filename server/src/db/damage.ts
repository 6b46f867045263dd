import { asError } from '#caught-error.ts';
import { isDamage } from './outage.ts';

/** Remembers that a database has reported damage. It is never taken back: only a restored database is sound again. */
export class Damage {
  /** The database's own words; undefined while nothing is known. */
  reason: string | undefined;
  /** Called once, when damage is found. */
  onFound: (reason: string) => void = () => {};

  /** Looks at an error of the database; errors of other kinds are passed over. */
  note(error: unknown): void {
    if (this.reason !== undefined || !isDamage(error)) return;
    this.reason = asError(error).message;
    this.onFound(this.reason);
  }
}
