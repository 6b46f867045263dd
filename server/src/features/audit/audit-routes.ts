import { auditApi, type AuditEntry, type Language } from '@relay-hub/contract';
import type { FastifyInstance } from 'fastify';
import type { Deps } from '#deps.ts';
import { csv, type CsvColumn, timeWriter } from '#http/csv.ts';
import { serve, serveFile } from '#http/serve.ts';
import { serverTexts } from '#i18n/texts.ts';
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

/** The columns of an export, without inputs and changes; those are in each entry. */
function auditCsv(language: Language, timeZone: string): CsvColumn<AuditEntry>[] {
  const text = serverTexts(language).csv.audit;
  const time = timeWriter(timeZone);
  return [
    { heading: 'ID', cell: (entry) => entry.id },
    { heading: `${text.time} (${timeZone || 'UTC'})`, cell: (entry) => time(entry.created_time) },
    { heading: text.actor, cell: (entry) => entry.actor_name },
    { heading: text.actorId, cell: (entry) => entry.actor_id },
    { heading: text.ip, cell: (entry) => entry.ip },
    { heading: text.via, cell: (entry) => text[entry.via] },
    { heading: text.method, cell: (entry) => entry.method },
    { heading: text.path, cell: (entry) => entry.path },
    { heading: text.kind, cell: (entry) => entry.kind },
    { heading: text.objectId, cell: (entry) => entry.object_id },
    { heading: text.objectName, cell: (entry) => entry.object_name },
    { heading: text.status, cell: (entry) => entry.status },
    { heading: text.code, cell: (entry) => entry.code },
    { heading: text.agent, cell: (entry) => entry.user_agent },
  ];
}
