import { incidentApi } from '@relay-hub/contract';
import type { FastifyInstance } from 'fastify';
import type { Deps } from '#deps.ts';
import { replyLanguage } from '#http/reply-language.ts';
import { serve } from '#http/serve.ts';
import {
  getIncident,
  incidentMonths,
  incidentSummary,
  listIncidents,
  messagesOf,
  updateIncident,
} from './incident-queries.ts';

export function incidentRoutes(app: FastifyInstance, deps: Deps): void {
  const { db, now } = deps;
  serve(app, deps, incidentApi.list, ({ query }, { request }) => listIncidents(deps, query, replyLanguage(request)));
  serve(app, deps, incidentApi.summary, (_, { request }) => incidentSummary(deps, replyLanguage(request)));
  serve(app, deps, incidentApi.months, () => incidentMonths(db, now()));
  serve(app, deps, incidentApi.get, async ({ params }, { request }) => ({
    ...(await getIncident(db, params.id, replyLanguage(request))),
    messages: await messagesOf(db, params.id),
  }));
  serve(app, deps, incidentApi.update, async ({ params: { id }, body }, { request, viewer }) => {
    await updateIncident(db, { id, by: viewer.username, now: now() }, body);
    return getIncident(db, id, replyLanguage(request));
  });
}
