import { routeApi } from '@relay-hub/contract';
import type { FastifyInstance } from 'fastify';
import type { Deps } from '#deps.ts';
import { ensure } from '#errors.ts';
import { serve } from '#http/serve.ts';
import { findCaller } from '#live/callers.ts';
import { checkCaller, groupOf } from '#relay/admission/authenticate.ts';
import { explainRoute } from '#relay/select/explain.ts';
import { routedName, applySteering } from '#relay/select/model-steering.ts';
import { RelayError } from '#relay/reply/relay-error.ts';

/** The dry run of a call's routing. */
export function routeRoutes(app: FastifyInstance, deps: Deps): void {
  const { db, live, now } = deps;

  serve(app, deps, routeApi.explain, async ({ body }) => {
    const { model, token_id, operation, stream, tools, images } = body;
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
      inputTokens: 0,
      outputLimit: undefined,
      usesTools: tools,
      usesImages: images,
    };
    const among = { routes: live.routes, group: group.symbol };
    const request = { ...limits, model: routedName(among, model) };
    try {
      applySteering(limits, operation, among);
    } catch (error) {
      if (!(error instanceof RelayError)) throw error;
      refused ||= error.message;
    }
    const routeQuery = {
      ...(caller && { caller }),
      group,
      operation,
      dialect: 'openai' as const,
      request,
      pin: undefined,
      except: undefined,
    };
    return { group: group.symbol, group_ratio: group.ratio, refused, candidates: explainRoute(deps, routeQuery) };
  });
}
