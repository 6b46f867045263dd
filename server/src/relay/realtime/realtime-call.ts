/**
 * Realtime calls: WebSocket sessions that reserve more credits as they go on.
 * A `run` of the money path in call/charged-call.ts.
 */
import { newRelayCall } from '#relay/call/new-relay-call.ts';
import { bareRequest } from '#relay/types/parsed-request.ts';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { noUsage } from '@relay-hub/contract';
import { openAiCode } from '#chat/openai/write-openai-reply.ts';
import { isObject, type Json, objectOr } from '#json.ts';
import type { Hold } from '#quota/book.ts';
import { type AdmittedCaller, type CallPlan, chargedCall, type ChargedWork } from '#relay/call/charged-call.ts';
import type { CallContext, FinishedCall, RelayCall, Verdict } from '#relay/types/call-types.ts';
import { isName } from '#relay/dialects/open-ai.ts';
import type { ParsedRequest } from '#relay/types/parsed-request.ts';
import { fileIdsIn } from '#relay/state/file-ids.ts';
import { hostedIdsIn } from '#relay/state/hosted-ids.ts';
import { parseJson } from '#relay/body/read-body.ts';
import { refuseRoutingFields } from '#relay/body/routing-fields.ts';
import { badRequest, RelayError } from '#relay/reply/relay-error.ts';
import { chooseByStep } from '#relay/call/plan-attempt.ts';
import { chooseChannel, nothingTried } from '#relay/select/choose-channel.ts';
import { refuseOptions } from '#relay/select/fit-options.ts';
import { applySteering } from '#relay/select/model-steering.ts';
import { factsOf } from '#usage/model-facts.ts';
import { dialChannels, type OpenedUpstream, sessionAt } from './realtime-attempts.ts';
import { admitClientSecret, modelOfSession, sessionUpdate } from './client-secrets.ts';
import { converse, type OpenSession } from './converse.ts';
import { REALTIME_PATH } from './realtime-path.ts';
import { loadSockets, type Upgrade } from './realtime-sockets.ts';
import { RealtimeUsage } from './realtime-usage.ts';

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
    const choice = chooseByStep(deps, call, request.headers, () =>
      sessionAt(deps, call, chooseChannel(deps, call, nothingTried)),
    );
    refuseOptions(deps, choice, this.#configured);
    return { call, choice };
  }

  #call(admitted: AdmittedCaller, model: string): RelayCall {
    const { routes } = this.#context.deps.live;
    const parsed = bareRequest(model, { stream: true, wantsUsage: true });
    return newRelayCall(this.#context, admitted, {
      operation: 'realtime',
      dialect: this.dialect,
      request: applySteering(parsed, 'realtime', { routes, group: admitted.group.symbol }),
      endpoint: REALTIME_PATH,
    });
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
      const upstream = sockets.switched(opened.socket);
      const update = sessionUpdate(this.#configured);
      if (update !== undefined) upstream.send(update);
      const { operation, upstreamModel } = opened.choice;
      const usage = new RealtimeUsage(operation.usage, factsOf(upstreamModel));
      if (update !== undefined) usage.sent(Buffer.from(update), false);
      return await converse(
        this.#context.deps,
        { call, hold, opened, sides: { caller, upstream } },
        {
          usage,
          ofCaller: (event) =>
            eventForUpstream(event, { request: call.request, usage }, (part) =>
              refuseOptions(this.#context.deps, opened.choice, part),
            ),
          lastEvent: (refusal) => errorEvent(refusal, call.requestId),
          onOpen: this.#onOpen,
        },
      );
    } catch (error) {
      // The caller speaks WebSocket by now: the connection must not get an HTTP response.
      caller.terminate();
      opened.socket.destroy();
      throw error;
    }
  }
}

/** The caller left while the upstream was connecting. `failed`, because a session without output is not charged. */
export const leftBeforeSession: Verdict = {
  outcome: 'failed',
  usage: noUsage,
  usageSource: 'upstream',
  finishReason: undefined,
  code: 'client_gone',
  message: 'the client disconnected',
};

/**
 * An event of the caller for the upstream. Throws a 400 for one that names objects of the account, changes the model,
 * which decides about the price, or orders what sessions are not charged for.
 */
function eventForUpstream(
  event: Buffer,
  { request: { model, requestedName }, usage }: { request: ParsedRequest; usage: RealtimeUsage },
  check: (part: unknown) => void,
): Buffer {
  const json = objectOr(parseJson(event));
  const { type, audio } = json;
  const [id] = [...fileIdsIn(json, event), ...hostedIdsIn({ tools: [json] }, event)];
  if (id !== undefined) throw badRequest(`'${id}' cannot be used: realtime sessions take no files.`, 'file_id');
  if (type === 'response.create' && usage.awaited >= MOST_AWAITED) throw tooManyResponses();
  usage.sent(event, type === 'input_audio_buffer.append' && typeof audio === 'string');
  let changed = false;
  for (const name of ['session', 'response']) {
    const part = json[name];
    refuseRoutingFields(part);
    check(part);
    if (!isObject(part) || part['model'] === undefined) continue;
    if (part['model'] !== model && part['model'] !== requestedName)
      throw badRequest(`'${name}.model' cannot be changed: the session is one of '${model}'.`, `${name}.model`);
    delete part['model'];
    changed = true;
  }
  if (type === 'response.create') usage.awaited++;
  return changed ? Buffer.from(JSON.stringify(json)) : event;
}

/** Responses of a session at once: its reservation covers the next one, not any number of them. */
const MOST_AWAITED = 8;

const tooManyResponses = (): RelayError =>
  new RelayError(429, `At most ${MOST_AWAITED} responses of a session can be under way.`, {
    type: 'rate_limit_error',
    code: 'too_many_responses',
  });

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
export function checkHandshake({ method, headers }: IncomingMessage): void {
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
