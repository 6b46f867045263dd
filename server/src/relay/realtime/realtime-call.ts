import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Deps } from '#deps.ts';
import { clientIp } from '#http/client-ip.ts';
import { findCaller } from '#live/callers.ts';
import type { Hold } from '#quota/book.ts';
import { factsOf } from '#usage/model-facts.ts';
import { authenticate, checkCaller, groupOf, insufficientQuota } from '#relay/routes/authenticate.ts';
import { checkRate, withRate } from '#relay/routes/call-rate.ts';
import { chooseChannel, nothingTried } from '#relay/select/choose-channel.ts';
import { estimate } from '#relay/call/estimate.ts';
import { isName } from '../dialects/open-ai.ts';
import { failedVerdict } from '#relay/outcome/verdict.ts';
import { noteCall } from '#relay/call/note-call.ts';
import { badRequest, internalError, RelayError } from '#relay/routes/relay-error.ts';
import { settlementOf } from '#relay/call/settlement.ts';
import { applySteering } from '#relay/select/model-steering.ts';
import type { Trace } from '#relay/call/trace.ts';
import { eventForCaller, maskForCaller } from '#relay/outcome/upstream-text.ts';
import { type OpenedUpstream, dialAny } from './realtime-attempts.ts';
import { RealtimeCredit } from './realtime-credit.ts';
import { REALTIME_PATH } from './realtime-path.ts';
import { RealtimeSession, type SessionEnd } from './realtime-session.ts';
import { loadSockets } from './realtime-sockets.ts';
import { RealtimeUsage } from './realtime-usage.ts';
import type { AuthenticatedCaller, FinishedCall, RelayCall, Verdict } from '#relay/call/types.ts';

const IDLE_MS = 15 * 60_000;
const PING_MS = 30_000;
/** A response is checked for its cost after so many bytes of it. */
const CHECK_BYTES = 32 * 1024;

type Outcome = FinishedCall;

/** A session that is under way, as the server's stop sees it. */
export interface OpenSession {
  /** Ends it when no response is under way; `now`: whatever is. */
  stop(now: boolean): void;
}

/**
 * Takes a session from its request to its charge. Throws a `RelayError` for what is refused before the caller is
 * greeted: as long as no upstream has answered, he is answered in HTTP.
 */
export async function realtimeCall(
  deps: Deps,
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  requestId: string,
  opened: (session: OpenSession) => void,
  trace: Trace,
): Promise<void> {
  const startMs = performance.now();
  const who = await authenticate(deps, request, trace);
  const rate = await checkRate(deps, who.caller);
  try {
    checkHandshake(request);
    const call = callOf(deps, who, request, { requestId, startMs, rate });
    trace.model = call.request.model;
    await countedCall(deps, call, request, socket, head, opened, trace);
  } catch (error) {
    throw withRate(error, rate);
  }
}

async function countedCall(
  deps: Deps,
  call: RelayCall,
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  opened: (session: OpenSession) => void,
  trace: Trace,
): Promise<void> {
  const { requestId, caller } = call;
  const first = chooseChannel(deps, call, nothingTried);
  call.reserved = estimate(first.rates, call.request, deps.live.settings.PreConsumedQuota);
  const hold = await deps.book.reserve({
    requestId,
    userId: caller.userId,
    tokenId: caller.tokenId,
    limited: !caller.unlimited,
    reserved: call.reserved,
    priceVersion: first.price.version,
    model: first.billedModel,
  });
  if (typeof hold === 'string') {
    trace.neededCredits = call.reserved;
    throw insufficientQuota(hold);
  }
  trace.recorded = true;
  const ended: Outcome = { choice: first, verdict: fault(), attempts: [], firstMs: undefined };
  try {
    const dialled = await dialAny(deps, call, hold, first, request, () => socket.destroyed);
    ended.choice = dialled.choice;
    ended.attempts = dialled.attempts;
    ended.verdict =
      'socket' in dialled ? await session(deps, call, hold, dialled, request, socket, head, opened) : dialled.verdict;
    if ('socket' in dialled) ended.firstMs = dialled.firstMs;
  } finally {
    const settlement = settlementOf(call, ended, deps.now());
    noteCall(deps, call, ended, settlement);
    await deps.book.settle(hold, settlement);
  }
  if (ended.verdict.outcome === 'failed' && ended.verdict.refusal && !socket.destroyed) throw ended.verdict.refusal;
}

/** A fault of ours costs the caller nothing. */
const fault = (): Verdict =>
  failedVerdict('internal_error', 'the server failed; its log tells the reason', internalError());

