/**
 * The call step: authenticates, reserves, runs and settles every call.
 * Before it: a kind of call. Within `run`: select, convert, upstream, stream and outcome.
 */
import { performance } from 'node:perf_hooks';
import type { DialectId } from '#chat/codec.ts';
import type { Deps } from '#deps.ts';
import type { Rate } from '#http/limits/minute-rates.ts';
import { creditsLeft } from '#quota/balance-left.ts';
import { type Hold, isHold, type Refusal } from '#quota/book.ts';
import { failedVerdict } from '#relay/outcome/verdict.ts';
import { authenticate } from '#relay/admission/authenticate.ts';
import { checkRate, withRate } from '#relay/admission/call-rate.ts';
import { insufficientFor } from '#relay/reply/insufficient-quota.ts';
import { checkCallAllowed, limitReached } from '#relay/admission/limit-refusal.ts';
import { refusalForFault } from '#relay/reply/fault-refusal.ts';
import type { RelayError } from '#relay/reply/relay-error.ts';
import { endSettledRoom } from './channel-room.ts';
import { limitNeed } from './limit-need.ts';
import { noteCall } from './note-call.ts';
import { laterSteps } from './plan-attempt.ts';
import { fittedOutput, reservationBasis, reservationOf, type Room } from './reservation.ts';
import { chargeOf, settlementOf } from './settlement.ts';
import type {
  AuthenticatedCaller,
  CallContext,
  CallReservation,
  ChannelChoice,
  FinishedCall,
  RelayCall,
} from '#relay/types/call-types.ts';

/** A caller within their rate limit. */
export interface AdmittedCaller extends AuthenticatedCaller {
  rate: Rate;
  /** When the request came in, by `performance.now()`. */
  startMs: number;
}

/** A call and the channel that is tried first, whose price is reserved. */
export interface CallPlan {
  call: RelayCall;
  choice: ChannelChoice;
  /** How the call ends without an upstream, so that it reserves what it costs; left out: it calls one. */
  known?: FinishedCall | undefined;
}

/** Part of the money path that depends on the kind of call (chat, pass-through, realtime, task). One per request. */
export interface ChargedWork<Plan extends CallPlan, Finished extends FinishedCall> {
  /** The caller's dialect: it decides where the API key is looked for. */
  readonly dialect: DialectId;
  /** Reads the request and chooses a channel. Throws a `RelayError` for a request that is refused. */
  plan(admitted: AdmittedCaller): Plan | Promise<Plan>;
  /**
   * Calls upstreams. Undefined: the work goes on after the response and the new owner of `hold` settles it with
   * `settleCall`.
   */
  run(plan: Plan, hold: Hold): Promise<Finished | undefined>;
  /** Completes what the upstream reported, before the charge; left out or undefined: nothing is missing. */
  complete?(plan: Plan, finished: Finished): Promise<void> | undefined;
  /** The same call with a lower output limit, over all choices; left out: the kind of call has none. */
  shorten?(plan: Plan, output: number): Plan;
  /** Sends the last bytes, once the charge is recorded. Throws the refusal where no response has begun. */
  finish(plan: Plan, finished: Finished): void | Promise<void>;
  /** Frees what the request holds, also after a failed `plan`. */
  release?(failed: boolean): void | Promise<void>;
}

/**
 * The money path of every call: authenticate, rate limit, plan, reserve, run, record, settle, release. Nothing goes
 * upstream before the call is on record and paid for. Rejects with a `RelayError` while the caller expects a response.
 */
export async function chargedCall<Plan extends CallPlan, Finished extends FinishedCall>(
  context: CallContext,
  work: ChargedWork<Plan, Finished>,
): Promise<void> {
  const startMs = performance.now();
  const { deps, trace } = context;
  const identified = authenticate(context, work.dialect);
  const authenticated = identified instanceof Promise ? await identified : identified;
  const { caller, sourceIp, group, pin, except, rawPin } = authenticated;
  const counted = checkRate(deps, caller);
  const rate = counted instanceof Promise ? await counted : counted;
  let failed = true;
  try {
    const planned = work.plan({ caller, sourceIp, group, pin, except, rawPin, rate, startMs });
    const first = planned instanceof Promise ? await planned : planned;
    if (caller.limits) checkCallAllowed(caller.limits, first.call);
    const reserved = await reserve(deps, first);
    const { plan, hold } = isHold(reserved)
      ? { plan: first, hold: reserved }
      : await admitShorter(context, work, first, reserved);
    trace.recorded = true;
    try {
      const finished = await work.run(plan, hold);
      if (finished) {
        const completed = work.complete?.(plan, finished);
        if (completed) await completed;
        // The charge is recorded before the last byte leaves: a complete reply is never lost to the ledger.
        await settleCall(deps, plan.call, finished, hold);
        const sent = work.finish(plan, finished);
        if (sent) await sent;
      }
    } catch (error) {
      throw await settleFault(deps, plan, hold, error);
    }
    failed = false;
  } catch (error) {
    throw withRate(error, rate);
  } finally {
    const released = work.release?.(failed);
    if (released) await released;
  }
}

/** More than the balances and budgets that a call can be fitted into, one after the other. */
const MOST_FITS = 8;

/**
 * Reserves the credits of a call that needs more than the remaining ones, which refused it: it gets a lower output
 * limit. Throws the refusal if even a short answer is not covered.
 */
