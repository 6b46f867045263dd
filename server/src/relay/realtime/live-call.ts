/**
 * Live sessions at Google: WebSocket sessions whose first message names the model.
 * A `run` of the money path in call/charged-call.ts.
 */
import { newRelayCall } from '#relay/call/new-relay-call.ts';
import { bareRequest } from '#relay/types/parsed-request.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RawData, WebSocket } from 'ws';
import { isObject, type Json, objectOr, textOr } from '#json.ts';
import type { Hold } from '#quota/book.ts';
import { type AdmittedCaller, type CallPlan, chargedCall, type ChargedWork } from '#relay/call/charged-call.ts';
import type { CallContext, FinishedCall, RelayCall, Verdict } from '#relay/types/call-types.ts';
import { isName } from '#relay/dialects/open-ai.ts';
import { googleNamesIn } from '#relay/state/google-names.ts';
import { authenticate } from '#relay/admission/authenticate.ts';
import { parseJson } from '#relay/body/read-body.ts';
import { refusalForFault } from '#relay/reply/fault-refusal.ts';
import { badRequest } from '#relay/reply/relay-error.ts';
import { chooseByStep } from '#relay/call/plan-attempt.ts';
import { chooseChannel, nothingTried } from '#relay/select/choose-channel.ts';
import { refuseOptions } from '#relay/select/fit-options.ts';
import { factsOf } from '#usage/model-facts.ts';
import { converse, type OpenSession } from './converse.ts';
import { admitLiveToken, constrained, liveTokenIn } from './live-tokens.ts';
import { LiveUsage } from './live-usage.ts';
import { dialChannels, type OpenedUpstream, sessionAt } from './realtime-attempts.ts';
import { checkHandshake, leftBeforeSession } from './realtime-call.ts';
import { LIVE_PATH } from './realtime-path.ts';
import { loadSockets, type Sockets, type Upgrade } from './realtime-sockets.ts';

/** Time for the first message. */
const SETUP_MS = 10_000;
/** Grace period for a close handshake. */
const CLOSE_GRACE_MS = 2000;
/**
 * A session, from its upgrade request to its charge. Rejects with a `RelayError` while the caller expects an HTTP
 * response; later refusals are the reason of the close. `onOpen` runs once an upstream is connected.
 */
export async function liveCall(
  context: CallContext,
  upgrade: Upgrade,
  onOpen: (session: OpenSession) => void,
): Promise<void> {
  checkHandshake(context.request);
  const sent = liveTokenIn(context.request);
  const token = sent === undefined ? undefined : await admitLiveToken(context, sent);
  await authenticate(context, 'gemini');
  const sockets = await loadSockets();
  const socket = await sockets.accept(context.request, upgrade.socket, upgrade.head);
  if (!socket) return;
  const caller = new QueuedCaller(socket);
  try {
    const asked = setupIn(await caller.first());
    if (socket.readyState !== socket.OPEN) return;
    const setup = token ? constrained(asked, token) : asked;
    const parts = { upgrade, sockets, caller, setup, onOpen: token ? until(token.until, onOpen, context) : onOpen };
    await chargedCall(context, new LiveCall(context, parts));
  } catch (error) {
    // The caller speaks WebSocket by now: the connection must not get an HTTP response.
    const { message } = refusalForFault(error);
    context.deps.log.info({ err: error, request: context.requestId }, 'live session refused');
    caller.close(`${message} (request id: ${context.requestId})`);
  }
}

/** Ends the session with its token. */
const until =
  (endS: number, onOpen: (session: OpenSession) => void, { deps }: CallContext) =>
  (session: OpenSession): void => {
    setTimeout(() => session.stop(true), (endS - deps.now()) * 1000).unref();
    onOpen(session);
  };

/** A caller whose messages wait until a session takes them. */
class QueuedCaller {
  readonly socket: WebSocket;
  readonly #messages: { data: Buffer; binary: boolean }[] = [];
  readonly #onMessage = (data: RawData, binary: boolean): void => {
    this.#messages.push({ data: data as Buffer, binary }); // its binaryType is the default
    this.socket.pause();
    this.#arrived();
  };
  #arrived = (): void => {};

  constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on('error', () => {});
    socket.on('message', this.#onMessage);
  }

  /** The first message; undefined: none came in time. */
  async first(): Promise<Buffer | undefined> {
    const ended = new AbortController();
    const arrived = new Promise<void>((resolve) => {
      this.#arrived = resolve;
      this.socket.once('close', () => resolve());
    });
    const late = sleep(SETUP_MS, undefined, { signal: ended.signal }).catch(() => {});
    await Promise.race([arrived, late]);
    ended.abort();
    return this.#messages.shift()?.data;
  }

  /** Closes the connection for a reason. */
  close(reason: string): void {
    // A paused side cannot deliver its close frame.
    this.take();
    this.socket.close(1008, Buffer.from(reason).subarray(0, 120));
    setTimeout(() => this.socket.terminate(), CLOSE_GRACE_MS).unref();
  }

  /** Hands over: the messages that have come since, in order. The caller has to listen in the same turn. */
  take(): { data: Buffer; binary: boolean }[] {
    this.socket.off('message', this.#onMessage);
    this.socket.resume();
    return this.#messages.splice(0);
  }
}

