import { auditApi } from '@relay-hub/contract';
import type { FastifyInstance } from 'fastify';
import type { Deps } from '#deps.ts';
import { csv } from '#http/csv.ts';
import { serve, serveFile } from '#http/serve.ts';
import { auditCsv } from './audit-csv.ts';
import { allAudit, getAudit, listAudit } from './audit-queries.ts';

export function auditRoutes(app: FastifyInstance, deps: Deps): void {
  const { db } = deps;
  serve(app, deps, auditApi.list, ({ query }, { viewer }) => listAudit(db, query, viewer));
  serve(app, deps, auditApi.get, ({ params }, { viewer }) => getAudit(db, params.id, viewer));
  serveFile(app, deps, auditApi.download, async ({ query }, { viewer, language }) => ({
    name: 'audit.csv',
    pieces: csv(auditCsv(language, query.time_zone), allAudit(db, query, viewer)),
  }));
}
