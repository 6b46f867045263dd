import { usageExportApi } from '@relay-hub/contract';
import type { FastifyInstance } from 'fastify';
import type { Deps } from '#deps.ts';
import { serve } from '#http/serve.ts';
import * as exports from './usage-exports.ts';

/** Billing systems that get charged calls, for super administrators. */
export function usageExportRoutes(app: FastifyInstance, deps: Deps): void {
  const { db } = deps;
  serve(app, deps, usageExportApi.list, () => exports.listExports(db));
  serve(app, deps, usageExportApi.create, ({ body }) => exports.createExport(deps, body));
  serve(app, deps, usageExportApi.update, ({ params: { id }, body }) => exports.updateExport(deps, id, body));
  serve(app, deps, usageExportApi.remove, ({ params: { id } }) => exports.removeExport(db, id));
  serve(app, deps, usageExportApi.test, ({ params: { id } }) => exports.testExport(deps, id));
  serve(app, deps, usageExportApi.restart, ({ params: { id }, body }) => exports.restartExport(deps, id, body.since));
  serve(app, deps, usageExportApi.retry, ({ params: { id } }) => exports.retryExport(db, id));
}
