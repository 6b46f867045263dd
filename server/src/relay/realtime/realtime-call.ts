/**
 * Realtime calls: WebSocket sessions that reserve more credits as they go on.
 * A `run` of the money path in call/charged-call.ts.
 */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { noUsage } from '@relay-hub/contract';
import { openAiCode } from '#chat/openai/write-openai-reply.ts';
import type { Json } from '#json.ts';
import type { Deps } from '#deps.ts';
import { callerOfKey } from '#live/callers.ts';
import type { Hold } from '#quota/book.ts';
import { type AdmittedCaller, type CallPlan, chargedCall, type ChargedWork } from '#relay/call/charged-call.ts';
import type { CallContext, FinishedCall, RelayCall, Verdict } from '#relay/call/types.ts';
import { isName } from '#relay/dialects/open-ai.ts';
import { eventForCaller, maskForCaller } from '#relay/outcome/upstream-text.ts';
import { failedVerdict } from '#relay/outcome/verdict.ts';
import { checkCaller, groupOf } from '#relay/routes/authenticate.ts';
import { lackingFor } from '#relay/routes/refusal/limit-refusal.ts';
import { badRequest, internalError, RelayError } from '#relay/routes/refusal/relay-error.ts';
import { chooseChannel, nothingTried } from '#relay/select/choose-channel.ts';
import { applySteering } from '#relay/select/model-steering.ts';
import { factsOf } from '#usage/model-facts.ts';
import { dialChannels, type OpenedUpstream } from './realtime-attempts.ts';
import { RealtimeCredit } from './realtime-credit.ts';
import { admitClientSecret, modelOfSession, sessionUpdate } from './client-secrets.ts';
import { REALTIME_PATH } from './realtime-path.ts';
import { RealtimeSession, type SessionEnd, type SessionSides } from './realtime-session.ts';
import { loadSockets, type Upgrade } from './realtime-sockets.ts';
import { RealtimeUsage } from './realtime-usage.ts';

const IDLE_MS = 15 * 60_000;
const PING_MS = 30_000;
/** Bytes of a response after which its cost is checked against the reservation. */
const CHECK_BYTES = 32 * 1024;

/** A session under way, as the server's shutdown sees it. */
export interface OpenSession {
  /** Ends it after the current response; `now`: at once. */
  stop(now: boolean): void;
}

/**
 * A session, from its upgrade request to its charge. Rejects with a `RelayError` while no upstream has answered: the
 * caller then receives an HTTP response. `onOpen` runs once the caller is connected.
 */
export async function realtimeCall(
  context: CallContext,
  upgrade: Upgrade,
  onOpen: (session: OpenSession) => void,
): Promise<void> {
  const configured = await admitClientSecret(context);
  await chargedCall(context, new RealtimeCall(context, upgrade, { onOpen, configured }));
}

interface SessionOptions {
  onOpen: (session: OpenSession) => void;
  /** The session of a client secret; undefined: the caller has an API key. */
  configured: Json | undefined;
}

const noBody = Buffer.alloc(0);

class RealtimeCall implements ChargedWork<CallPlan, FinishedCall> {
  readonly dialect = 'openai';
  readonly #context: CallContext;
  readonly #upgrade: Upgrade;
  readonly #onOpen: (session: OpenSession) => void;
  readonly #configured: Json | undefined;

  constructor(context: CallContext, upgrade: Upgrade, { onOpen, configured }: SessionOptions) {
    this.#context = context;
    this.#upgrade = upgrade;
    this.#onOpen = onOpen;
    this.#configured = configured;
  }

  plan(admitted: AdmittedCaller): CallPlan {
    const { deps, request, trace } = this.#context;
    checkHandshake(request);
    const call = this.#call(admitted, modelOf(request, this.#configured));
    trace.model = call.request.model;
    return { call, choice: chooseChannel(deps, call, nothingTried) };
  }

