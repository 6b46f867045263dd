import { reconciliationApi } from '@relay-hub/contract';
import type { FastifyInstance } from 'fastify';
import type { Deps } from '#deps.ts';
import { AppError, ensure } from '#errors.ts';
import { contextOf, gatewayRow, type GatewayRow } from '#features/payment/gateway-rows.ts';
import { serve } from '#http/serve.ts';
import { GatewayError, StatementError, type StatementRow } from '#payments/gateway.ts';
import { adapterOf } from '#payments/registry.ts';
import { masked } from '#secrets.ts';
import { compareStatement } from './compare-statement.ts';

const MOST_DAYS = 92;

interface Statement {
  rows: StatementRow[];
  unreadable: { line: number; problem: string }[];
}

/** Compares orders with a gateway's statement. */
export function reconciliationRoutes(app: FastifyInstance, deps: Deps): void {
  serve(app, deps, reconciliationApi.compare, async ({ body: { gateway_id, from, to, csv } }) => {
    ensure(to >= from && to - from <= MOST_DAYS * 86_400, 'statement.period', { field: 'to', most: MOST_DAYS });
    const gateway = await gatewayRow(deps.db, gateway_id);
    const statement = csv === '' ? await fetched(deps, gateway, { from, to }) : readCsv(gateway, csv);
    return compareStatement(deps.db, gateway, { from, to }, statement);
  });
}

function readCsv({ type }: GatewayRow, csv: string): Statement {
  const { readStatement } = adapterOf(type);
  ensure(readStatement, 'statement.format', { field: 'csv', reason: type });
  try {
    return readStatement(csv);
  } catch (error) {
    if (!(error instanceof StatementError)) throw error;
    throw new AppError('statement.format', { field: 'csv', reason: error.message });
  }
}

async function fetched(deps: Deps, gateway: GatewayRow, period: { from: number; to: number }): Promise<Statement> {
  const { fetchStatement } = adapterOf(gateway.type);
  ensure(fetchStatement, 'statement.unsupported', { field: 'csv' });
  const context = contextOf(gateway, deps, { statement: true });
  try {
    return { rows: await fetchStatement(context, period), unreadable: [] };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    throw new AppError('gateway.failed', { reason: masked(error.message, ...Object.values(context.config)) });
  }
}
