import { randomFillSync } from 'node:crypto';
import { closeSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import path from 'node:path';

/** Enough for the settlements of some thousand calls. */
const BYTES = 4 * 1024 * 1024;
const PIECE = 256 * 1024;
/** A disk that was full is asked again after so long. */
const AGAIN_MS = 5_000;

/**
 * Room on the disk that is kept for what calls under way will owe: a file of no other use, which goes when the disk is
 * full, so that their settlements can still be written down. While it is not there, no call is to begin.
 */
export class KeptRoom {
  readonly #file: string;
  readonly #nowMs: () => number;
  #isKept = false;
  #triedMs = -Infinity;

  /** In the folder of the journal; processes that share the folder share the room. */
  constructor(folder: string, nowMs: () => number = () => performance.now()) {
    this.#file = path.join(folder, 'reserve');
    this.#nowMs = nowMs;
  }

  /** Whether it is there. It is made when it is not, as soon as the disk has room for it. */
  isKept(): boolean {
    if (this.#isKept) return true;
    const nowMs = this.#nowMs();
    if (nowMs - this.#triedMs < AGAIN_MS) return false;
    this.#triedMs = nowMs;
    return (this.#isKept = this.#isThere() || this.#make());
  }

  /** Gives it free for what is owed. */
  give(): void {
    this.#isKept = false;
    this.#triedMs = this.#nowMs();
    this.#remove();
  }

  #isThere(): boolean {
    return statSync(this.#file, { throwIfNoEntry: false })?.size === BYTES;
  }

  #make(): boolean {
    try {
      const opened = openSync(this.#file, 'w', 0o600);
      try {
        // What cannot be made smaller, on disks that try.
        const piece = randomFillSync(Buffer.allocUnsafe(PIECE));
        for (let size = 0; size < BYTES;) size += writeSync(opened, piece, 0, Math.min(PIECE, BYTES - size));
      } finally {
        closeSync(opened);
      }
      return true;
    } catch {
      // What it has taken until here is needed more by what is owed.
      this.#remove();
      return false;
    }
  }

  #remove(): void {
    try {
      rmSync(this.#file, { force: true });
    } catch {
      // Something else stands there, which is no room.
    }
  }
}
