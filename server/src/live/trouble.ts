import type { FaultCause } from '@relay-hub/contract';

/** After this many consecutive failures the channel is closed, even if no other is left. */
const CLOSE_AFTER_FAILURES = 5;
/** Each further failure doubles the pause, up to this. */
const MAX_PAUSE_MS = 300_000;
/** Maximum accepted Retry-After; some upstreams name hours. */
const LONGEST_RETRY_AFTER_MS = 600_000;
/** How long a caller's outcome counts. */
const WINDOW_MS = 60_000;
/** How long a failure is remembered. */
const REMEMBERED_MS = 600_000;
/** Callers remembered: five that failed are enough to detect an outage. */
const MAX_CALLERS = 32;
/** Maximum wait for a probe. */
const PROBE_MS = 5_000;
/** Without alternatives, a call is let through this long after the last failure; longer for the caller who failed. */
const PROBE_AFTER_MS = 2_000;
const PROBE_AGAIN_AFTER_MS = 5_000;

/**
 * `well`: no failures; `probe`: one call may test it; `frozen`: used only if nothing else is left; `closed`: not used.
 */
export type Health = 'well' | 'probe' | 'frozen' | 'closed';

/** The state of a channel or host for one caller. Failures of others may not concern them. */
export interface HealthForCaller {
  health: Health;
  /** Unix milliseconds; 0: not paused. */
  until: number;
  /** Closed, but a call may try it without alternatives. */
  lastResort: boolean;
  /** Why it is paused. */
  cause: FaultCause | undefined;
}

/** No failures. */
export const WELL: HealthForCaller = { health: 'well', until: 0, lastResort: false, cause: undefined };

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

/** Outcome of a caller's last call that counts. */
interface CallerOutcome {
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
  #consecutiveFailures = 0;
  #pauseExtendedAt = 0;
  #failedAt = 0;
  #triedAt = 0;
  #triedBy = 0;
  #probingUntil = 0;
  /** By caller. */
  readonly #outcomes = new Map<number, CallerOutcome>();

  /** Returns the milliseconds for which it closes; 0: it does not, or was closed already. */
  failed(cooldownMs: number, retryAfterMs: number | undefined, now: number, evidence: Evidence): number {
    const { cause, unclear, caller, began } = evidence;
    this.#forgetOld(now);
    const before = this.#outcomes.get(caller);
    const counts = !unclear || !before?.failed || !this.#servesAnother(caller);
    this.#note(caller, { at: now, failed: true });
    this.#triedAt = now;
    this.#triedBy = caller;
    this.#probingUntil = 0;
    if (!counts) return 0;
    this.#failedAt = now;
    this.#cause = cause;
    this.#consecutiveFailures++;
    const wasClosed = this.closedUntil > now;
    const asked = now + Math.min(retryAfterMs ?? 0, LONGEST_RETRY_AFTER_MS);
    // Calls that failed concurrently describe the same moment, so they are one step.
    if (this.#level === 0 || began >= this.#pauseExtendedAt) {
      this.frozenUntil = now + Math.min(cooldownMs * 2 ** Math.min(this.#level, 20), MAX_PAUSE_MS);
      this.#level++;
      this.#pauseExtendedAt = now;
    }
    this.frozenUntil = Math.max(asked, this.frozenUntil);
    if (this.#consecutiveFailures >= CLOSE_AFTER_FAILURES) this.closedUntil = this.frozenUntil;
    else if (retryAfterMs !== undefined) this.closedUntil = asked;
    return wasClosed ? 0 : Math.max(0, this.closedUntil - now);
  }

  /** Clears all failures; the successful caller is remembered to judge later failures. */
  succeeded(caller: number, now: number): void {
    this.frozenUntil = this.closedUntil = this.#level = this.#consecutiveFailures = this.#probingUntil = 0;
    this.#cause = undefined;
    this.#outcomes.clear();
    if (caller !== 0) this.#note(caller, { at: now, failed: false });
  }

  /** Records a probe; others wait for its outcome. */
  probed(caller: number, now: number): void {
    this.#probingUntil = now + PROBE_MS;
    this.#triedAt = now;
    this.#triedBy = caller;
  }

  healthFor(caller: number, now: number): HealthForCaller {
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
    for (const [id, outcome] of this.#outcomes) {
      if (!outcome.failed) continue;
      // Without a user id the failure may be anyone's.
      if (id === caller || id === 0) return false;
      failed++;
    }
    return failed < CLOSE_AFTER_FAILURES;
  }

  #servesAnother(caller: number): boolean {
    for (const [id, { failed }] of this.#outcomes) if (id !== caller && !failed) return true;
    return false;
  }

  #note(caller: number, outcome: CallerOutcome): void {
    this.#outcomes.delete(caller);
    this.#outcomes.set(caller, outcome);
    const [oldest] = this.#outcomes.keys();
    if (this.#outcomes.size > MAX_CALLERS && oldest !== undefined) this.#outcomes.delete(oldest);
  }

  #forgetOld(now: number): void {
    for (const [caller, { at }] of this.#outcomes) if (at + WINDOW_MS < now) this.#outcomes.delete(caller);
  }
}