async function admitShorter<Plan extends CallPlan>(
  { deps, trace }: CallContext,
  work: Pick<ChargedWork<Plan, FinishedCall>, 'dialect' | 'shorten'>,
  first: Plan,
  refused: Refusal,
): Promise<{ plan: Plan; hold: Hold }> {
  let plan = first;
  let refusal = refused;
  const longest = plan.call.reserved;
  for (let fits = 0; ; fits++) {
    const room = fits < MOST_FITS && work.shorten ? await roomFor(deps, plan, refusal) : undefined;
    if (room?.output === undefined) {
      const least = Math.min(longest, room?.least ?? longest);
      trace.neededCredits = least;
      const isLimitable = work.shorten !== undefined && plan.call.reservation?.output !== undefined;
      if (typeof refusal !== 'string') throw limitReached(deps, refusal, work.dialect, isLimitable);
      throw await insufficientFor(deps, refusal, plan.call.caller, { least, longest });
    }
    plan = shortened(work, plan, room.output);
    const hold = await reserve(deps, plan);
    if (isHold(hold)) return { plan, hold };
    refusal = hold;
  }
}

/** A stream whose reservation grows begins with less; other calls get a lower limit. */
function shortened<Plan extends CallPlan>(
  work: Pick<ChargedWork<Plan, FinishedCall>, 'shorten'>,
  plan: Plan,
  output: number,
): Plan {
  const { call } = plan;
  if (call.reservation?.growsTo === undefined) return work.shorten?.(plan, output) ?? plan;
  call.startOutput = output;
  return plan;
}

/** Room for a shorter answer in what a refusal left. Undefined: the answer cannot be shortened. */
async function roomFor({ db, log }: Deps, { call, choice }: CallPlan, refusal: Refusal): Promise<Room | undefined> {
  const { caller, reservation } = call;
  if (reservation?.output === undefined) return undefined;
  if (typeof refusal !== 'string') {
    const { name, limit, used, held } = refusal;
    return name.startsWith('credits:') ? fittedOutput(call, choice, reservation, limit - used - held) : undefined;
  }
  try {
    return fittedOutput(call, choice, reservation, await creditsLeft(db, refusal, caller));
  } catch (error) {
    log.debug({ err: error }, 'the balance of a refused call was not read');
    return undefined;
  }
}

function reserve(deps: Deps, { call, choice, known }: CallPlan): Promise<Hold | Refusal> {
  const reservation: CallReservation = known
    ? { credits: chargeOf(call, known, deps.live.prices).credits, output: undefined, growsTo: undefined }
    : reservationOf(call, choice, reservationBasis(deps));
  call.reservation = reservation;
  call.reserved = reservation.credits;
  return call.chain && !known ? reserveSteps(deps, call, choice) : holdFor(deps, call, choice);
}

/** Reserves for the dearest step that the call can reach, or else for the first: later ones then ask for more. */
async function reserveSteps(deps: Deps, call: RelayCall, choice: ChannelChoice): Promise<Hold | Refusal> {
  const first = call.reserved;
  for (const later of laterSteps(deps, call))
    call.reserved = Math.max(call.reserved, reservationOf(later.call, later.choice, reservationBasis(deps)).credits);
  const hold = await holdFor(deps, call, choice);
  if (isHold(hold) || call.reserved === first) return hold;
  call.reserved = first;
  return holdFor(deps, call, choice);
}

function holdFor({ book, live, now }: Deps, call: RelayCall, choice: ChannelChoice) {
  const { caller, requestId } = call;
  return book.reserve({
    requestId,
    userId: caller.userId,
    tokenId: caller.tokenId,
    limited: !caller.unlimited,
    reserved: call.reserved,
    priceVersion: choice.price.version,
    model: choice.billedModel,
    limits: limitNeed(caller, call, live.settings.PreConsumedQuota, now()),
  });
}

/** Counts a finished call in metrics and log, and charges it. Resolves when the charge is recorded. */
export function settleCall(deps: Deps, call: RelayCall, finished: FinishedCall, hold: Hold): Promise<void> {
  const settlement = settlementOf(call, finished, { now: deps.now(), counts: hold.counts, prices: deps.live.prices });
  noteCall(deps, call, finished, settlement);
  endSettledRoom(deps, call, settlement, finished);
  finished.credits = settlement.credits;
  const recorded = deps.book.settle(hold, settlement);
  return hold.isCovered === false ? recorded.then(() => readCharge(deps, call, finished)) : recorded;
}

/** The balance may cover less than the call cost, which only the database knows. */
async function readCharge({ book, db, log }: Deps, { requestId }: RelayCall, finished: FinishedCall): Promise<void> {
  try {
    await book.caughtUp();
    const find = db.selectFrom('logs').where('request_id', '=', requestId).select('quota');
    finished.credits = (await find.executeTakeFirst())?.quota;
  } catch (error) {
    log.debug({ err: error, request: requestId }, 'the charge of a call was not read');
    finished.credits = undefined;
  }
}

/** A fault of this server costs the caller nothing and is counted once. Returns the refusal to throw. */
export async function settleFault(
  deps: Deps,
  { call, choice }: CallPlan,
  hold: Hold,
  error: unknown,
): Promise<RelayError> {
  const refusal = refusalForFault(error);
  if (hold.open) {
    const verdict = failedVerdict(refusal.code, 'internal server error; see the server log', refusal);
    await settleCall(deps, call, { choice, verdict, attempts: [], firstMs: undefined }, hold);
  }
  refusal.alreadyCounted = true;
  return refusal;
}