  #call({ caller, sourceIp, group, pin, except, rate, startMs }: AdmittedCaller, model: string): RelayCall {
    const { deps, requestId } = this.#context;
    const parsed = {
      model,
      stream: true,
      wantsUsage: true,
      inputTokens: 0,
      outputLimit: undefined,
      usesTools: false,
      usesImages: false,
    };
    return {
      requestId,
      startMs,
      rate,
      operation: 'realtime',
      dialect: this.dialect,
      request: applySteering(parsed, 'realtime', { routes: deps.live.routes, group: group.symbol }),
      caller,
      group,
      pin,
      except,
      endpoint: REALTIME_PATH,
      body: noBody,
      json: undefined,
      startedS: deps.now(),
      asList: false,
      sourceIp,
      reserved: 0,
      claim: undefined,
      pictures: undefined,
    };
  }

  async run({ call, choice }: CallPlan, hold: Hold): Promise<FinishedCall> {
    const dialled = await dialChannels(this.#context, { call, choice, hold }, this.#upgrade);
    if (!('socket' in dialled)) return { ...dialled, firstMs: undefined };
    const verdict = await this.#session(call, hold, dialled);
    return { choice: dialled.choice, attempts: dialled.attempts, verdict, firstMs: dialled.firstMs };
  }

  finish(_: CallPlan, { verdict }: FinishedCall): void {
    if (verdict.outcome === 'failed' && verdict.refusal && !this.#upgrade.socket.destroyed) throw verdict.refusal;
  }

  async #session(call: RelayCall, hold: Hold, opened: OpenedUpstream): Promise<Verdict> {
    const { request } = this.#context;
    const { socket, head } = this.#upgrade;
    const sockets = await loadSockets();
    const caller = await sockets.accept(request, socket, head);
    if (!caller) {
      opened.socket.destroy();
      return leftBeforeSession;
    }
    try {
      return await this.#converse(call, hold, opened, { caller, upstream: sockets.switched(opened.socket) });
    } catch (error) {
      // The caller speaks WebSocket by now: the connection must not get an HTTP response.
      caller.terminate();
      opened.socket.destroy();
      throw error;
    }
  }

  async #converse(
    call: RelayCall,
    hold: Hold,
    { choice, attempts }: OpenedUpstream,
    sides: SessionSides,
  ): Promise<Verdict> {
    const { deps } = this.#context;
    const { timeouts } = choice.channel;
    const usage = new RealtimeUsage(choice.operation.usage, factsOf(choice.upstreamModel));
    const credit = new RealtimeCredit(deps.book, { hold, call, rates: choice.rates }, usage);
    let unchecked = 0;
    let stopping = false;
    const check = (responseEnded: boolean): void => {
      unchecked = 0;
      credit.check(responseEnded).then(
        (refusal) =>
          refusal && session.end('credits', errorEvent(lackingFor(deps, refusal, call.dialect), call.requestId)),
        (error: unknown) => {
          deps.log.error({ err: error, request: call.requestId }, 'credits for a realtime session not reserved');
          session.end('refused', errorEvent(internalError(), call.requestId));
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
      },
    );
    const update = sessionUpdate(this.#configured);
    if (update !== undefined) sides.upstream.send(update);
    this.#onOpen({
      stop(now) {
        stopping = true;
        if (now || !usage.isUnderWay) session.end('stopping');
      },
    });
    const recheck = setInterval(() => void endIfNotAllowed(deps, call, session), PING_MS);
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
}

/** The caller left while the upstream was connecting. `failed`, because a session without output is not charged. */
const leftBeforeSession: Verdict = {
  outcome: 'failed',
  usage: noUsage,
  usageSource: 'upstream',
  finishReason: undefined,
  code: 'client_gone',
  message: 'the client disconnected',
};

/** Ends a session whose API key was disabled or replaced, or has expired since. */
async function endIfNotAllowed(deps: Deps, call: RelayCall, session: RealtimeSession): Promise<void> {
  try {
    const caller = await callerOfKey(deps.db, call.caller.keyHash);
    checkCaller(caller, deps.now(), deps.live.settings);
    groupOf(caller, deps.live);
  } catch (error) {
    // A database outage is not the caller's fault: the next round asks again.
    if (error instanceof RelayError) session.end('refused', errorEvent(error, call.requestId));
  }
}

function verdictOf(end: SessionEnd, usage: RealtimeUsage): Verdict {
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

/** A refusal as an event of the session. */
function errorEvent({ type, code, message }: RelayError, requestId: string): string {
  const error = {
    type,
    code: openAiCode(code),
    message: `${message} (request id: ${requestId})`,
    param: null,
    event_id: null,
  };
  return JSON.stringify({ event_id: `event_${randomUUID().replaceAll('-', '')}`, type: 'error', error });
}

/** Throws a 400 for an invalid WebSocket handshake. */
function checkHandshake({ method, headers }: IncomingMessage): void {
  const version = headers['sec-websocket-version'];
  const isValid = method === 'GET' && version === '13' && /^[+/\w]{22}==$/.test(headers['sec-websocket-key'] ?? '');
  if (!isValid) throw badRequest('Invalid WebSocket handshake.');
}

/** The model in the query, or of the client secret. Throws a 400 when there is none. */
function modelOf({ url = '' }: IncomingMessage, configured: Json | undefined): string {
  const mark = url.indexOf('?');
  const model = modelOfSession(configured, mark < 0 ? null : new URLSearchParams(url.slice(mark)).get('model'));
  if (isName(model)) return model;
  throw new RelayError(400, "Name a model: '?model=…'.", {
    type: 'invalid_request_error',
    code: 'model_name_required',
    param: 'model',
  });
}
