import type { FaultCause } from '@relay-hub/contract';

/** Failures in a row that count, after which nothing is sent for a while, even where there is no other channel. */
const OPEN_AFTER = 5;
/** Each further failure doubles the rest, up to here. */
const LONGEST_REST_MS = 300_000;
/** What an upstream may ask for at most; some name hours. */
const LONGEST_RETRY_AFTER_MS = 600_000;
/** For so long a caller's outcome says something of a channel. */
const WINDOW_MS = 60_000;
/** For so long a channel that has failed is not steady. */
const REMEMBERED_MS = 600_000;
/** More callers than this are not remembered: five that failed are enough to tell an outage. */
const MOST_CALLERS = 32;
/** A probe that has not ended by then is not waited for. */
const PROBE_MS = 5_000;
/** While nothing else is left, a call is let through this long after the last failure; the one who failed waits longer. */
const PROBE_AFTER_MS = 2_000;
const PROBE_AGAIN_AFTER_MS = 5_000;

/** `probe`: its rest is over, or binds others only, and one call may try it. */
export type Health = 'well' | 'probe' | 'frozen' | 'closed';

/** What is known of a channel or a host, as one caller is to take it. */
export interface Standing {
  health: Health;
  /** Unix milliseconds; 0: it does not rest. */
  until: number;
  /** Closed, but a call may try it where nothing else is left. */
  lastResort: boolean;
  /** What it rests for. */
  cause: FaultCause | undefined;
}

/** Nothing is held against it. */
export const WELL: Standing = { health: 'well', until: 0, lastResort: false, cause: undefined };

/** A failure, and what it proves. */
export interface Evidence {
  cause: FaultCause;
  /** A caller may have caused it, so it counts once for each caller as soon as another caller is served. */
  unclear: boolean;
  /** The user whose call it was; 0: unknown. */
  caller: number;
  /** When the attempt began: failures of one moment are one step of the rest. Unix milliseconds. */
  began: number;
}

interface Witness {
  at: number;
  failed: boolean;
}

/** What is held against one channel and model, or one host, from its first failure until it is forgotten. */
export class Trouble {
  frozenUntil = 0;
  closedUntil = 0;
  #cause: FaultCause | undefined;
  /** How often the rest has grown. */
  #level = 0;
  /** Failures that count, since the last success. */
  #inRow = 0;
  #grewAt = 0;
  #failedAt = 0;
  #triedAt = 0;
  #triedBy = 0;
  #probingUntil = 0;
  /** By caller: how the last call ended that says something. */
  readonly #witnesses = new Map<number, Witness>();

  /** The milliseconds for which it is closed from now on; 0: it is not, or was before. */
  failed(cooldownMs: number, retryAfterMs: number | undefined, now: number, evidence: Evidence): number {
    const { cause, unclear, caller, began } = evidence;
    this.#forgetOld(now);
    const before = this.#witnesses.get(caller);
    const counts = !unclear || !before?.failed || !this.#servesAnother(caller);
    this.#note(caller, { at: now, failed: true });
    this.#triedAt = now;
    this.#triedBy = caller;
    this.#probingUntil = 0;
    if (!counts) return 0;
    this.#failedAt = now;
    this.#cause = cause;
    this.#inRow++;
    const wasClosed = this.closedUntil > now;
    const asked = now + Math.min(retryAfterMs ?? 0, LONGEST_RETRY_AFTER_MS);
    // Calls that failed together tell of the same moment, and are one step.
    if (this.#level === 0 || began >= this.#grewAt) {
      this.frozenUntil = now + Math.min(cooldownMs * 2 ** Math.min(this.#level, 20), LONGEST_REST_MS);
      this.#level++;
      this.#grewAt = now;
    }
    this.frozenUntil = Math.max(asked, this.frozenUntil);
    if (this.#inRow >= OPEN_AFTER) this.closedUntil = this.frozenUntil;
    else if (retryAfterMs !== undefined) this.closedUntil = asked;
    return wasClosed ? 0 : Math.max(0, this.closedUntil - now);
  }

  /** Nothing is held against it any more; who was served is remembered, for what fails next. */
  succeeded(caller: number, now: number): void {
    this.frozenUntil = this.closedUntil = this.#level = this.#inRow = this.#probingUntil = 0;
    this.#cause = undefined;
    this.#witnesses.clear();
    if (caller !== 0) this.#note(caller, { at: now, failed: false });
  }

  /** A call tries it, and others wait for what comes of that. */
  probed(caller: number, now: number): void {
    this.#probingUntil = now + PROBE_MS;
    this.#triedAt = now;
    this.#triedBy = caller;
  }

  standing(caller: number, now: number): Standing {
    if (this.#level === 0) return WELL;
    const cause = this.#cause;
    const isProbed = this.#probingUntil > now;
    if (this.closedUntil > now) {
      const until = this.closedUntil;
      if (this.#bindsOthersOnly(caller))
        return { health: isProbed ? 'frozen' : 'probe', until, lastResort: false, cause };
      const wait = caller !== 0 && caller === this.#triedBy ? PROBE_AGAIN_AFTER_MS : PROBE_AFTER_MS;
      return { health: 'closed', until, lastResort: now >= this.#triedAt + wait, cause };
    }
    if (this.frozenUntil > now) return { health: 'frozen', until: this.frozenUntil, lastResort: false, cause };
    return { health: isProbed ? 'frozen' : 'probe', until: 0, lastResort: false, cause };
  }

  /** Whether it is so long ago that it says nothing any more. */
  isOver(now: number): boolean {
    return Math.max(this.#failedAt, this.frozenUntil) + REMEMBERED_MS < now;
  }

  /** What few callers met proves nothing to a caller who has not met it. */
  #bindsOthersOnly(caller: number): boolean {
    if (caller === 0) return false;
    let failed = 0;
    for (const [id, witness] of this.#witnesses) {
      if (!witness.failed) continue;
      // Without a user nobody knows whose failure it was.
      if (id === caller || id === 0) return false;
      failed++;
    }
    return failed < OPEN_AFTER;
  }

  #servesAnother(caller: number): boolean {
    for (const [id, { failed }] of this.#witnesses) if (id !== caller && !failed) return true;
    return false;
  }

  #note(caller: number, witness: Witness): void {
    this.#witnesses.delete(caller);
    this.#witnesses.set(caller, witness);
    const [oldest] = this.#witnesses.keys();
    if (this.#witnesses.size > MOST_CALLERS && oldest !== undefined) this.#witnesses.delete(oldest);
  }

  #forgetOld(now: number): void {
    for (const [caller, { at }] of this.#witnesses) if (at + WINDOW_MS < now) this.#witnesses.delete(caller);
  }
}
