import { Buffer } from 'node:buffer';
import { type InputOf, routeApi } from '@relay-hub/contract';
import type { FastifyInstance } from 'fastify';
import type { Deps } from '#deps.ts';
import { AppError, ensure } from '#errors.ts';
import { serve } from '#http/serve.ts';
import { findCaller } from '#live/callers.ts';
import { mayCall } from '#live/model-switch.ts';
import { isObject, type Json, objectOr, parseJson } from '#json.ts';
import { checkCaller, groupOf } from '#relay/admission/authenticate.ts';
import { readChat } from '#relay/dialects/caller-dialect.ts';
import { parseEmbeddings } from '#relay/dialects/open-ai.ts';
import { endpointOf, previewRules, type SampleRequest } from '#relay/convert/request-rules.ts';
import { preferredBy } from '#relay/select/channel-preference.ts';
import { conversationNamed } from '#relay/select/conversation.ts';
import { explainSteps } from '#relay/select/virtual-model.ts';
import { explainRoute } from '#relay/select/explain.ts';
import { routedName, applySteering } from '#relay/select/model-steering.ts';
import { modelOff, RelayError } from '#relay/reply/relay-error.ts';

/** The dry run of a call's routing. */
export function routeRoutes(app: FastifyInstance, deps: Deps): void {
  const { db, live, now } = deps;

  serve(app, deps, routeApi.explain, async ({ body }) => {
    const { model, token_id, operation, stream, tools, images, session } = body;
    const dialect = operation === 'chat' ? dialectOf[body.api] : ('openai' as const);
    const caller = token_id === 0 ? undefined : await findCaller(db, token_id);
    ensure(token_id === 0 || caller, 'record.not_found', { field: 'token_id' });
    const symbol = caller ? caller.tokenGroup || caller.userGroup : body.group || 'default';
    const group = live.groups.get(symbol);
    ensure(group, 'group.unknown', { field: 'group', name: symbol });
    let refused = '';
    try {
      if (caller) {
        checkCaller(caller, now(), live.settings);
        groupOf(caller, live);
      }
    } catch (error) {
      if (!(error instanceof RelayError)) throw error;
      refused = error.message;
    }
    const limits = {
      model,
      stream,
      wantsUsage: false,
      inputTokens: body.prompt_tokens,
      outputLimit: undefined,
      usesTools: tools,
      usesImages: images,
    };
    const among = { routes: live.routes, group: group.symbol };
    const requested = routedName(among, model);
    const virtual = live.virtualModels.get(requested);
    const headers = Object.fromEntries(
      Object.entries(body.headers).map(([name, value]) => [name.toLowerCase(), value]),
    );
    const shown =
      virtual &&
      explainSteps(live, virtual, body.step, {
        group,
        endpoint: endpointOf({ operation, dialect }),
        request: { ...limits, model: requested },
        headers,
        userId: caller?.userId ?? 0,
        sessionSeed: () => caller && conversationNamed(caller, requested, session).seed,
        at: now(),
      });
    const request = { ...limits, model: shown ? routedName(among, shown.model) : requested };
    if (!mayCall(group, request.model)) refused ||= modelOff(request.model, group.symbol).message;
    try {
      applySteering({ ...limits, ...(shown && { model: shown.model }) }, operation, among);
    } catch (error) {
      if (!(error instanceof RelayError)) throw error;
      refused ||= error.message;
    }
    const routeQuery = {
      ...(caller && { caller }),
      group,
      operation,
      dialect,
      request,
      ...(body.provider && { wishes: body.provider }),
      ...(caller && session !== '' && { conversation: conversationNamed(caller, request.model, session) }),
      pin: undefined,
      except: undefined,
    };
    const sample = sampleFor({ ...body, model: request.model });
    const candidates = await explainRoute(deps, routeQuery, (offer) => previewRules(deps, routeQuery, sample, offer));
    return {
      group: group.symbol,
      group_ratio: group.ratio,
      refused,
      model: request.model,
      virtual: shown ? shown.virtual : null,
      preference: preferredBy(live, group),
      candidates,
    };
  });
}

type ExplainInput = InputOf<typeof routeApi.explain>['body'];

const dialectOf = { chat: 'openai', responses: 'responses', messages: 'anthropic', gemini: 'gemini' } as const;

const messages = [{ role: 'user', content: 'Hello' }];
const shortRequests = {
  chat: { messages },
  responses: { input: 'Hello' },
  messages: { max_tokens: 1024, messages },
  gemini: { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] },
  embeddings: { input: 'Hello' },
};

/** The request that rules are shown with. Throws `route.sample` for a body that is no request of its kind. */
function sampleFor({
  model,
  operation = 'chat',
  api = 'chat',
  stream = false,
  body = '',
}: ExplainInput): SampleRequest {
  const kind = operation === 'chat' ? api : operation;
  const given = body === '' ? shortRequests[kind] : parseJson(body);
  ensure(isObject(given), 'route.sample', { field: 'body', reason: 'JSON' });
  const dialect = operation === 'chat' ? dialectOf[api] : 'openai';
  const read = (json: unknown) =>
    operation === 'embeddings' ? parseEmbeddings(json) : readChat(dialect, json, { model, stream });
  const named = dialect === 'gemini' ? {} : { model, ...(stream && { stream }) };
  const json: Json = { ...named, ...given, ...named };
  try {
    return {
      json,
      body: Buffer.from(JSON.stringify(json)),
      request: read(json),
      parse: (changed) => read(objectOr(changed)['json']),
    };
  } catch (error) {
    if (!(error instanceof RelayError)) throw error;
    throw new AppError('route.sample', { field: 'body', reason: error.message });
  }
}
