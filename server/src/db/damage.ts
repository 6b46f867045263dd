import { asError } from '#caught-error.ts';
import { isDamage, SQLITE_MOVED } from './outage.ts';

/** Records that a database has reported damage. It is never cleared: only a restored database is sound. */
export class Damage {
  /** Set when the files in use were deleted or replaced: later writes would be lost with the process. */
  lost: Error | undefined;
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

  /** Reports that a file in use was deleted or replaced. Nothing is written after that. */
  lose(file: string): void {
    if (this.lost !== undefined) return;
    this.lost = Object.assign(new Error(`${file} was deleted or replaced while this server was using it`), {
      errcode: SQLITE_MOVED,
    });
    this.note(this.lost);
  }
}