async function session(
  deps: Deps,
  call: RelayCall,
  hold: Hold,
  { choice, socket: upstreamSocket, attempts }: OpenedUpstream,
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  opened: (session: OpenSession) => void,
): Promise<Verdict> {
  const sockets = await loadSockets();
  const caller = await sockets.accept(request, socket, head);
  if (!caller) {
    upstreamSocket.destroy();
    return { ...failedVerdict('client_gone', 'the caller had left', fault().refusal!), outcome: 'failed' };
  }
  const { timeouts } = choice.channel;
  const usage = new RealtimeUsage(choice.operation.usage, factsOf(choice.upstreamModel));
  const credit = new RealtimeCredit(deps.book, hold, call, choice, usage);
  let unchecked = 0;
  let stopping = false;
  const check = (responseEnded: boolean): void => {
    unchecked = 0;
    credit.check(responseEnded).then(
      (refusal) => refusal && running.end('credits', errorEvent(insufficientQuota(refusal), call.requestId)),
      (error: unknown) => {
        deps.log.error({ err: error, request: call.requestId }, 'a session could not be covered');
        running.end('refused', errorEvent(internalError(), call.requestId));
      },
    );
    if (responseEnded && stopping) running.end('stopping');
  };
  const running = new RealtimeSession(
    caller,
    sockets.switched(upstreamSocket),
    { idleMs: timeouts.idleMs || IDLE_MS, totalMs: timeouts.totalMs, pingMs: PING_MS },
    {
      event(event) {
        unchecked += event.length;
        const responseEnded = usage.read(event);
        if (responseEnded || unchecked > CHECK_BYTES) check(responseEnded);
        return eventForCaller(choice, event);
      },
      reason: (text) => maskForCaller(choice, text),
    },
  );
  opened({
    stop(now) {
      stopping = true;
      if (now || !usage.isUnderWay) running.end('stopping');
    },
  });
  const allowing = setInterval(() => void stillAllowed(deps, call, running), PING_MS);
  const end = await running.ended;
  clearInterval(allowing);
  usage.end();
  const last = attempts.at(-1);
  const verdict = verdictOf(end, usage);
  if (last) {
    last.ms = Math.round(performance.now() - call.startMs) - last.start;
    last.result = verdict.code;
  }
  return verdict;
}

/** A key that was switched off, or has expired, ends its sessions too. */
async function stillAllowed(deps: Deps, call: RelayCall, running: RealtimeSession): Promise<void> {
  try {
    const caller = await findCaller(deps.db, call.caller.tokenId);
    checkCaller(caller, deps.now());
    groupOf(caller, deps.live);
  } catch (error) {
    // A database that cannot be asked now is asked again.
    if (error instanceof RelayError) running.end('refused', errorEvent(error, call.requestId));
  }
}

function verdictOf(end: SessionEnd, usage: RealtimeUsage): Verdict {
  const known = {
    usage: usage.reported,
    usageSource: usage.isEstimated ? 'estimate' : 'upstream',
    finishReason: end.by === 'us' ? end.why : undefined,
    message: undefined,
    ...(usage.doubt && { doubt: usage.doubt }),
  } as const;
  if (end.by === 'caller' && !end.orderly) return { ...known, outcome: 'client_gone', code: 'client_gone' };
  const broken = end.by === 'upstream' && (!end.orderly || end.code === 1011);
  if (!broken) return { ...known, outcome: 'answered', code: 'ok' };
  const message = 'the upstream broke the session off';
  const refusal = new RelayError(502, 'upstream_error', 'stream_broken', `The upstream broke off: ${message}.`);
  // Nothing was produced, so nothing is charged.
  if (usage.reported.units === 0) return failedVerdict('stream_broken', message, refusal);
  return { ...known, outcome: 'broken', code: 'stream_broken', message, refusal };
}

/** A refusal as an event of the session. */
function errorEvent({ type, code, message }: RelayError, requestId: string): string {
  const error = { type, code, message: `${message} (request id: ${requestId})`, param: null, event_id: null };
  return JSON.stringify({ event_id: `event_${randomUUID().replaceAll('-', '')}`, type: 'error', error });
}

/** Throws a 400 for what is no beginning of a WebSocket. */
function checkHandshake({ method, headers }: IncomingMessage): void {
  const version = headers['sec-websocket-version'];
  const right = method === 'GET' && version === '13' && /^[+/\w]{22}==$/.test(headers['sec-websocket-key'] ?? '');
  if (!right) throw badRequest('This is no valid beginning of a WebSocket.');
}

const noBody = Buffer.alloc(0);

function callOf(
  deps: Deps,
  { caller, group, pin, except }: AuthenticatedCaller,
  request: IncomingMessage,
  of: Pick<RelayCall, 'requestId' | 'startMs' | 'rate'>,
): RelayCall {
  const url = request.url ?? '';
  const mark = url.indexOf('?');
  const model = mark < 0 ? null : new URLSearchParams(url.slice(mark)).get('model');
  if (!isName(model))
    throw new RelayError(400, 'invalid_request_error', 'model_name_required', "Name a model: '?model=…'.", {
      param: 'model',
    });
  return {
    ...of,
    operation: 'realtime',
    dialect: 'openai',
    request: applySteering(
      {
        model,
        stream: true,
        wantsUsage: true,
        inputTokens: 0,
        outputLimit: undefined,
        usesTools: false,
        usesImages: false,
      },
      'realtime',
      { routes: deps.live.routes, group: group.symbol },
    ),
    caller,
    group,
    pin,
    except,
    endpoint: REALTIME_PATH,
    body: noBody,
    json: undefined,
    startedS: deps.now(),
    asList: false,
    sourceIp: clientIp(request, deps.config.trustedProxies),
    reserved: 0,
    claim: undefined,
    pictures: undefined,
  };
}