/** Throws a 400 for a first message that is none. */
function setupIn(message: Buffer | undefined): Json {
  const setup = message && objectOr(parseJson(message, 'google'))['setup'];
  if (isObject(setup)) return setup;
  throw badRequest("The first message must be 'setup'.", 'setup');
}

interface LiveParts {
  upgrade: Upgrade;
  sockets: Sockets;
  caller: QueuedCaller;
  setup: Json;
  onOpen: (session: OpenSession) => void;
}

class LiveCall implements ChargedWork<CallPlan, FinishedCall> {
  readonly dialect = 'gemini';
  readonly #context: CallContext;
  readonly #parts: LiveParts;

  constructor(context: CallContext, parts: LiveParts) {
    this.#context = context;
    this.#parts = parts;
  }

  plan(admitted: AdmittedCaller): CallPlan {
    const { deps, trace, request: upgrade } = this.#context;
    const { setup } = this.#parts;
    const model = textOr(setup['model'], '').replace(/^models\//, '');
    if (!isName(model)) throw badRequest("'setup.model' is not valid: it must be the name of a model.", 'setup.model');
    trace.model = model;
    refuseObjects(setup, Buffer.from(JSON.stringify(setup)));
    const request = bareRequest(model, { stream: true, wantsUsage: true });
    const kind = { operation: 'realtime', dialect: this.dialect, endpoint: LIVE_PATH } as const;
    const call = newRelayCall(this.#context, admitted, { ...kind, request });
    const choice = chooseByStep(deps, call, upgrade.headers, () =>
      sessionAt(deps, call, chooseChannel(deps, call, nothingTried)),
    );
    refuseOptions(deps, choice, setup);
    return { call, choice };
  }

  async run({ call, choice }: CallPlan, hold: Hold): Promise<FinishedCall> {
    const { upgrade, caller } = this.#parts;
    const dialled = await dialChannels(this.#context, { call, choice, hold }, upgrade);
    if (!('socket' in dialled)) return { ...dialled, firstMs: undefined };
    const { attempts, firstMs } = dialled;
    if (caller.socket.readyState === caller.socket.OPEN)
      return { choice: dialled.choice, attempts, firstMs, verdict: await this.#session(call, hold, dialled) };
    dialled.socket.destroy();
    return { choice: dialled.choice, attempts, firstMs, verdict: leftBeforeSession };
  }

  #session(call: RelayCall, hold: Hold, opened: OpenedUpstream): Promise<Verdict> {
    const { caller, sockets, setup, onOpen } = this.#parts;
    const { operation, upstreamModel } = opened.choice;
    const upstream = sockets.switched(opened.socket);
    upstream.send(JSON.stringify({ setup: { ...setup, model: `models/${upstreamModel}` } }));
    const usage = new LiveUsage(operation.usage, factsOf(upstreamModel));
    usage.sent(Buffer.from(JSON.stringify(setup)), false);
    const verdict = converse(
      this.#context.deps,
      { call, hold, opened, sides: { caller: caller.socket, upstream } },
      {
        usage,
        // Google has no message for errors: the close says why.
        lastEvent: () => undefined,
        ofCaller(message) {
          const json = parseJson(message, 'google');
          refuseObjects(json, message);
          usage.sent(message, isSound(json));
          return message;
        },
        onOpen,
      },
    );
    // The session listens by now.
    for (const { data, binary } of caller.take()) caller.socket.emit('message', data, binary);
    return verdict;
  }

  finish(_: CallPlan, { verdict }: FinishedCall): void {
    if (verdict.outcome === 'failed' && verdict.refusal) throw verdict.refusal;
  }
}

/** Files of other users of the account must not be reached. Throws a 400 for a message that names any. */
function refuseObjects(json: unknown, message: Buffer): void {
  if (googleNamesIn(json, message).length > 0)
    throw badRequest('Files and caches cannot be named in live sessions.', 'fileData');
}

/** Whether a message has sound and nothing else. */
function isSound(json: unknown): boolean {
  const { realtimeInput, ...more } = objectOr(json);
  const { audio, ...rest } = objectOr(realtimeInput);
  return isObject(audio) && Object.keys(more).length + Object.keys(rest).length === 0;
}
