import { asError } from '#caught-error.ts';
import { isDamage } from './outage.ts';

/** Records that a database has reported damage. It is never cleared: only a restored database is sound. */
export class Damage {
  /** The database's message; undefined while no damage is known. */
  reason: string | undefined;
  /** Called once, when damage is found. */
  onFound: (reason: string) => void = () => {};

  /** Checks an error of the database; other errors are ignored. */
  note(error: unknown): void {
    if (this.reason !== undefined || !isDamage(error)) return;
    this.reason = asError(error).message;
    this.onFound(this.reason);
  }
}
