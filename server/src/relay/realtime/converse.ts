/** A session that is under way, in any dialect: passes messages, and reserves more credits as it goes on. */
import type { Deps } from '#deps.ts';
import { callerOfKey } from '#live/callers.ts';
import type { Hold } from '#quota/book.ts';
import type { RelayCall, Verdict } from '#relay/types/call-types.ts';
import { eventForCaller, maskForCaller } from '#relay/outcome/upstream-text.ts';
import { failedVerdict } from '#relay/outcome/verdict.ts';
import { checkCaller, groupOf } from '#relay/admission/authenticate.ts';
import { lackingFor } from '#relay/admission/limit-refusal.ts';
import { internalError, RelayError } from '#relay/reply/relay-error.ts';
import type { OpenedUpstream } from './realtime-attempts.ts';
import { RealtimeCredit } from './realtime-credit.ts';
import { RealtimeSession, type SessionEnd, type SessionFilter, type SessionSides } from './realtime-session.ts';
import type { SessionUsage } from './realtime-usage.ts';

const IDLE_MS = 15 * 60_000;
const PING_MS = 30_000;
/** Bytes of a response after which its cost is checked against the reservation. */
const CHECK_BYTES = 32 * 1024;

/** A session under way, as the server's shutdown sees it. */
export interface OpenSession {
  /** Ends it after the current response; `now`: at once. */
  stop(now: boolean): void;
}

/** A session whose two sides are connected. */
interface ConnectedSession {
  call: RelayCall;
  hold: Hold;
  opened: OpenedUpstream;
  sides: SessionSides;
}

/** The parts of a session that depend on its dialect. */
interface SessionDialect extends Pick<SessionFilter, 'ofCaller'> {
  usage: SessionUsage;
  /** The message for a refusal; undefined: the close says it. */
  lastEvent(refusal: RelayError): string | undefined;
  onOpen(session: OpenSession): void;
}

/** Resolves when both sides are closed. */
export async function converse(
  deps: Deps,
  { call, hold, opened: { choice, attempts }, sides }: ConnectedSession,
  { usage, lastEvent, ofCaller, onOpen }: SessionDialect,
): Promise<Verdict> {
  const { timeouts } = choice.channel;
  const credit = new RealtimeCredit(deps.book, { hold, call, rates: choice.rates }, usage);
  let unchecked = 0;
  let stopping = false;
  const check = (responseEnded: boolean): void => {
    unchecked = 0;
    credit.check(responseEnded).then(
      (refusal) => refusal && session.end('credits', lastEvent(lackingFor(deps, refusal, call.dialect))),
      (error: unknown) => {
        deps.log.error({ err: error, request: call.requestId }, 'credits for a realtime session not reserved');
        session.end('refused', lastEvent(internalError()));
      },
    );
    if (responseEnded && stopping) session.end('stopping');
  };
  const session = new RealtimeSession(
    sides,
    { idleMs: timeouts.idleMs || IDLE_MS, totalMs: timeouts.totalMs, pingMs: PING_MS },
    {
      event(event) {
        unchecked += event.length;
        const responseEnded = usage.read(event);
        if (responseEnded || unchecked > CHECK_BYTES) check(responseEnded);
        return eventForCaller(choice, event);
      },
      closeReason: (text) => maskForCaller(choice, text),
      ofCaller,
      refusal: lastEvent,
    },
  );
  onOpen({
    stop(now) {
      stopping = true;
      if (now || !usage.isUnderWay) session.end('stopping');
    },
  });
  const recheck = setInterval(
    () => void endIfNotAllowed(deps, call, (error) => session.end('refused', lastEvent(error))),
    PING_MS,
  );
  const end = await session.ended;
  clearInterval(recheck);
  usage.end();
  const verdict = verdictOf(end, usage);
  deps.meter.attempted(verdict.code, choice.channel.provider.type);
  const last = attempts.at(-1);
  if (last) {
    last.ms = Math.round(performance.now() - call.startMs) - last.start;
    last.result = verdict.code;
  }
  return verdict;
}

/** Ends a session whose API key was disabled or replaced, or has expired since. */
async function endIfNotAllowed(deps: Deps, call: RelayCall, end: (refusal: RelayError) => void): Promise<void> {
  try {
    const caller = await callerOfKey(deps.db, call.caller.keyHash);
    checkCaller(caller, deps.now(), deps.live.settings);
    groupOf(caller, deps.live);
  } catch (error) {
    // A database outage is not the caller's fault: the next round asks again.
    if (error instanceof RelayError) end(error);
  }
}

function verdictOf(end: SessionEnd, usage: SessionUsage): Verdict {
  const known = {
    usage: usage.reported,
    usageSource: usage.isEstimated ? 'estimate' : 'upstream',
    finishReason: end.by === 'server' ? end.why : undefined,
    message: undefined,
    ...(usage.doubt && { doubt: usage.doubt }),
  } as const;
  if (end.by === 'caller' && !end.orderly) return { ...known, outcome: 'client_gone', code: 'client_gone' };
  const broken = end.by === 'upstream' && (!end.orderly || end.code === 1011);
  if (!broken) return { ...known, outcome: 'answered', code: 'ok' };
  const message = 'the upstream broke off the session';
  const refusal = new RelayError(502, `The upstream broke off: ${message}.`, {
    type: 'upstream_error',
    code: 'stream_broken',
  });
  // Without any output nothing is charged.
  if (usage.reported.units === 0) return failedVerdict('stream_broken', message, refusal);
  return { ...known, outcome: 'broken', code: 'stream_broken', message, refusal };
}
