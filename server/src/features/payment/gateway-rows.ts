import type { Selectable } from 'kysely';
import type { Db, Tables } from '#db/tables.ts';
import type { Deps } from '#deps.ts';
import { AppError, ensure } from '#errors.ts';
import { codeOf } from '#caught-error.ts';
import { withBasePath } from '#http/base-path.ts';
import { fetchGuarded } from '#http/outbound/outbound.ts';
import { operatorReach } from '#http/outbound/reach.ts';
import { type GatewayContext, GatewayError, type GatewayRequest } from '#payments/gateway.ts';
import { masked } from '#secrets.ts';
import { openConfig } from './gateway-config.ts';

export type GatewayRow = Selectable<Tables['payment_gateways']>;

/** Dependencies of requests to gateways. */
export type GatewayDeps = Pick<Deps, 'config' | 'live' | 'secrets' | 'now'>;

const TIMEOUT_MS = 20_000;
const MOST_BYTES = 1024 * 1024;
/** Statements are larger than other responses. */
const MOST_STATEMENT_BYTES = 32 * 1024 * 1024;

/** A gateway by id, also a deleted one: its open orders can still be paid. */
export async function gatewayRow(db: Db, id: number): Promise<GatewayRow> {
  const row = await db.selectFrom('payment_gateways').where('id', '=', id).selectAll().executeTakeFirst();
  ensure(row, 'record.not_found', { field: 'id' });
  return row;
}

/** A gateway that is not deleted. Throws `record.not_found`. */
export async function existingGateway(db: Db, id: number): Promise<GatewayRow> {
  const row = await gatewayRow(db, id);
  ensure(row.deleted_time === null, 'record.not_found', { field: 'id' });
  return row;
}

type AddressDeps = Pick<GatewayDeps, 'config' | 'live'>;

/** Start of the addresses that a gateway is given; empty if neither it nor the site has one. */
export const notifyBase = (row: Pick<GatewayRow, 'notify_domain'>, { config, live }: AddressDeps): string =>
  withBasePath(row.notify_domain, config.basePath) || live.settings.ServerAddress;

/** Where a gateway sends its notifications. `site`: an address of this server, with or without the base path. */
export const notifyUrlAt = (site: string, uuid: string, basePath: string): string =>
  `${withBasePath(site, basePath)}/api/payment/notify/${uuid}`;

export const notifyUrl = (row: Pick<GatewayRow, 'notify_domain' | 'uuid'>, deps: AddressDeps): string =>
  notifyUrlAt(notifyBase(row, deps), row.uuid, deps.config.basePath);

/** Input of adapters for one operation, from the row's current keys. */
export function contextOf(row: GatewayRow, deps: GatewayDeps, { statement = false } = {}): GatewayContext {
  const config = openConfig(row.type, row, deps.secrets);
  const hidden = Object.values(config);
  return {
    config,
    currency: row.currency,
    notifyUrl: notifyUrl(row, deps),
    now: deps.now(),
    async send({ method, address, headers = {}, body }: GatewayRequest) {
      try {
        const response = await fetchGuarded(address, {
          reach: operatorReach(deps),
          timeoutMs: TIMEOUT_MS,
          maxBytes: statement ? MOST_STATEMENT_BYTES : MOST_BYTES,
          accept: headers['accept'] ?? '*/*',
          request: { method, headers, body },
        });
        return { status: response.status, headers: response.headers, body: response.body };
      } catch (error) {
        throw asGatewayError(error, hidden);
      }
    },
  };
}

/** Refusals before the connection: the gateway has received nothing. */
const neverSent = new Set([
  'outbound.address',
  'outbound.private',
  'outbound.never',
  'outbound.unresolved',
  'ECONNREFUSED',
]);

function asGatewayError(error: unknown, hidden: readonly string[]): GatewayError {
  if (!(error instanceof AppError)) return new GatewayError('unknown', masked(String(error), ...hidden), codeOf(error));
  const { host = '', reason = '' } = error.values;
  const isUnsent = neverSent.has(error.code) || neverSent.has(String(reason));
  return new GatewayError(isUnsent ? 'refused' : 'unknown', `${error.code} ${host} ${reason}`.trim(), error.code);
}
