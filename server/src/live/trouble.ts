import type { FaultCause } from '@relay-hub/contract';

/** Consecutive counted failures after which it is closed, even without alternatives. */
const OPEN_AFTER = 5;
/** Each further failure doubles the pause, up to this. */
const LONGEST_REST_MS = 300_000;
/** Maximum accepted Retry-After; some upstreams name hours. */
const LONGEST_RETRY_AFTER_MS = 600_000;
/** How long a caller's outcome counts. */
const WINDOW_MS = 60_000;
/** How long a failure is remembered. */
const REMEMBERED_MS = 600_000;
/** Callers remembered: five that failed are enough to detect an outage. */
const MOST_CALLERS = 32;
/** Maximum wait for a probe. */
const PROBE_MS = 5_000;
/** Without alternatives, a call is let through this long after the last failure; longer for the caller who failed. */
const PROBE_AFTER_MS = 2_000;
const PROBE_AGAIN_AFTER_MS = 5_000;

/** `probe`: the pause is over, or binds only other callers; one call may try it. */
export type Health = 'well' | 'probe' | 'frozen' | 'closed';

/** The state of a channel or host for one caller. */
export interface Standing {
  health: Health;
  /** Unix milliseconds; 0: not paused. */
  until: number;
  /** Closed, but a call may try it without alternatives. */
  lastResort: boolean;
  /** Why it is paused. */
  cause: FaultCause | undefined;
}

/** No failures. */
export const WELL: Standing = { health: 'well', until: 0, lastResort: false, cause: undefined };

/** A failure and what it proves. */
export interface Evidence {
  cause: FaultCause;
  /** A caller may have caused it: it counts once per caller as soon as another caller succeeds. */
  unclear: boolean;
  /** Id of the calling user; 0: unknown. */
  caller: number;
  /** Start of the attempt: concurrent failures are one step of the pause. Unix milliseconds. */
  began: number;
}

interface Witness {
  at: number;
  failed: boolean;
}

/** Failures of one channel and model, or of one host. */
export class Trouble {
  frozenUntil = 0;
  closedUntil = 0;
  #cause: FaultCause | undefined;
  /** Number of doublings of the pause. */
  #level = 0;
  /** Counted failures since the last success. */
  #inRow = 0;
  #grewAt = 0;
  #failedAt = 0;
  #triedAt = 0;
  #triedBy = 0;
  #probingUntil = 0;
  /** By caller: the outcome of the last call that counts. */
  readonly #witnesses = new Map<number, Witness>();

  /** Returns the milliseconds for which it closes; 0: it does not, or was closed already. */
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
    // Calls that failed concurrently describe the same moment, so they are one step.
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

  /** Clears all failures; the successful caller is remembered to judge later failures. */
  succeeded(caller: number, now: number): void {
    this.frozenUntil = this.closedUntil = this.#level = this.#inRow = this.#probingUntil = 0;
    this.#cause = undefined;
    this.#witnesses.clear();
    if (caller !== 0) this.#note(caller, { at: now, failed: false });
  }

  /** Records a probe; others wait for its outcome. */
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

  /** Whether the last failure has expired. */
  isOver(now: number): boolean {
    return Math.max(this.#failedAt, this.frozenUntil) + REMEMBERED_MS < now;
  }

  /** Failures of few callers prove nothing to a caller without a failure. */
  #bindsOthersOnly(caller: number): boolean {
    if (caller === 0) return false;
    let failed = 0;
    for (const [id, witness] of this.#witnesses) {
      if (!witness.failed) continue;
      // Without a user id the failure may be anyone's.
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
