import { randomFillSync } from 'node:crypto';
import { closeSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import path from 'node:path';

/** Enough for the settlements of some thousand calls. */
const BYTES = 4 * 1024 * 1024;
const PIECE = 256 * 1024;
/** Pause before a full disk is tried again. */
const AGAIN_MS = 5_000;

/**
 * Reserved disk space for the settlements of running calls: a file that is deleted when the disk is full. While it is
 * missing, no call may start.
 */
export class KeptRoom {
  readonly #file: string;
  readonly #nowMs: () => number;
  #isKept = false;
  #triedMs = -Infinity;

  /** `folder`: of the journal; processes that share it share the reserve. */
  constructor(folder: string, nowMs: () => number = () => performance.now()) {
    this.#file = path.join(folder, 'reserve');
    this.#nowMs = nowMs;
  }

  /** Whether the reserve exists. Creates it as soon as the disk has space. */
  isKept(): boolean {
    if (this.#isKept) return true;
    const nowMs = this.#nowMs();
    if (nowMs - this.#triedMs < AGAIN_MS) return false;
    this.#triedMs = nowMs;
    return (this.#isKept = this.#isThere() || this.#make());
  }

  /** Frees the space for settlements. */
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
        // Random data, which compressing file systems cannot shrink.
        const piece = randomFillSync(Buffer.allocUnsafe(PIECE));
        for (let size = 0; size < BYTES;) size += writeSync(opened, piece, 0, Math.min(PIECE, BYTES - size));
      } finally {
        closeSync(opened);
      }
      return true;
    } catch {
      // The partial file is deleted: settlements need the space more.
      this.#remove();
      return false;
    }
  }

  #remove(): void {
    try {
      rmSync(this.#file, { force: true });
    } catch {
      // Not a file, so it holds no space.
    }
  }
}
